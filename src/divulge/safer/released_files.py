"""A released table as files that people open: CSV, Excel and LaTeX, in the layout in which it is looked at."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np

from divulge.outputs import Output, Released
from divulge.record import csv_text, no_formula
from divulge.table import Schema

WITHHELD = "*"
"""What stands in a withheld cell; `divulge` reads it as withheld."""

Rows = list[list[str]]

_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        '<sheet name="Released" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def layout(output: Output, released: Released, schema: Schema) -> tuple[Rows, list[str]]:
    """The table as rows of texts, headers first, and the notes that belong below it."""
    grid = output.grid(schema)
    texts = released.precision.texts(released.values)
    rows: Rows = [[*grid.row_names, *grid.columns]]
    for headers, cells in zip(grid.rows, grid.cells, strict=True):
        rows.append([*headers, *("" if i is None else texts[i] or WITHHELD for i in cells)])
    notes = []
    if np.isnan(released.values).any():
        notes.append(f"{WITHHELD} withheld.")
    if output.method is not None:
        notes.append(output.method.describe())
    elif released.precision.base is not None:
        notes.append(f"Rounded to {released.precision.describe()}.")
    if output.coarser:
        notes += [f"{name}: {step.describe(schema[name])}." for name, step in output.coarser.items()]
    return rows, notes


def as_csv(rows: Rows, notes: Sequence[str]) -> str:
    """One line a row; notes below, after an empty line."""
    below = [[], *([no_formula(note)] for note in notes)] if notes else []
    return csv_text([[no_formula(text) if not _is_number(text) else text for text in row] for row in rows] + below)


def as_excel(rows: Rows, notes: Sequence[str]) -> bytes:
    """A workbook with one sheet; numbers as numbers, everything else as text."""
    lines = [*rows, *([[], *([note] for note in notes)] if notes else [])]
    cells = "".join(f"<row>{''.join(_cell(text) for text in line)}</row>" for line in lines)
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{cells}</sheetData></worksheet>"
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            # The same table gives the same bytes: no time of writing.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), head + text)
    return held.getvalue()


def as_latex(rows: Rows, notes: Sequence[str]) -> str:
    """A tabular, notes below as text."""
    lines = [" & ".join(_latex(text) for text in row) + r" \\" for row in rows]
    columns = "".join("r" if _is_number(text) or text == WITHHELD else "l" for text in rows[-1])
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", lines[0], r"\hline", *lines[1:], r"\hline", r"\end{tabular}"]
    return "\n".join([*body, *(rf"\\ {_latex(note)}" for note in notes), ""])


def _cell(text: str) -> str:
    if _is_number(text):
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def _latex(text: str) -> str:
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(named.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)
