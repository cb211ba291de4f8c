"""Every table of the report in one CSV file, a line for each cell: for a spreadsheet, or to be read by a script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from divulge.record import csv_text, no_formula
from divulge.reports.blocks import Beside, Block, Figure, Fold, Grid, Line, Name, Plot, Source, plain
from divulge.reports.sections import sections
from divulge.reports.sections.verdict import summary

COLUMNS = ("section", "table", "row", "column", "value", "source")
"""source: where a figure stands in the record (a JSON pointer); empty for words."""


@dataclass(frozen=True)
class Csv:
    """The tables, tidy: one figure or word a line."""

    format: ClassVar[str] = "csv"
    suffix: ClassVar[str] = ".csv"

    def render(self, record: Mapping[str, Any]) -> str:
        seen = summary(Source(record))
        lines = [COLUMNS, ("verdict", "", "", "verdict", seen.verdict, "/verdict")]
        lines += [("verdict", "", "", "reason", no_formula(plain(reason)), "/reasons") for reason in seen.reasons]
        for section in sections(record):
            for grid in _grids(section.blocks):
                lines += [(section.name, no_formula(grid.caption), *cell) for cell in _cells(grid)]
        return csv_text(lines)


def _grids(blocks: Iterable[Block]) -> Iterator[Grid]:
    """Every table, also those behind plots and in folds."""
    for block in blocks:
        if isinstance(block, Grid):
            yield block
        elif isinstance(block, Plot):
            yield block.grid
        elif isinstance(block, Fold | Beside):
            yield from _grids(block.blocks)


def _cells(grid: Grid) -> Iterator[tuple[str, str, str, str]]:
    for i, row in enumerate(grid.rows, start=1):
        # A table of figures alone has no column that names its rows.
        heads = 0 if 0 in grid.numbers else grid.heads
        label = no_formula(", ".join(map(plain, row[:heads]))) if heads else str(i)
        for column, cell in list(zip(grid.columns, row, strict=True))[heads:]:
            yield from (
                (label, no_formula(f"{grid.over} = {column}" if grid.over else column), *said) for said in _said(cell)
            )


def _said(cell: Line) -> Iterator[tuple[str, str]]:
    """Each figure of a cell on a line of its own; a cell of words as one."""
    figures = [piece for piece in cell if isinstance(piece, Figure)]
    if figures and not any(isinstance(piece, Name) for piece in cell):
        yield from ((figure.text.replace(",", ""), figure.source) for figure in figures)
    elif cell:
        yield no_formula(plain(cell)), ""
