"""The files that leave, written by the service from the figures that were assessed.

Nothing that somebody sent is copied: labels are those of the output, values those of the assessment, and rows stand in
the output's own order, so that neither a column, nor a cell, nor the order of rows can carry anything out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from divulge.ledger.model import SubmittedOutput
from divulge.ledger.workbook import workbook
from divulge.outputs.released.reading import LABEL_COLUMNS
from divulge.record import csv_text, no_formula

_Rows = list[list[str]]


def figures_csv(output: SubmittedOutput, sent: bytes | None = None) -> str:
    """The figures of an output. sent: the file in which they came; with a column for each variable, so do they leave.

    Of that file only its header is looked at, and of the header only whether it has a column of labels.
    """
    rows = _spread(output) if sent is not None and not _has_labels(sent) else None
    return csv_text(rows or _listed(output))


def figures_workbook(outputs: Sequence[SubmittedOutput], grids: Mapping[int, Any]) -> bytes:
    """All outputs as a workbook of Excel's, a sheet each. grids: by an output's number, how its figures stand."""
    sheets = {f"Output {o.number}": _in_grid(o, grids.get(o.number)) or _listed(o) for o in outputs}
    return workbook(sheets)


def _listed(output: SubmittedOutput) -> _Rows:
    """A figure on each row: its label, its value and, where there are any, standard errors."""
    figures = output.figures or []
    rows = [["term", "value", "se"]]
    rows += [[no_formula(f["label"]), _shown(f), f.get("se") or ""] for f in figures]
    return rows if any(f.get("se") is not None for f in figures) else [row[:2] for row in rows]


def _spread(output: SubmittedOutput) -> _Rows | None:
    """A column for each variable that the labels name; None where a label is not made of `NAME=value`."""
    names = [str(name) for name in output.document.get("variables") or ()]
    figures = output.figures or []
    if not names or any(f.get("se") is not None for f in figures):
        return None
    pattern = re.compile(" & ".join(f"{re.escape(name)}=(.*)" for name in names), re.DOTALL)
    found = [pattern.fullmatch(f["label"]) for f in figures]
    parts = [[no_formula(text) for text in one.groups()] for one in found if one is not None]
    if len(parts) < len(figures):
        return None
    body = [[*cells, _shown(f)] for cells, f in zip(parts, figures, strict=True)]
    return [[*(no_formula(name) for name in names), "value"], *body]


def _in_grid(output: SubmittedOutput, grid: Any) -> _Rows | None:
    """The figures as a table with heads; None where the assessment does not say how they stand."""
    figures = output.figures or []
    if not grid or sum(n is not None for line in grid["cells"] for n in line) != len(figures):
        return None
    if any(f.get("se") is not None for f in figures):
        return None
    rows = [[*map(str, grid["row_names"]), *map(str, grid["columns"])]]
    for heads, line in zip(grid["rows"], grid["cells"], strict=True):
        rows.append([*map(str, heads), *("" if n is None else _shown(figures[n]) for n in line)])
    return rows


def _shown(figure: Mapping[str, Any]) -> str:
    return "suppressed" if figure["value"] is None else str(figure["value"])


def _has_labels(sent: bytes) -> bool:
    """Whether a file of figures has a column of labels, rather than one for each variable."""
    first = sent[: 1 << 16].decode("utf-8-sig", errors="replace")
    header = next(csv.reader(io.StringIO(first.partition("\n")[0])), [])
    return any(cell.strip().casefold() in LABEL_COLUMNS for cell in header)
