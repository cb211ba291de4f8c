"""Jupyter notebooks: code as commands, outputs as lines or grids. No cell is ever run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from divulge.readers.handed_in.sheets.boxes import with_boxes
from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.html import blocks_of
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark

SUFFIXES = (".ipynb",)


def read(path: Path, name: str) -> Document:
    """A notebook. Lines are counted through sources and outputs, in their order."""
    try:
        book = json.loads(decode(path.read_bytes())[0])
        cells = book["cells"] if "cells" in book else [c for s in book["worksheets"] for c in s["cells"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Document(name, reason="a notebook that cannot be read: it is no valid JSON, or has no cells")
    blocks: list[Block] = []
    remarks: list[Remark] = []
    line = 1
    for cell in cells:
        if not isinstance(cell, dict):
            continue
        source = _joined(cell.get("source", cell.get("input", "")))
        is_code = cell.get("cell_type") == "code"
        prefix = ">>> " if is_code and not source.lstrip().startswith("%%stata") else ". " if is_code else ""
        lines = tuple(prefix + t if t.strip() else t for t in source.split("\n"))
        blocks += with_boxes(Lines(lines, line))
        line += len(lines)
        for output in cell.get("outputs", []) or []:
            line = _output(output, blocks, remarks, line)
    return Document(name, tuple(blocks), tuple(remarks), unread=tuple(r.what for r in remarks if "picture" in r.what))


def _output(output: Any, blocks: list[Block], remarks: list[Remark], line: int) -> int:
    data = output.get("data", output) if isinstance(output, dict) else {}
    if any(str(k).startswith("image/") for k in data) or "png" in data:
        remarks.append(Remark("a picture in a cell's output", line))
    page = _joined(data.get("text/html", ""))
    text = _joined(data.get("text/plain", "") or output.get("text", "") if isinstance(output, dict) else "")
    if "<table" in page:
        found, _ = blocks_of(page)
        grids = [b for b in found if isinstance(b, Grid)]
        blocks += [Grid(tuple(r.__class__(r.cells, line + i) for i, r in enumerate(g.rows)), g.spans) for g in grids]
        return line + sum(len(g.rows) for g in grids)
    if text.strip() and not text.startswith("<"):
        lines = tuple(t.expandtabs(8) for t in text.split("\n"))
        blocks += with_boxes(Lines(lines, line))
        return line + len(lines)
    return line


def _joined(text: Any) -> str:
    return "".join(str(t) for t in text) if isinstance(text, list) else str(text)
