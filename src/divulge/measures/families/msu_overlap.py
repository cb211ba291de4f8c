"""Minimal sample uniques that synthetic and original data share (Kolb, Tang and Giessing 2024).

The overlap is a precision: of what the synthetic data seem to disclose, how much is true. Recall is given beside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Mask
from divulge.measures.case import Case
from divulge.measures.counting.unique_sets import UniqueSets, unique_sets
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range

_KOLB = "Kolb et al. 2024"


@dataclass(frozen=True)
class MsuOverlap(Family):
    """Minimal sample uniques (see `suda`) that synthetic and original share, over the keys and the target."""

    largest: Annotated[int, "The most variables that an MSU may have.", Range(least=1)] = 6

    name: ClassVar[str] = "msu_overlap"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "MSU_overlap", "Of the synthetic rows with an MSU, those sharing one with the original.", f"{_KOLB}, eq. 3"
        ),
        Measure(
            "MSU_overlap_recall",
            "Of the people with an MSU, those sharing one with the synthetic data.",
            _KOLB,
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Rows of either file whose MSU, variables and values, is an MSU of the other file."""
        del rng
        people = unique_sets(case.people, case.scenario.variables, self.largest)
        synthetic = unique_sets(case.synthetic, case.scenario.variables, self.largest)
        in_people, in_synthetic = _common(people, synthetic)
        return {
            "MSU_overlap": share(
                "MSU_overlap",
                len(np.unique(synthetic.rows[in_synthetic])),
                len(np.unique(synthetic.rows)),
                "No synthetic row has a minimal sample unique.",
                details={"largest": self.largest},
            ),
            "MSU_overlap_recall": share(
                "MSU_overlap_recall",
                len(np.unique(people.rows[in_people])),
                len(np.unique(people.rows)),
                "Nobody has a minimal sample unique.",
            ),
        }


def _common(a: UniqueSets, b: UniqueSets) -> tuple[Mask, Mask]:
    """For every MSU of either file whether the other has it too, with the same variables and values."""
    in_a, in_b = np.zeros(len(a.sets), dtype=np.bool_), np.zeros(len(b.sets), dtype=np.bool_)
    for mask in np.intersect1d(a.sets, b.sets).tolist():
        at_a, at_b = np.flatnonzero(a.sets == mask), np.flatnonzero(b.sets == mask)
        columns = [j for j in range(len(a.keys)) if mask >> j & 1]
        values_a = [a.levels[j, a.rows[at_a]] for j in columns]
        values_b = [b.levels[j, b.rows[at_b]] for j in columns]
        cards = [int(max(x.max(), y.max())) + 1 for x, y in zip(values_a, values_b, strict=True)]
        coding = KeyCoding.fit([values_a, values_b], cards, 1)
        codes_a, codes_b = coding.encode(values_a), coding.encode(values_b)
        in_a[at_a] = np.isin(codes_a, codes_b)
        in_b[at_b] = np.isin(codes_b, codes_a)
    return in_a, in_b
