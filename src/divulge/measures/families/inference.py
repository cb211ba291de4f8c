"""Inference: does the nearest synthetic row have a person's target (Giomi et al. 2023)?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Integers, Mask
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range
from divulge.table import Variable


@dataclass(frozen=True)
class Inference(Family):
    """The guess is the target of the synthetic row nearest in the keys; right numbers are near, right categories equal.

    anonymeter divides by the guess with its sign, which makes every negative guess right; here by its size.
    """

    tolerance: Annotated[float, "A guess g of a number y is right where |g − y| ≤ tolerance · |g|.", Range(least=0)] = (
        0.05
    )
    most: Annotated[int, "More people than this are sampled.", Range(least=1)] = 200_000

    name: ClassVar[str] = "inference"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "inference",
            "People whose target the nearest synthetic row gives away.",
            "Giomi et al. 2023 (anonymeter)",
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """One search for nearest rows; the generator samples people, and guesses for the baseline."""
        n_rows = case.synthetic.n_rows
        if not n_rows or not case.people.n_rows:
            why = "It needs people and synthetic rows."
            return {"inference": Estimate("inference", math.nan, caveats=(why,))}
        rows = np.sort(rng.permutation(case.people.n_rows)[: self.most])
        people, keys = case.people.take(rows), case.scenario.keys
        place = nearest(points(case.synthetic, keys), points(people, keys))[1][:, 0]
        target = case.people.schema[case.scenario.target]
        own, said = people[target.name].astype(np.int64), case.synthetic[target.name].astype(np.int64)
        right = self._right(target, said[place], own)
        random = self._right(target, said[rng.integers(0, n_rows, len(rows))], own)
        return {
            "inference": share(
                "inference",
                int(right.sum()),
                len(rows),
                "There are no people.",
                baseline=float(random.mean()),
                scores=right.astype(np.float64) if case.with_scores and len(rows) == case.people.n_rows else None,
            )
        }

    def _right(self, target: Variable, guesses: Integers, own: Integers) -> Mask:
        if target.kind != "numeric":
            return guesses == own
        guess, truth = target.numbers[guesses], target.numbers[own]
        with np.errstate(invalid="ignore"):  # missing numbers are NaN, and right only where the codes are equal
            near = np.abs(guess - truth) <= self.tolerance * np.abs(guess)
        return near | (guesses == own)
