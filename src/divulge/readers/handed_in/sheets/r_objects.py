"""`.rds` and `.rda`: tables, frames, vectors and models of R as grids and lines. Objects are read, never evaluated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from divulge.readers.handed_in.sheets.serialised import NotRead, RObject, objects_in, written
from divulge.readers.handed_in.sheets.sheet import Block, Document, Grid, Lines, Remark, Row, grid_of

SUFFIXES = (".rds", ".rda", ".rdata")

_MOST_ROWS = 500
"""Rows of a frame that are looked at; one with more holds people rather than figures."""


def read(path: Path, name: str) -> Document:
    """A file of R objects."""
    try:
        found = objects_in(path.read_bytes())
    except NotRead as error:
        return Document(name, reason=f"a file of R objects: {error}")
    blocks: list[Block] = []
    remarks: list[Remark] = []
    for label, value in found.items():
        for part in _parts(label, value, 0):
            if isinstance(part, Remark):
                remarks.append(part)
            else:
                blocks.append(_placed(part, sum(_height(b) for b in blocks) + 1))
    if not blocks and not remarks:
        return Document(name, reason="a file of R objects without tables, frames or models")
    return Document(name, tuple(blocks), tuple(dict.fromkeys(remarks)))


def _height(block: Block) -> int:
    return len(block.texts) if isinstance(block, Lines) else len(block.rows)


def _placed(block: Block, line: int) -> Block:
    """A block with places: an object has no lines, so they are counted as if it were printed."""
    if isinstance(block, Lines):
        return Lines(block.texts, line)
    rows = tuple(Row(r.cells, line + k) for k, r in enumerate(block.rows))
    return Grid(rows, block.spans, block.before, block.after, block.sheet)


def _parts(label: str, value: Any, depth: int) -> Iterator[Block | Remark]:
    if not isinstance(value, RObject) or depth > 6:
        return
    classes = value.classes()
    parts = dict(zip(value.names(), value.values, strict=False)) if value.type == 19 else {}
    if "data.frame" in classes:
        yield from _frame(label, value)
    elif "coefficients" in parts and "call" in parts:
        yield from _model(parts)
    elif "dim" in value.attributes and value.type in (10, 13, 14):
        grid = _table(label, value)
        if grid is not None:
            yield grid
    elif value.type in (13, 14) and value.names() and 1 < len(value.values) <= _MOST_ROWS:
        rows = [
            (1, ["", label or "value"]),
            *((1, [n, _text(v)]) for n, v in zip(value.names(), value.values, strict=False)),
        ]
        named = grid_of(rows, before=(label,) if label else ())
        if named is not None:
            yield named
    elif value.type == 19:
        names = value.names() or [""] * len(value.values)
        for name, part in zip(names[:200], value.values[:200], strict=False):
            yield from _parts(name or label, part, depth + 1)


def _frame(label: str, value: RObject) -> Iterator[Block | Remark]:
    columns = [_column(v) for v in value.values]
    n = max((len(c) for c in columns), default=0)
    if n > _MOST_ROWS:
        shown = f" {label!r}" if label else ""
        yield Remark(f"a data frame{shown} of {n} rows, which may be people")
        return
    stub = value.attributes.get("row.names")
    named = [str(v) for v in stub.values] if isinstance(stub, RObject) and stub.type == 16 else []
    heads = [*([""] if named else []), *value.names()]
    rows = [(1, heads)]
    rows += [(1, [*(named[k : k + 1]), *(c[k] if k < len(c) else "" for c in columns)]) for k in range(n)]
    grid = grid_of(rows, before=(label,) if label else ())
    if grid is not None:
        yield grid


def _column(value: Any) -> list[str]:
    if not isinstance(value, RObject):
        return []
    levels = value.attributes.get("levels")
    if isinstance(levels, RObject):
        texts = [str(t) for t in levels.values]
        return [texts[v - 1] if isinstance(v, int) and 0 < v <= len(texts) else "" for v in value.values]
    return [_text(v) for v in value.values]


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.15g}" if isinstance(value, int | float) else str(value)


def _table(label: str, value: RObject) -> Grid | None:
    """A matrix or a table: the first axes as columns of labels, the last one across."""
    dim = [int(v) for v in value.attributes["dim"].values if isinstance(v, int | float)]
    named = value.attributes.get("dimnames")
    if not dim or math.prod(dim) != len(value.values) or math.prod(dim) > 20_000:
        return None
    axes = named.names() if isinstance(named, RObject) else []
    labels: list[list[str]] = []
    for k, size in enumerate(dim):
        given = named.values[k] if isinstance(named, RObject) and k < len(named.values) else None
        labels.append(
            [str(v) for v in given.values] if isinstance(given, RObject) else [str(i + 1) for i in range(size)]
        )
    axes = axes if len(axes) == len(dim) else [""] * len(dim)
    if len(dim) == 1:
        rows = [(1, [axes[0], "n" if value.type == 13 else "value"])]
        return grid_of([*rows, *((1, [t, _text(v)]) for t, v in zip(labels[0], value.values, strict=True))])
    *stubs, across = range(len(dim))
    heads = [[axes[k] for k in stubs], labels[across]]
    rows = [(1, [*([""] * len(stubs)), axes[across], *[""] * (dim[across] - 1)])] if axes[across] else []
    rows.append((1, [*heads[0], *heads[1]]))
    steps = [math.prod(dim[:k]) for k in range(len(dim))]
    for place in product(*(range(dim[k]) for k in stubs)):
        base = sum(i * s for i, s in zip(place, steps, strict=False))
        cells = [_text(value.values[base + j * steps[across]]) for j in range(dim[across])]
        rows.append((1, [*(labels[k][i] for k, i in zip(stubs, place, strict=True)), *cells]))
    return grid_of(rows, before=(label,) if label else ())


def _model(parts: dict[str, Any]) -> Iterator[Block | Remark]:
    """A fitted model as print() shows it, and whether it carries the rows that it was fitted to."""
    coefficients = parts["coefficients"]
    texts = ["Call:", written(parts["call"]), ""]
    if isinstance(coefficients, RObject) and "dim" in coefficients.attributes:
        grid = _table("Coefficients", coefficients)
        if grid is not None:
            width = max(len(r.cells[0]) for r in grid.rows)
            texts.append("Coefficients:")
            texts += [r.cells[0].ljust(width) + "  " + "  ".join(c.rjust(22) for c in r.cells[1:]) for r in grid.rows]
    elif isinstance(coefficients, RObject):
        texts.append("Coefficients:")
        for name, value in zip(coefficients.names(), coefficients.values, strict=False):
            width = max(len(name), 24)
            texts += [name.rjust(width), _text(value).rjust(width)]
    yield Lines((*texts, ""))
    carried = [n for n in ("model", "residuals", "fitted.values", "y", "x", "linear.predictors") if n in parts]
    sizes = [len(v.values) for n in carried if isinstance(v := parts[n], RObject) and n != "model"]
    if carried:
        rows = f" of {max(sizes)} rows" if sizes else ""
        yield Remark(f"a fitted model that carries the data{rows} it was fitted to ({', '.join(carried)})")
