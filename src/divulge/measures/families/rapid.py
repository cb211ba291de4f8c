"""RAPID: about how many people is an intruder who learns from synthetic data confidently right (Templ et al. 2026)."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.measures.attackers.gains import Classes, ErrorKind
from divulge.measures.attackers.learning_case import LearningCase, people_attacked
from divulge.measures.attackers.logistic import fit_logistic
from divulge.measures.attackers.models import ATTACKERS, Attacker, Forest, Predicted
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, Interval
from divulge.measures.families.family import Family, Measure
from divulge.measures.intervals import clopper_pearson, normal, wilson
from divulge.settings import Entries, Range
from divulge.table import Table, Variable

_TEMPL = "Templ, Thees and Müller 2026"
_LARGEST = "It is the largest of several estimates, so it tends to be too high."
_REMEMBERED: weakref.WeakKeyDictionary[Table, dict[tuple[Any, ...], tuple[weakref.ref[Table], Predicted]]] = (
    weakref.WeakKeyDictionary()
)
"""Guesses about a holdout, made while its model was at hand, until the case of the holdout asks for them."""


@dataclass(frozen=True)
class Rapid(Family):
    """The share of people at risk, for each attacker, their mean and their maximum."""

    tau: Annotated[
        float,
        "A person with a categorical target is at risk where the gain (g − b)/(1 − b) is above this.",
        Range(least=0, below=1),
    ] = 0.3
    epsilon: Annotated[
        float | None,
        "One with a numeric target where the error is below this; absent: 0.10, and refused where `error` is absolute, "
        "since only its unit can say what is near.",
        Range(above=0),
    ] = None
    error: Annotated[
        ErrorKind, "Relative to the true value, absolute, or normalised by the people's standard deviation."
    ] = "relative"
    attackers: Annotated[
        tuple[Literal["rf", "gbm", "cart", "l1"], ...], "Which attackers.", Entries(least=1, differ=True)
    ] = ("rf", "gbm", "cart", "l1")
    n_trees: Annotated[int, "Trees of the forest.", Range(least=1)] = 500
    n_resamples: Annotated[int, "Resamples for the intervals.", Range(least=0)] = 500
    n_permutations: Annotated[int, "Permutations for the test.", Range(least=0)] = 199
    most: Annotated[int, "More people, or synthetic rows, than this are sampled.", Range(least=1)] = 100_000
    n_jobs: Annotated[int, "Cores for the forest, −1: all; the figures do not depend on it."] = -1

    name: ClassVar[str] = "rapid"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "RAPID",
            "Share of people of whom a random forest trained on synthetic rows is much surer than chance, and right.",
            _TEMPL,
        ),
        Measure("RAPID_gbm", "The same with gradient boosting.", _TEMPL),
        Measure("RAPID_cart", "The same with one tree.", _TEMPL),
        Measure("RAPID_l1", "The same with L1 logistic (or linear) regression.", _TEMPL),
        Measure("RAPID_mean", "The mean over the attackers.", f"{_TEMPL}, 2.4"),
        Measure("RAPID_max", "The largest over the attackers.", f"{_TEMPL}, 2.4"),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Fit every attacker to the synthetic rows, ask it about the people, count whom it knows."""
        # Drawn in this order whatever the data are, so that people and holdout are attacked by the same models.
        seed = int(rng.integers(2**31 - 1))
        attack = LearningCase.of(case, self.tau, self.epsilon, self.error, self.most, seed)
        streams = {str(a): np.random.default_rng(int(rng.integers(2**62))) for a in self.attackers}
        if attack.undefined:
            return {n: Estimate(n, float("nan"), 0, 0, caveats=(attack.undefined,)) for n in self.names()}
        found, kept = {}, {}
        for maker in ATTACKERS:
            if maker.name in self.attackers:
                attacker = Forest(self.n_trees) if maker is Forest else maker()
                guessed = self._guesses(attacker, attack, case, seed)
                estimate, flags = self._one(attacker, guessed, attack, case, streams[attacker.name])
                found[estimate.name], kept[attacker.name] = estimate, flags
        said = tuple(dict.fromkeys(c for e in found.values() for c in e.caveats))
        found["RAPID_mean"] = _mean(kept, attack, case, said)
        found["RAPID_max"] = _largest(found, kept)
        return {name: found[name] for name in self.names()}

    def names(self) -> list[str]:
        """The figures that this choice of attackers gives."""
        return [*(_named(a.name) for a in ATTACKERS if a.name in self.attackers), "RAPID_mean", "RAPID_max"]

    def _guesses(self, attacker: Attacker, attack: LearningCase, case: Case, seed: int) -> Predicted:
        """The attacker's guesses about those who are attacked; those about a holdout are kept for its own case."""
        key = (id(case.synthetic), attacker, case.scenario.keys, case.scenario.target, seed)
        made_for, guessed = _REMEMBERED.get(case.people, {}).pop(key, (None, None))
        if guessed is None or made_for is None or made_for() is not case.synthetic:
            answer = attacker.fit(attack.task, seed, self.n_jobs)
            guessed = _answers(answer, case, case.people, attack.rows)
            if case.holdout is not None and case.holdout.n_rows:
                target = case.holdout.schema[case.scenario.target]
                others = people_attacked(case.holdout, target, self.most, seed)
                kept = _REMEMBERED.setdefault(case.holdout, {})
                kept[key] = (weakref.ref(case.synthetic), _answers(answer, case, case.holdout, others))
        return guessed

    def _one(
        self, attacker: Attacker, guessed: Predicted, attack: LearningCase, case: Case, rng: np.random.Generator
    ) -> tuple[Estimate, Floats]:
        inference = attack.inference(guessed)
        scores = inference.scores(np.arange(inference.n_rows))
        known = np.isfinite(scores)
        flags = inference.flags(scores, attack.threshold) & ~attack.excluded
        hits, n = int(flags.sum()), int(known.sum())
        right = inference.is_right()
        intervals: dict[str, Interval | None] = {"clopper_pearson": clopper_pearson(hits, n)}
        details: dict[str, Any] = {
            "attacker": attacker.title,
            "target": attack.kind,
            "threshold": attack.threshold,
            "accuracy": None if right is None else float(right.mean()),
            "intervals": intervals,
            "curve": {"thresholds": list(attack.grid), "shares": inference.curve(attack.grid, ~attack.excluded)},
        }
        if not attack.excluded.any():
            # Resampled or permuted people would not be those whom the custodian excluded.
            intervals["bootstrap"] = inference.bootstrap(attack.threshold, self.n_resamples, rng)
            details["null"] = inference.permutation_null(attack.threshold, attack.grid, self.n_permutations, rng)
        if attacker.name == self.attackers[0]:
            details["attribution"] = _attribution(case.people.take(attack.rows), case.scenario.keys, flags)
        if isinstance(inference, Classes):
            details["by_class"] = inference.by_class(flags, case.people.schema[case.scenario.target].display)
        marked = np.full(case.people.n_rows, np.nan)
        marked[attack.rows] = np.where(known, flags.astype(np.float64), np.nan)
        estimate = Estimate(
            _named(attacker.name),
            hits / n if n else float("nan"),
            hits,
            n,
            baseline=attack.baseline,
            interval=wilson(hits, n),
            n=n,
            details=details,
            caveats=(*attack.caveats, *guessed.caveats, *attack.left_out(known)),
            scores=marked if case.with_scores else None,
        )
        return estimate, marked


def _named(attacker: str) -> str:
    return "RAPID" if attacker == "rf" else f"RAPID_{attacker}"


def _answers(answer: Callable[[Table], Predicted], case: Case, table: Table, rows: Integers) -> Predicted:
    """What an attacker says of some rows: people with the same keys are asked about once."""
    _, first, place = np.unique(case.counts.key_codes(table)[rows], return_index=True, return_inverse=True)
    found = answer(table.take(rows[first]))
    return Predicted(found.values[place], found.caveats)


def _mean(kept: Mapping[str, Floats], attack: LearningCase, case: Case, caveats: tuple[str, ...]) -> Estimate:
    """The mean over attackers: of each person's flags, then over people, so that the interval knows who is shared."""
    marks = np.mean([kept[a] for a in kept], axis=0)
    known = marks[np.isfinite(marks)]
    n = len(known)
    value = float(known.mean()) if n else float("nan")
    se = float(known.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Estimate(
        "RAPID_mean",
        value,
        float(known.sum()),
        n,
        baseline=attack.baseline,
        interval=normal(value, se),
        n=n,
        details={"attackers": list(kept), "standard_error": se},
        caveats=caveats,
        scores=marks if case.with_scores else None,
    )


def _largest(found: Mapping[str, Estimate], kept: Mapping[str, Floats]) -> Estimate:
    """The attacker with the largest share; with equal shares the first of the suite."""
    best = max((found[_named(a)] for a in kept), key=lambda e: -1.0 if np.isnan(e.value) else e.value)
    return Estimate(
        "RAPID_max",
        best.value,
        best.numerator,
        best.denominator,
        baseline=best.baseline,
        interval=best.interval,
        n=best.n,
        details={"attacker": best.details["attacker"]},
        caveats=(*best.caveats, *([_LARGEST] if len(kept) > 1 else [])),
        scores=best.scores,
    )


_SMALLEST = 10
"""Levels with fewer people are put together: a coefficient of theirs would say nothing, and might say who."""

_MOST = 30  # no more levels of a key than these, the most frequent ones, are told apart: nobody reads more
_QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
_OTHER = "other"


def _attribution(people: Table, keys: Sequence[str], flags: Mask) -> list[dict[str, Any]]:
    """One row for each level of each key: people, how many are at risk, coefficient and standard error.

    By a logistic regression of the flag on the keys (Templ et al., section 5.5).
    The most frequent level of a key is its reference (coefficient 0). Numeric keys go in quarters of the people. The
    coefficients are log odds ratios with the other keys held fixed; they describe and do not explain.
    """
    groups = [(name, *_levels(people.schema[name], people[name])) for name in keys]
    columns, owners = [], []
    for position, (_, codes, names) in enumerate(groups):
        reference = int(np.argmax(np.bincount(codes, minlength=len(names)))) if len(codes) else 0
        for level in range(len(names)):
            if level != reference:
                columns.append((codes == level).astype(np.float64))
                owners.append((position, level))
    estimated = {}
    if columns and flags.any() and not flags.all():
        fit = fit_logistic(np.column_stack(columns), flags)
        for owner, beta, se in zip(owners, fit.coefficients[1:], fit.standard_errors[1:], strict=True):
            estimated[owner] = (float(beta), float(se))
    rows = []
    for position, (name, codes, names) in enumerate(groups):
        counts = np.bincount(codes, minlength=len(names))
        hit = np.bincount(codes, weights=flags, minlength=len(names))
        for level, shown in enumerate(names):
            is_reference = (position, level) not in owners
            beta, se = (0.0, None) if is_reference else estimated.get((position, level), (float("nan"), None))
            rows.append(
                {
                    "key": name,
                    "level": shown,
                    "n": int(counts[level]),
                    "at_risk": int(hit[level]),
                    "share": float(hit[level] / counts[level]) if counts[level] else float("nan"),
                    "coefficient": beta,
                    "standard_error": se,
                    "is_reference": is_reference,
                    # Nobody or everybody at risk: the coefficient is large because the likelihood has no maximum.
                    "is_separated": bool(counts[level] and hit[level] in (0, counts[level])),
                }
            )
    return rows


def _levels(variable: Variable, codes: NDArray[np.integer]) -> tuple[Integers, list[str]]:
    """The level of every row (0, 1, …) and the names of the levels that occur."""
    shown: list[str]
    if variable.kind == "numeric":
        numbers = variable.numbers[codes]
        known = np.isfinite(numbers)
        # Named by their place, not by their bounds: a bound is somebody's value.
        cuts = np.quantile(numbers[known], [0.25, 0.5, 0.75]) if known.any() else np.zeros(3)
        level = np.where(known, np.searchsorted(cuts, np.nan_to_num(numbers), side="left"), 4)
        shown = [*_QUARTERS, "missing"]
    else:
        level, shown = codes.astype(np.int64), variable.display
    counts = np.bincount(level, minlength=len(shown))
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    rare = (counts > 0) & ((counts < _SMALLEST) | (rank >= _MOST))
    names = [shown[i] for i in np.flatnonzero((counts > 0) & ~rare)]
    place = np.full(len(shown), len(names), dtype=np.int64)
    place[(counts > 0) & ~rare] = np.arange(len(names))
    return place[level], [*names, _OTHER] if rare.any() else names
