"""What one case means for an intruder who learns: the task, the people who count, and when one of them is at risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import MeasureError
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.measures.attackers.gains import Classes, ErrorKind, Inference, Numbers
from divulge.measures.attackers.models import Predicted, Task, sample_of
from divulge.measures.case import Case
from divulge.table import Table, Variable

_TAUS = tuple(round(0.05 * i, 2) for i in range(20))
"""Thresholds of the gain at which the share at risk is shown, from the least to the most demanding."""

_EPSILONS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.075, 0.05, 0.025, 0.01)
"""Tolerances at which it is shown for numbers, for a tolerance of 0.1; for another, in the same proportion."""


@dataclass(frozen=True, eq=False)
class LearningCase:
    """One case of RAPID.

    rows: the people who count, with their truth. threshold: τ or ε. grid: others, from the least to the most demanding.
    baseline: the share at risk if the intruder knew the target's distribution among the people alone.
    excluded: which of the rows the custodian's exclusions take out. undefined: why there is nothing to compute.
    """

    kind: Literal["categorical", "numeric"]
    error: ErrorKind
    task: Task
    rows: Integers
    truth: NDArray[Any]
    threshold: float
    grid: tuple[float, ...]
    baseline: float
    excluded: Mask
    caveats: tuple[str, ...]
    undefined: str | None

    @classmethod
    def of(cls, case: Case, tau: float, epsilon: float | None, error: ErrorKind, most: int, seed: int) -> LearningCase:
        """The attack on the people of a case. most: rows that are learnt from, and people who are attacked, at most."""
        target = case.people.schema[case.scenario.target]
        codes, seen = case.people[target.name], case.synthetic[target.name]
        caveats = ["Excluded people count as not at risk."] if case.exclusions else []
        truth: NDArray[Any]
        if target.kind == "categorical":
            task = Task(case.synthetic, case.scenario.keys, seen.astype(np.int64), target.n_codes)
            rows = people_attacked(case.people, target, most, seed)
            truth = codes[rows].astype(np.int64)
            threshold, grid, baseline = tau, _TAUS, 0.0
        else:
            known = ~target.is_missing[seen]
            task = Task(case.synthetic.take(known), case.scenario.keys, target.numbers[seen[known]], 0)
            rows = people_attacked(case.people, target, most, seed)
            truth = target.numbers[codes[rows]]
            threshold = _tolerance(epsilon, error)
            grid = tuple(round(e * threshold / 0.1, 12) for e in _EPSILONS)
            baseline = _near_median(truth, threshold, error)
            if lacking := int(target.is_missing[codes].sum()):
                caveats.append(f"{lacking:,} people whose target is missing are left out.")
        if max(task.table.n_rows, case.people.n_rows) > most:
            caveats.append(f"Of more than {most:,} rows a random sample of so many is learnt from, or attacked.")
        return cls(
            target.kind,
            error,
            task.at_most(most, seed),
            rows,
            truth,
            threshold,
            grid,
            baseline,
            _excluded(case)[rows],
            tuple(caveats),
            _undefined(task, truth),
        )

    def inference(self, guessed: Predicted) -> Inference:
        """An attacker's guesses about the rows, beside the truth."""
        if self.kind == "categorical":
            return Classes(guessed.values, self.truth)
        return Numbers(guessed.values, self.truth, self.error)

    def left_out(self, known: Mask) -> tuple[str, ...]:
        """What to say about rows without a score."""
        n = int((~known).sum())
        if not n:
            return ()
        if self.error == "normalised":
            return ("The target does not vary among the people, so the normalised error is undefined.",)
        return (f"{n:,} people whose target is 0 are left out: a relative error from 0 is undefined.",)


def people_attacked(people: Table, target: Variable, most: int, seed: int) -> Integers:
    """The rows of people whose target is known, or a random sample of so many of them, where there are more."""
    known = np.arange(people.n_rows)
    if target.kind == "numeric":
        known = np.flatnonzero(~target.is_missing[people[target.name]])
    return known[sample_of(len(known), most, seed)]


def _undefined(task: Task, truth: NDArray[Any]) -> str | None:
    if not len(truth):
        return "There are no people to attack."
    if not task.table.n_rows:
        return "The synthetic data have no row to learn from."
    if task.n_classes and len(np.unique(task.y)) < 2:
        return "The synthetic data hold one target value only, so no attacker can be trained."
    if task.n_classes and len(np.unique(truth)) < 2:
        return "All people have the same target value, so nothing can be gained over the baseline."
    return None


def _tolerance(epsilon: float | None, error: ErrorKind) -> float:
    if epsilon is not None:
        return epsilon
    if error == "absolute":
        raise MeasureError(
            "an absolute error needs a tolerance in the target's unit.", where="epsilon", hint="Give epsilon."
        )
    return 0.10  # the default of Templ et al., section 3.1


def _near_median(truth: Floats, threshold: float, error: ErrorKind) -> float:
    """The share of people whose target the median guesses well enough."""
    guess = Numbers(np.full(len(truth), np.median(truth) if len(truth) else np.nan), truth, error)
    scores = guess.scores(np.arange(len(truth)))
    n = int(np.isfinite(scores).sum())
    return float(guess.flags(scores, threshold).sum() / n) if n else float("nan")


def _excluded(case: Case) -> Mask:
    """For every person whether exclusions take them out of the attribute measures."""
    if not case.exclusions:
        return np.zeros(case.people.n_rows, dtype=np.bool_)
    out = ~case.kept if case.kept.size else np.zeros(len(case.cells.codes), dtype=np.bool_)
    if case.exclusions.denominator_limit:
        out = out | (case.cells.d > case.exclusions.denominator_limit)
    return case.by_row(out.astype(np.float64)) > 0
