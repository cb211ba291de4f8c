"""Precision improvement: are guesses from unique matches better than what anybody could guess (Francis 2024)?

The intruder looks for the one synthetic row with a person's keys and says its target; without exactly one, nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Mask
from divulge.measures.attackers.models import Penalised, Task
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, calibrated, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.measures.intervals import normal, ratio_standard_error
from divulge.settings import Range
from divulge.table import Table, Variable

_FRANCIS = "Francis 2024"
_NOBODY = "Nobody's keys belong to exactly one synthetic row, so the intruder never guesses."
_FOLDS = 5


@dataclass(frozen=True)
class UniqueMatches(Family):
    """PI = (P_attack − P_base)/(1 − P_base), with the share of people about whom the intruder guesses at all.

    P_base is the precision, on the same people, of a model of the target given the keys that was fitted to *other* real
    people: the holdout where there is one, else the other four fifths of the people.
    """

    tolerance: Annotated[float, "A numeric target is right within this share of the true value.", Range(least=0)] = 0.05
    strength: Annotated[float, "The inverse of the model's L1 penalty; 0.01 is the paper's.", Range(above=0)] = 0.01

    most: Annotated[int, "Of more people than this the baseline learns from a sample.", Range(least=1)] = 100_000

    name: ClassVar[str] = "precision"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "PI", "How much of the room above the baseline's precision the attack fills.", _FRANCIS, is_share=False
        ),
        Measure("PI_precision", "Of the guesses from unique matches, those that are right.", _FRANCIS),
        Measure("PI_coverage", "People whose keys belong to exactly one synthetic row.", _FRANCIS),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Attack the people, and let the baseline guess about the same of them."""
        target = case.people.schema[case.scenario.target]
        covered, right = self._attack(case, case.people, target)
        n, acted, hits = case.people.n_rows, int(covered.sum()), int(right.sum())
        known = self._baseline(case, target, covered, rng)
        base_hits = int((known & covered).sum())
        base = base_hits / acted if acted else math.nan
        caveats = self._caveats(case)
        details: dict[str, Any] = {
            "attack": hits / acted if acted else math.nan,
            "base": base,
            "base_of_everybody": float(known.mean()) if n else math.nan,
            "base_from": "holdout" if _has_holdout(case) else f"{_FOLDS} folds of the people",
            "coverage": acted / n if n else math.nan,
        }
        if _has_holdout(case):
            details["holdout"] = self._control(case, target, hits / acted if acted else math.nan)
        flags = np.where(covered, right.astype(np.float64), np.nan)
        return {
            "PI": self._improvement(covered, right, known, details, caveats),
            "PI_precision": share(
                "PI_precision",
                hits,
                acted,
                _NOBODY,
                baseline=base,
                details={"calibrated": calibrated(hits / acted, base) if acted else math.nan},
                caveats=caveats,
                scores=flags if case.with_scores else None,
            ),
            "PI_coverage": share(
                "PI_coverage",
                acted,
                n,
                "There are no people to attack.",
                scores=covered.astype(np.float64) if case.with_scores else None,
            ),
        }

    def _caveats(self, case: Case) -> tuple[str, ...]:
        others = case.holdout if case.holdout is not None and _has_holdout(case) else case.people
        said = [f"The baseline learns from a random sample of {self.most:,} people."]
        return (
            *(["Exclusions are not applied to this measure."] if case.exclusions else []),
            *(said if others.n_rows > self.most else []),
        )

    def _attack(self, case: Case, people: Table, target: Variable) -> tuple[Mask, Mask]:
        """For every person whether the intruder guesses, and whether the guess is right."""
        codes, first, counts = np.unique(case.counts.key_codes(case.synthetic), return_index=True, return_counts=True)
        wanted = case.counts.key_codes(people)
        if not len(codes):
            return np.zeros(len(wanted), dtype=np.bool_), np.zeros(len(wanted), dtype=np.bool_)
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        covered = (codes[place] == wanted) & (counts[place] == 1)
        guess = case.synthetic[target.name][first[place]]
        return covered, covered & self._is_right(target, people[target.name], guess)

    def _is_right(self, target: Variable, truth: NDArray[np.integer], guess: NDArray[np.integer]) -> Mask:
        if target.kind == "categorical":
            return truth == guess
        return (truth == guess) | self._is_near(target, truth, target.numbers[guess])

    def _is_near(self, target: Variable, truth: NDArray[np.integer], guess: Floats) -> Mask:
        own = target.numbers[truth]
        # A missing number is NaN, and no comparison with it holds.
        return np.abs(own - guess) <= self.tolerance * np.abs(own)

    def _baseline(self, case: Case, target: Variable, covered: Mask, rng: np.random.Generator) -> Mask:
        """For every person whether a model fitted to other real people is right about them."""
        people = case.people
        seed = int(rng.integers(2**31 - 1))
        fold = rng.permutation(people.n_rows) % _FOLDS
        known = np.zeros(people.n_rows, dtype=np.bool_)
        if not covered.any():
            return known
        if case.holdout is not None and _has_holdout(case):
            return self._modelled(case.holdout, people, case.scenario.keys, target, seed)
        for k in range(_FOLDS):
            inside = fold == k
            if inside.any():
                others = people.take(~inside)
                known[inside] = self._modelled(others, people.take(inside), case.scenario.keys, target, seed)
        return known

    def _modelled(self, others: Table, people: Table, keys: tuple[str, ...], target: Variable, seed: int) -> Mask:
        codes, truth = others[target.name], people[target.name]
        if target.kind == "numeric":
            usable = ~target.is_missing[codes]
            if not usable.any():
                return np.zeros(people.n_rows, dtype=np.bool_)
            task = Task(others.take(usable), keys, target.numbers[codes[usable]], 0).at_most(self.most, seed)
            return self._is_near(target, truth, Penalised(self.strength).fit(task, seed, 1)(people).values)
        counts = np.bincount(codes, minlength=target.n_codes)
        if (counts > 0).sum() < 2:
            # Nothing to fit: whoever saw only one class says that class.
            return np.full(people.n_rows, bool(len(codes))) & (truth == np.argmax(counts))
        task = Task(others, keys, codes.astype(np.int64), target.n_codes).at_most(self.most, seed)
        return Penalised(self.strength).fit(task, seed, 1)(people).values.argmax(axis=1) == truth

    def _improvement(
        self, covered: Mask, right: Mask, known: Mask, details: dict[str, Any], caveats: tuple[str, ...]
    ) -> Estimate:
        """PI = 1 − wrong guesses of the attack ÷ wrong guesses of the baseline, both on the people covered."""
        acted = int(covered.sum())
        a, b = (~right[covered]).astype(np.float64), (~known[covered]).astype(np.float64)
        wrong, base_wrong = float(a.sum()), float(b.sum())
        undefined = _NOBODY if not acted else "The baseline is right about everybody covered: nothing can be improved."
        return ratio(
            "PI",
            base_wrong - wrong,
            base_wrong,
            undefined=undefined,
            baseline=0.0,
            n=acted,
            details=details,
            caveats=caveats,
            interval=normal(
                1 - wrong / base_wrong if base_wrong else math.nan,
                ratio_standard_error(acted, float(a @ a), float(a @ b), float(b @ b), wrong, base_wrong),
            ),
        )

    def _control(self, case: Case, target: Variable, attack: float) -> dict[str, float]:
        """The same attack on the holdout, and anonymeter's ratio (Giomi et al. 2023)."""
        assert case.holdout is not None  # asked only where there is one
        covered, right = self._attack(case, case.holdout, target)
        acted = int(covered.sum())
        control = int(right.sum()) / acted if acted else math.nan
        return {
            "attack": control,
            "coverage": acted / case.holdout.n_rows if case.holdout.n_rows else math.nan,
            "anonymeter": calibrated(attack, control) if not math.isnan(control) else math.nan,
        }


def _has_holdout(case: Case) -> bool:
    return case.holdout is not None and case.holdout.n_rows > 0
