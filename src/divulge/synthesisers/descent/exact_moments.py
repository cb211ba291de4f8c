"""Linear models of whole numbers printed with more digits than the response alone can meet: exact sums of products.

Sums of products of the predictors are chosen first, with which some response has the figures as printed
(`divulge.lattice.moments`). Rows bring them about, one variable after the other; the response is last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.lattice.bits import common_step
from divulge.lattice.changes import rows_to_change
from divulge.lattice.moments import Moments, rows_for
from divulge.outputs.lowering.lowered import Link, Lowered, Term
from divulge.synthesisers.descent.proposing import Proposals
from divulge.table import Schema

_FEWEST_BITS = -8.0
"""Below this many (log₂ of how many responses' sums are as printed) changes of the response are hardly enough."""

_MOST_ROWS = 200_000
"""So many rows have sums for any digits that are printed."""

_ROWS = 600
"""Rows of which some are changed for each variable."""

_MOST_COLUMNS = 2
"""Columns that a variable may make to be moved: rows for the sums of products of more are not found soon."""

_REACH = 5.0
"""How far sums with the response may go when a predictor changes, in usual changes of the response in one row: these
have to take them back."""

_TRIES = 2
"""How often rows are looked for, with other values."""

_SECONDS = 2.0
"""After which nothing more is tried: mostly a tenth of it is enough."""

_ROUNDING = 1e-6
"""Of a step: what is nearer to a whole number is one, with values as they were read."""


class _Changed(NamedTuple):
    """What new codes of one variable would do, row by row."""

    rows: Integers
    news: Integers
    products: Integers  # (rows, pairs of columns)
    answers: Integers  # (rows, columns): to the sums of products with the response


@dataclass(frozen=True, eq=False)
class _Grid:
    """A linear model whose columns and response are whole multiples of steps."""

    output: Lowered
    link: Link
    schema: Schema
    fixed: frozenset[str]  # variables of other outputs
    steps: Floats  # (columns,), of the columns
    step: float  # of the response

    @property
    def response(self) -> int:
        return self.schema.position(self.link.response.variables[0])

    def read(self, codes: Codes) -> tuple[Floats, Floats, Mask]:
        """Columns (rows, columns) and the response in steps, and which rows take part."""
        block = self.output.blocks[0]
        design, taken = np.zeros((len(codes), block.n_columns)), np.ones(len(codes), dtype=bool)
        for term in block.terms:
            index, values = self._value(term, codes, taken)
            there = np.flatnonzero(index >= 0)
            design[there, index[there]] += values[there]
        _, response = self._value(self.link.response, codes, taken)
        if block.weight is not None:
            index, weights = self._value(block.weight, codes, taken)
            taken &= index >= 0
            design *= np.where(taken & (weights != 1.0), np.nan, 1.0)[:, None]  # weighted sums have no steps
        return design / self.steps, response / self.step, taken

    def _value(self, term: Term, codes: Codes, taken: Mask) -> tuple[Integers, Floats]:
        """The term's column and value for every row; rows for which there is none take no part any more."""
        cell = np.zeros(len(codes), dtype=np.int64)
        values = np.ones(len(codes))
        for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            column = codes[:, self.schema.position(name)]
            cell += cells[column]
            values *= 1.0 if factors is None else factors[column]
        taken &= cell >= 0
        cell = np.maximum(cell, 0)
        return term.index[cell].astype(np.int64), values * term.scale[cell]

    def moments(self, codes: Codes) -> Moments | None:
        """Sums of products of the codes, and the box of the printed coefficients; None where one has no interval."""
        low, high = self.output.low[: len(self.steps)], self.output.high[: len(self.steps)]
        if not np.isfinite(low).all() or not np.isfinite(high).all():
            return None
        design, response, taken = self.read(codes)
        design, response = np.round(design[taken]), np.round(response[taken])
        scale = self.steps / self.step
        middle, half = (self.link.beta.ravel() + (low + high) / 2) * scale, (high - low) / 2 * scale
        products = design.T @ design
        is_whole = np.isfinite(middle).all() and (half > 0).all()
        is_exact = products.max(initial=0.0) < 2**52 and np.linalg.matrix_rank(products) == len(products)
        return Moments(products, design.T @ response, middle, half) if is_whole and is_exact else None


class ExactMoments(Proposals):
    """The moments of a candidate with one linear model, whose codes are changed in place.

    is_far: whether values may go to any other; from sums of near ones there may be no way to the box.
    """

    is_far = False

    def land(self, most: float = _FEWEST_BITS) -> bool:
        """Whether every figure is as printed then; codes are as before where not.

        most: bits of the box from which on nothing is tried.
        """
        grid = self._grid(most)
        if grid is None:
            return False
        start = self.codes.copy()
        until = min(self.candidate.log.seconds + _SECONDS, self.candidate.settings.seconds)
        for self.is_far in (False, False, True, True):
            if self._land(grid):
                return True
            self.codes[:] = start
            if self.candidate.log.seconds > until:
                break
        self.look()
        return False

    def _grid(self, most: float) -> _Grid | None:
        """The one linear model, where all is in multiples of steps and changes of the response alone hardly help."""
        outputs = self.objective.lowered[: self.objective.n_lowered_targets]
        linear = [o for o in outputs if (link := o.blocks[0].link) is not None and link.family == "identity"]
        if len(linear) != 1 or len(self.codes) > _MOST_ROWS:
            return None
        (output,) = linear
        link = output.blocks[0].link
        others = frozenset(name for o in outputs if o is not output for name in o.variables)
        if link is None or link.moment != "score" or not others.isdisjoint(link.response.variables):
            return None
        n = output.blocks[0].n_columns
        if len(link.response.variables) != 1 or len(output.unit) < n:
            return None
        grid = _Grid(output, link, self.objective.schema, others, np.ones(n), 1.0)
        design, response, taken = grid.read(self.codes)
        steps = np.array([common_step(column) for column in design[taken].T])
        grid = replace(grid, steps=steps, step=common_step(response[taken]))
        if not (steps > 0).all() or grid.step <= 0:
            return None
        moments = grid.moments(self.codes)
        return grid if moments is not None and moments.bits < most else None

    def _land(self, grid: _Grid) -> bool:
        design, _, taken = grid.read(self.codes)
        size = np.sqrt((design[taken] ** 2).mean(axis=0))
        leverage = np.where(taken, ((design / np.where(size > 0, size, 1.0)) ** 2).sum(axis=1), 0.0)
        rows = rows_to_change(leverage, _ROWS, self.rng)
        moves = {}
        fixed = {grid.response, *(self.objective.schema.position(name) for name in grid.fixed)}
        for v in sorted({*map(int, self.candidate.moves.variables)} - fixed):
            if self.candidate.moves.draws.is_numeric[v]:
                changed = self._changed(grid, rows, v)
                pairs = np.flatnonzero(changed.products.any(axis=0))
                if 0 < len(pairs) <= _MOST_COLUMNS * len(grid.steps):
                    moves[v] = pairs, changed.products[:, pairs]
        moments, answers = grid.moments(self.codes), self._changed(grid, rows, grid.response).answers
        if moments is None or not len(answers):
            return False
        columns = np.array(np.triu_indices(len(grid.steps))).T
        wanted = moments.wanted([(columns[pairs], products) for pairs, products in moves.values()], answers, self.rng)
        if wanted is None:
            return False
        reach = _REACH * np.sqrt((answers.astype(np.float64) ** 2).mean(axis=0))
        for v, products in zip(moves, wanted[0], strict=True):
            if products.any() and not self._make(grid, rows, v, products, moves[v][0], reach):
                return False
        now = grid.moments(self.codes)
        if now is None:
            return False
        left = np.round(moments.answers + wanted[1] - now.answers).astype(np.int64)
        return self._make(grid, rows, grid.response, left) and self.is_done()

    def _make(
        self,
        grid: _Grid,
        rows: Integers,
        column: int,
        wanted: Integers,
        pairs: Integers | None = None,
        reach: Floats | None = None,
    ) -> bool:
        """Change the column so that its sums of products (of the pairs; with the response) change by what is wanted.

        reach: how far the sums with the response may go meanwhile.
        """
        for _ in range(_TRIES):
            changed = self._changed(grid, rows, column)
            if pairs is None or reach is None:
                made = rows_for(changed.answers, wanted, np.zeros((len(changed.rows), 0)), self.rng)
            else:
                also = changed.answers.any(axis=0)
                loosely = changed.answers[:, also] / reach[also]
                made = rows_for(changed.products[:, pairs], wanted, loosely, self.rng)
            if made is not None:
                self.codes[changed.rows[made], column] = changed.news[made]
                return True
        return False

    def _changed(self, grid: _Grid, rows: Integers, column: int) -> _Changed:
        """Another value of the column for those of the rows that may have it, and what it does."""
        view = self.look()
        news = self.neighbours(rows, column, self.is_far)
        _, allowed = self.shifts_of(view, rows, column, news, self.box_now(view))
        after = self.codes[rows].copy()
        after[:, column] = news
        design, response, taken = grid.read(self.codes[rows])
        new_design, new_response, still = grid.read(after)
        off = np.abs(new_design - np.round(new_design)).max(axis=1) + np.abs(new_response - np.round(new_response))
        fine = np.flatnonzero(
            allowed & taken & still & (off < _ROUNDING) & (after[:, column] != self.codes[rows, column])
        )
        old, new = np.round(design[fine]).astype(np.int64), np.round(new_design[fine]).astype(np.int64)
        j, k = np.triu_indices(old.shape[1])
        answers = new * np.round(new_response[fine])[:, None] - old * np.round(response[fine])[:, None]
        return _Changed(rows[fine], news[fine], new[:, j] * new[:, k] - old[:, j] * old[:, k], answers.astype(np.int64))
