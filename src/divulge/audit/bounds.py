"""The least and the greatest value that sums of cells can have, given every figure.

Propagation fixes what it can, identical cells become one, what is left falls into components that share no figure, and
each bound is one linear program (sdcTable's attack; Handbook on SDC 2025, feasibility intervals). Counts are whole:
bounds are rounded inwards, and small components are solved in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from divulge.audit.alike import number_alike
from divulge.audit.budget import Budget
from divulge.audit.neighbourhood import STEPS, Neighbourhoods
from divulge.audit.program import Optimum, Program
from divulge.audit.propagation import propagate
from divulge.audit.system import System
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask

SMALL = 300
"""Components of at most so many cells are solved in whole numbers where the linear bound is none."""

LARGE = 3_000
"""Components of more cells are solved by interior points: of 10,000 cells 0.7 s each, where corners took minutes."""

SWEEPS = 20
"""Pairs of points of a large component that are looked at before each target is asked about alone."""

WORTH_IT = 0.05
"""The share of the targets left that a pair of points must settle; below it the next pairs settle hardly more."""

NEAR = 1e-6
"""Closer than that to a whole number is that number; bounds are promised to a millionth."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """low, high: of each target. is_possible: False where figures contradict each other.

    is_sharp: whether they are the least and the greatest value themselves; False where the budget was spent, and the
    interval is one that holds the true one.
    """

    low: Floats
    high: Floats
    is_sharp: Mask
    is_possible: bool = True

    @property
    def n_unreached(self) -> int:
        return int((~self.is_sharp).sum())


def find_bounds(
    system: System,
    targets: sparse.csr_array | None = None,
    budget: Budget | None = None,
    wide_enough: Floats | None = None,
    *,
    to_the_end: bool = False,
) -> Bounds:
    """Bounds of each target (rows: how often each cell counts; by default each cell itself).

    wide_enough: targets already seen to vary at least so much are not solved to the end; they are then not sharp, and
        their interval is what was seen (so the true one is at least as wide).
    to_the_end: solve them all the same where their component is not large.
    """
    budget = budget or Budget(np.inf)
    if targets is None:
        targets = sparse.eye_array(system.n_cells, format="csr")
    shift = np.zeros(system.n_cells) if system.point is None else system.point
    through = system.matrix @ shift
    figures, merged_targets, sums = _merge(system, targets)
    rows = system.low - through, system.high - through
    columns = sums @ (system.least - shift), _sum_most(sums, system.most - shift)
    least, most = propagate(figures, rows, columns, system.is_whole)
    n_targets = int(targets.shape[0])
    offset = targets @ shift
    if (least > most + NEAR).any():
        nothing = np.full(n_targets, np.nan)
        return Bounds(nothing, nothing, np.ones(n_targets, dtype=bool), False)
    search = _Search(system.is_whole, figures, rows, least, most, merged_targets, budget, to_the_end)
    if not search.run(wide_enough):
        nothing = np.full(n_targets, np.nan)
        return Bounds(nothing, nothing, np.ones(n_targets, dtype=bool), False)
    return Bounds(search.low + offset, search.high + offset, search.is_sharp)


def _merge(system: System, targets: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
    """Cells that every figure and every target treats alike become one: figures and targets of these, and who is in."""
    stacked = sparse.csc_array(sparse.vstack([system.matrix, targets]))
    number, first = number_alike(stacked)
    kept = stacked[:, first].tocsr()
    entries = np.ones(system.n_cells), (number, np.arange(system.n_cells))
    sums = sparse.csr_array(entries, shape=(len(first), system.n_cells))
    return kept[: system.n_figures], kept[system.n_figures :], sums


def _sum_most(sums: sparse.csr_array, most: Floats) -> Floats:
    endless = sums @ (~np.isfinite(most)).astype(float) > 0
    return np.where(endless, np.inf, sums @ np.where(np.isfinite(most), most, 0.0))


@dataclass(eq=False)
class _Search:
    """Bounds of the targets, one component of unknown cells after another."""

    is_whole: bool
    matrix: sparse.csr_array
    rows: tuple[Floats, Floats]
    least: Floats
    most: Floats
    targets: sparse.csr_array
    budget: Budget
    to_the_end: bool
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    is_sharp: Mask = field(init=False)

    def run(self, wide_enough: Floats | None) -> bool:
        """Fill low, high and is_sharp; False where the figures contradict each other."""
        size = 1.0 + np.where(np.isfinite(self.least), np.abs(self.least), 0.0)
        fixed = self.most - self.least <= 1e-9 * size  # rounding of sums; printed digits are far coarser
        value = np.where(fixed, self.least, 0.0)
        n_targets = int(self.targets.shape[0])
        self.low = self.targets @ value
        self.high = self.low.copy()
        self.is_sharp = np.ones(n_targets, dtype=bool)
        free = np.flatnonzero(~fixed)
        used = self.matrix @ value
        slack = 1e-6 * (1.0 + np.abs(used))  # HiGHS would allow as much in a sum of many
        unknown = self.matrix[:, free]
        empty = np.diff(unknown.indptr) == 0
        if (empty & ((used < self.rows[0] - slack) | (used > self.rows[1] + slack))).any():
            return False
        if not len(free):
            return True
        rows = np.flatnonzero(~empty)
        low, high = self.rows[0][rows] - used[rows], self.rows[1][rows] - used[rows]
        unknown = unknown[rows]
        graph = sparse.bmat([[None, unknown.T], [unknown, None]])
        _, label = connected_components(graph, directed=False)
        for number in np.unique(label[: len(free)]):
            cells = np.flatnonzero(label[: len(free)] == number)
            inside = np.flatnonzero(label[len(free) :] == number)
            part = _Component(
                self.is_whole,
                unknown[inside][:, cells],
                (low[inside], high[inside]),
                (self.least[free[cells]], self.most[free[cells]]),
                self.targets[:, free[cells]],
                self.budget,
            )
            is_rough = len(cells) > LARGE or not self.to_the_end
            if not part.run(wide_enough if is_rough else None):
                return False
            self.low += part.low
            self.high += part.high
            self.is_sharp &= part.is_sharp
        return True


class _Component:
    """Unknown cells that hang together, and what they add to each target."""

    def __init__(
        self,
        is_whole: bool,
        matrix: sparse.csr_array,
        rows: tuple[Floats, Floats],
        columns: tuple[Floats, Floats],
        targets: sparse.csr_array,
        budget: Budget,
    ) -> None:
        self.is_whole, self.matrix, self.rows, self.columns = is_whole, matrix, rows, columns
        self.targets, self.budget = targets, budget
        self.concerned = np.flatnonzero(np.diff(targets.indptr))
        outer = _outer(targets, columns)
        self.low, self.high = outer
        self.is_sharp = np.ones(int(targets.shape[0]), dtype=bool)
        # What feasible points have shown each target to be.
        self.seen_low = np.full(int(targets.shape[0]), np.inf)
        self.seen_high = np.full(int(targets.shape[0]), -np.inf)

    def run(self, wide_enough: Floats | None) -> bool:
        is_large = self.matrix.shape[1] > LARGE
        program = Program(self.matrix, self.rows, self.columns, is_large=is_large)
        whole = None
        if self.is_whole and self.matrix.shape[1] <= SMALL:
            whole = Program(self.matrix, self.rows, self.columns, np.ones(self.matrix.shape[1], dtype=bool))
        start = (whole or program).minimise(np.zeros(0), np.zeros(0), self.budget.left)
        if start.outcome == "infeasible":
            return False
        self._saw(start)
        if is_large and wide_enough is not None:
            self._sweep(program, wide_enough, self.budget.seconds / 2)
            self._look_near(wide_enough)
            self._sweep(program, wide_enough, 0.0)
        for t in self.concerned.tolist():
            if wide_enough is not None and self._seen_width(t) >= wide_enough[t]:
                self.low[t], self.high[t], self.is_sharp[t] = self.seen_low[t], self.seen_high[t], False
                continue
            self._bound(t, program, whole)
        return True

    def _seen_width(self, targets: Any) -> Any:
        """How far targets were seen to vary; of counts from whole number to whole number."""
        low, high = self.seen_low[targets], self.seen_high[targets]
        return np.floor(high + NEAR) - np.ceil(low - NEAR) if self.is_whole else high - low

    def _left(self, wide_enough: Floats) -> Integers:
        """The targets that are neither seen to be wide enough nor bounded by what was seen."""
        of = self.concerned
        low, high = self.seen_low[of], self.seen_high[of]
        is_bounded = (low <= self.low[of] + NEAR) & (high >= self.high[of] - NEAR)
        return np.asarray(of[~is_bounded & (self._seen_width(of) < wide_enough[of])])

    def _sweep(self, program: Program, wide_enough: Floats, kept: float) -> None:
        """Push all targets that are left up or down at once, in directions drawn at random: most are soon settled.

        kept: how many seconds of the budget to leave.
        """
        rng = np.random.default_rng(0)  # any seed: directions only
        left = self._left(wide_enough)
        for _ in range(SWEEPS):
            if not len(left):
                return
            costs = np.asarray(self.targets[left].T @ rng.choice([-1.0, 1.0], len(left)))
            columns = np.flatnonzero(costs)
            for direction in (1.0, -1.0):
                if self.budget.left <= kept:
                    return
                self._saw(program.minimise(columns, direction * costs[columns], self.budget.left))
            before, left = len(left), self._left(wide_enough)
            if before - len(left) < WORTH_IT * before:
                return

    def _look_near(self, wide_enough: Floats) -> None:
        """Bound the targets that are left by the figures near them, and by those near these."""
        near = Neighbourhoods(self.matrix, self.rows, self.columns, LARGE)
        for steps in STEPS:
            for t in self._left(wide_enough).tolist():
                if self.budget.left < self.budget.seconds / 4:
                    return
                at = slice(self.targets.indptr[t], self.targets.indptr[t + 1])
                factors = self.targets.data[at]
                low, high = near.bounds(self.targets.indices[at], factors, steps, self.budget.left)
                if self.is_whole and np.allclose(factors, np.round(factors)):
                    low, high = np.ceil(low - NEAR), np.floor(high + NEAR)
                self.low[t], self.high[t] = max(self.low[t], low), min(self.high[t], high)

    def _bound(self, t: int, program: Program, whole: Program | None) -> None:
        """The least and the greatest value of one target."""
        at = slice(self.targets.indptr[t], self.targets.indptr[t + 1])
        cells, factors = self.targets.indices[at], self.targets.data[at]
        if self.seen_low[t] > self.low[t] + NEAR:
            self.low[t], sharp = self._least(cells, factors, program, whole, self.low[t])
            self.is_sharp[t] &= sharp
        if self.seen_high[t] < self.high[t] - NEAR:
            negated, sharp = self._least(cells, -factors, program, whole, -self.high[t])
            self.high[t] = -negated
            self.is_sharp[t] &= sharp

    def _least(
        self, cells: Integers32, factors: Floats, program: Program, whole: Program | None, outer: float
    ) -> tuple[float, bool]:
        if self.budget.is_spent:
            return outer, False
        found = program.minimise(cells, factors, self.budget.left)
        if found.outcome == "unfinished":
            return outer, False
        if found.at is None:
            return found.value, True
        if not self.is_whole or not np.allclose(factors, np.round(factors)):
            self._saw(found)
            return found.value, True
        value = float(np.ceil(found.value - NEAR))
        if _is_whole(found.at):
            self._saw(found)
            return value, True
        if whole is None:
            return value, True
        exact = whole.minimise(cells, factors, self.budget.left)
        if exact.at is not None and exact.outcome == "optimal":
            self._saw(exact)
            return float(np.round(exact.value)), True
        return max(value, float(np.ceil(exact.bound - NEAR))), False

    def _saw(self, found: Optimum) -> None:
        if found.at is not None and len(found.at):
            values = self.targets @ found.at
            np.minimum(self.seen_low, values, out=self.seen_low)
            np.maximum(self.seen_high, values, out=self.seen_high)


def _outer(targets: sparse.csr_array, columns: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """What the columns' own bounds say of each target."""
    entries = targets.tocoo()
    up = entries.data > 0
    low = entries.data * np.where(up, columns[0][entries.col], columns[1][entries.col])
    high = entries.data * np.where(up, columns[1][entries.col], columns[0][entries.col])
    n = int(targets.shape[0])
    return (
        np.bincount(entries.row, low, minlength=n).astype(np.float64),
        np.bincount(entries.row, high, minlength=n).astype(np.float64),
    )


def _is_whole(values: Floats) -> bool:
    return bool((np.abs(values - np.round(values)) < NEAR).all())
