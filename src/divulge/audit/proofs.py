"""Why a bound holds, and why figures contradict each other: the few figures that say so, each with its factor.

Where x ≥ least, x ≤ most and low ≤ A x ≤ high, every proof of t · x ≤ b is a weighted sum of these inequalities (Farkas
1902). We look for one that uses few figures: in small systems the fewest, in others the least sum of factors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.audit.budget import Budget
from divulge.audit.program import Program
from divulge.audit.system import System
from divulge.kernels.arrays import Floats

FEWEST_UP_TO = 80
"""Systems of at most so many figures get the proof with the fewest of them; others one with small factors."""

LARGEST_FACTOR = 100.0
"""Of a figure in a proof with the fewest figures: margins and cells come with 1 and −1, shares with up to 100."""

SECONDS = 2.0
"""For each proof; a proof that is not the shortest is a proof all the same."""

NEGLIGIBLE = 1e-7
"""Factors below it are rounding of the program, whose tolerance is 1e-9."""


@dataclass(frozen=True)
class Step:
    """One figure of a proof: its name, how often it is added (taken off where negative), and the end that is used."""

    figure: str
    factor: float
    value: float


@dataclass(frozen=True)
class Proof:
    """A weighted sum of figures. bound: what it comes to. is_equation: whether it is the target itself, so that nothing
    else (that no cell is negative) is used."""

    steps: tuple[Step, ...]
    bound: float
    is_equation: bool

    def sentence(self) -> str:
        """`small − county 1 − N = 30 − 20 − 7 = 3`; the plain sum first, then the figures."""
        if not self.steps:
            return f"nothing but that no cell is negative: {_number(self.bound)}"
        names = _signed([(_times(s.factor, s.figure), s.factor) for s in self.steps])
        values = _signed([(_times(s.factor, _number(s.value)), s.factor) for s in self.steps])
        left = "" if len(self.steps) == 1 and abs(self.steps[0].factor) == 1 else f" = {values}"
        return f"{names}{left} = {_number(self.bound)}"


def _times(factor: float, text: str) -> str:
    size = abs(factor)
    return text if abs(size - 1) < NEGLIGIBLE else f"{_number(size)} × {text}"


def _signed(parts: list[tuple[str, float]]) -> str:
    text = ""
    for i, (name, factor) in enumerate(sorted(parts, key=lambda p: p[1] < 0)):
        sign = "−" if factor < 0 else "+"
        text += (f" {sign} " if i else ("−" if factor < 0 else "")) + name
    return text


def _number(value: float) -> str:
    return f"{value:,.10g}" if abs(value - round(value)) > NEGLIGIBLE else f"{round(value):,}"


def prove_value(system: System, target: Floats, budget: Budget | None = None) -> Proof | None:
    """The target as a sum of figures that are known exactly; None where it takes more than that."""
    exact = np.flatnonzero(system.low == system.high)
    if not len(exact):
        return None
    matrix = system.matrix[exact].T.tocsr()
    n = len(exact)
    which = np.tile(np.arange(n), 2)
    found = _sparsest(sparse.hstack([matrix, -matrix]).tocsr(), (target, target), which, _seconds(budget))
    if found is None:
        return None
    factors = np.zeros(system.n_figures)
    factors[exact] = found[:n] - found[n : 2 * n]
    return _proof(system, factors, True)


def prove_at_most(system: System, target: Floats, bound: float, budget: Budget | None = None) -> Proof | None:
    """Why the target is at most `bound`; None where it is not, or no proof was found in time."""
    slack = 1e-6 * (1.0 + abs(bound))  # as far as the bound itself is promised
    factors = _certificate(system, target, bound + slack, _seconds(budget))
    return None if factors is None else _proof(system, factors, False, bound)


def find_contradiction(system: System, budget: Budget | None = None) -> tuple[Step, ...]:
    """The fewest figures (in large systems: some, none of them needless) that no cells can have together; empty where
    there is no such set."""
    factors = _certificate(system, np.zeros(system.n_cells), -1.0, _seconds(budget))
    if factors is not None:
        return _proof(system, factors, False).steps
    return _whole_contradiction(system, budget) if system.is_whole else ()


def _seconds(budget: Budget | None) -> float:
    return SECONDS if budget is None else min(SECONDS, budget.left)


def _proof(system: System, factors: Floats, is_equation: bool, bound: float | None = None) -> Proof:
    used = np.flatnonzero(np.abs(factors) > NEGLIGIBLE)
    ends = np.where(factors > 0, system.high, system.low)
    steps = tuple(Step(system.figures[i], float(_tidy(factors[i])), float(ends[i])) for i in used)
    total = sum(s.factor * s.value for s in steps) if bound is None else bound
    return Proof(steps, float(total), is_equation)


def _tidy(factor: float) -> float:
    return round(factor) if abs(factor - round(factor)) < NEGLIGIBLE else factor


def _certificate(system: System, target: Floats, at_most: float, seconds: float) -> Floats | None:
    """Factors of the figures in a proof that target · x ≤ at_most; None where there is none.

    Aᵀ(up − down) + above − below = target, and up · high − down · low + above · most − below · least ≤ at_most.
    """
    has_high, has_low = (np.flatnonzero(np.isfinite(bound)) for bound in (system.high, system.low))
    has_most, has_least = (np.flatnonzero(np.isfinite(bound)) for bound in (system.most, system.least))
    transposed = system.matrix.T.tocsr()
    identity = sparse.eye_array(system.n_cells, format="csr")
    parts = [transposed[:, has_high], -transposed[:, has_low], identity[:, has_most], -identity[:, has_least]]
    cost = [system.high[has_high], -system.low[has_low], system.most[has_most], -system.least[has_least]]
    bound_row = sparse.csr_array(np.concatenate(cost)[None, :])
    matrix = sparse.vstack([sparse.hstack(parts), bound_row]).tocsr()
    rows = np.concatenate([target, [-np.inf]]), np.concatenate([target, [at_most]])
    n_figures = len(has_high) + len(has_low)
    found = _sparsest(matrix, rows, np.concatenate([has_high, has_low]), seconds)
    if found is None:
        return None
    # Of the proofs with these figures the sharpest: the slack of the bound is not to show in the factors.
    kept = np.where(found > NEGLIGIBLE, np.inf, 0.0)
    kept[n_figures:] = np.inf
    sums = sparse.csr_array(matrix[:-1])
    ends = np.concatenate(cost)
    sharpest = Program(sums, (target, target), (np.zeros(len(kept)), kept)).minimise(np.arange(len(ends)), ends)
    found = found if sharpest.at is None else sharpest.at
    factors = np.zeros(system.n_figures)
    factors[has_high] += found[: len(has_high)]
    factors[has_low] -= found[len(has_high) : n_figures]
    return factors


def _sparsest(
    matrix: sparse.csr_array, rows: tuple[Floats, Floats], which: NDArray[np.intp], seconds: float
) -> Floats | None:
    """x ≥ 0 that keeps the rows with few figures; None where nothing does.

    which: the figure of each of the first columns (each may be added or taken off); other columns cost nothing.
    """
    n_columns, n_figures = int(matrix.shape[1]), len(which)
    columns = np.zeros(n_columns), np.full(n_columns, np.inf)
    costs = np.ones(n_figures) + 1e-6 * which  # the first of equals
    found = Program(matrix, rows, columns).minimise(np.arange(n_figures), costs, seconds)
    if found.at is None:
        return None
    names, which = np.unique(which, return_inverse=True)
    used, n = int((found.at[:n_figures] > NEGLIGIBLE).sum()), len(names)
    if used <= 2 or n > FEWEST_UP_TO:
        return found.at
    # Fewest figures: one switch for each, and a factor only where its switch is on.
    switch = sparse.csr_array((np.ones(n_figures), (np.arange(n_figures), which)), (n_figures, n))
    on = sparse.hstack([sparse.eye_array(n_figures, n_columns), -LARGEST_FACTOR * switch])
    wide = sparse.hstack([matrix, sparse.csr_array((int(matrix.shape[0]), n))])
    program = Program(
        sparse.vstack([wide, on]).tocsr(),
        (np.concatenate([rows[0], np.full(n_figures, -np.inf)]), np.concatenate([rows[1], np.zeros(n_figures)])),
        (np.zeros(n_columns + n), np.concatenate([columns[1], np.ones(n)])),
        np.arange(n_columns + n) >= n_columns,
    )
    fewest = program.minimise(n_columns + np.arange(n), np.ones(n), seconds)
    if fewest.at is None or fewest.value > used - 0.5:
        return found.at
    # Once more among the chosen ones: the switches leave rounding behind.
    chosen = np.ones(n_columns, dtype=bool)
    chosen[:n_figures] = fewest.at[n_columns:][which] > 0.5
    again = Program(matrix, rows, (columns[0], np.where(chosen, np.inf, 0.0))).minimise(np.arange(n_figures), costs)
    return found.at if again.at is None else again.at


def _whole_contradiction(system: System, budget: Budget | None) -> tuple[Step, ...]:
    """Figures that no whole numbers have together, none of them needless: each is left out if it can be."""
    kept = list(range(system.n_figures))
    budget = budget or Budget(10.0)
    if _whole_possible(system, kept, budget):
        return ()
    for i in range(system.n_figures):
        fewer = [k for k in kept if k != i]
        if not budget.is_spent and not _whole_possible(system, fewer, budget):
            kept = fewer
    return tuple(Step(system.figures[i], 1.0, float(system.high[i])) for i in kept)


def _whole_possible(system: System, kept: list[int], budget: Budget) -> bool:
    part = system.only(kept)
    everything = np.ones(part.n_cells, dtype=bool)
    program = Program(part.matrix.tocsr(), (part.low, part.high), (part.least, part.most), everything)
    return program.minimise(np.zeros(0), np.zeros(0), budget.left).outcome != "infeasible"
