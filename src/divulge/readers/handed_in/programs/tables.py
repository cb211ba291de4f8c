"""Tables in any document, whatever program made them: Excel, Word, HTML, LaTeX, Markdown, CSV."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import fit_word
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.finds.looking import rows_of_people
from divulge.readers.handed_in.sheets import Block, Grid


class Tables:
    """Tables of workbooks, documents and pages: crosstabs, table 1, descriptives, regressions side by side."""

    name = "tables"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The outputs of a grid."""
        if not isinstance(block, Grid):
            return []
        pairs = _pairs(block)
        if pairs:
            lines = (block.rows[0].line, block.rows[-1].line)
            return [Candidate("other", "fit", lines, tuple(pairs))]
        if rows_of_people(block, session.words):
            return []
        found = read_grid(block, session.vocabulary)
        said = " ".join([*block.before, *block.after])
        found = [self._sized(c, said, block) for c in found]
        return [session.signed(c, self.name) for c in found if len(c.figures) > 1 or c.shape != "cells"]

    def _sized(self, candidate: Candidate, said: str, grid: Grid) -> Candidate:
        """Figures that a note states of a model: N = 526; R² = 0.35; of a table: its N."""
        if candidate.shape != "model":
            return _with_size(candidate, grid)
        extra: list[Figure] = []
        for match in re.finditer(
            r"(?<![\w.])([Nn]|R²|R2|R-squared|AIC|BIC)\s*=\s*([\d,]*\.?\d+)", f"{said} {_last(grid)}"
        ):
            what = fit_word(match[1])
            number = parse_number(match[2])
            if (
                what is not None
                and number is not None
                and not any(f.what == what and f.of is None for f in (*candidate.figures, *extra))
            ):
                extra.append(Figure(what, what, number, grid.rows[-1].line))
        return replace(candidate, figures=(*candidate.figures, *extra))


def _with_size(candidate: Candidate, grid: Grid) -> Candidate:
    """A table with the number of people that a note states."""
    if candidate.shape != "cells" or any(f.what == "n" for f in candidate.figures):
        return candidate
    match = next((m for t in grid.after if (m := re.search(r"(?<![\w.])[Nn]\s*=\s*([\d,]+)", t))), None)
    number = parse_number(match[1]) if match else None
    if number is None:
        return candidate
    stated = Figure("N", "n", number, grid.rows[-1].line)
    return replace(candidate, figures=(*candidate.figures, stated))


def _last(grid: Grid) -> str:
    return " ".join(c for row in grid.rows[-2:] for c in row.cells)


def _pairs(grid: Grid) -> list[Figure]:
    """Statistics of a model as names and values side by side, as gretl writes them under a table."""
    if grid.width not in (2, 4, 6):
        return []
    figures, names = [], 0
    for row in grid.rows:
        for k in range(0, grid.width, 2):
            what, number = fit_word(row.cells[k]), parse_number(row.cells[k + 1])
            names += bool(row.cells[k].strip())
            if what is not None and number is not None:
                figures.append(Figure(what, what, number, row.line))
    values = all(
        parse_number(row.cells[k + 1]) is not None
        for row in grid.rows
        for k in range(0, grid.width, 2)
        if row.cells[k].strip()
    )
    return figures if values and grid.width > 2 and len(figures) >= max(2, 0.3 * names) else []
