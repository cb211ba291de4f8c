"""A workbook of Excel's with texts and numbers and nothing else: no formula, no link, no name of whoever made it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: the same figures give the same bytes
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_BOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
"""What a sheet holds as a number without changing how it reads; anything else is a text."""


def workbook(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """Sheets by name, each a list of rows of texts; numbers among them are cells of numbers."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations([(1, "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _book(list(sheets)),
        "xl/_rels/workbook.xml.rels": _relations([(n, "worksheet", f"worksheets/sheet{n}.xml") for n in numbers]),
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": _sheet(rows) for n, rows in zip(numbers, sheets.values(), strict=True)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _HEAD + text)
    return packed.getvalue()


def _content_types(numbers: Sequence[int]) -> str:
    sheets = "".join(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEET_TYPE}"/>' for n in numbers)
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_BOOK_TYPE}"/>{sheets}</Types>'
    )


def _relations(found: Sequence[tuple[int, str, str]]) -> str:
    lines = "".join(f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for n, kind, to in found)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'


def _book(names: Sequence[str]) -> str:
    # Excel takes 31 characters of a sheet's name.
    sheets = "".join(
        f'<sheet name={quoteattr(name[:31])} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, start=1)
    )
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>'


def _sheet(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return f"<c><v>{text}</v></c>"
    kept = "".join(c for c in text if c in "\t\n" or ord(c) >= 32)
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(kept)}</t></is></c>'
