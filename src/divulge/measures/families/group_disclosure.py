"""Group disclosure of tables and its relatives on microdata (Kolb, Tang and Giessing 2024).

All three are precisions: of what the synthetic data seem to disclose, how much is true. Recall is given beside, since
a file that discloses one group only, truly, has a precision of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels.arrays import Mask
from divulge.kernels.counting import Sums
from divulge.measures.case import Case
from divulge.measures.counting.cells import Cells
from divulge.measures.counting.coding import KeyCoding
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Measure
from divulge.measures.families.suda import UniqueSets, unique_sets
from divulge.measures.intervals import wilson

_KOLB = "Kolb et al. 2024"


@dataclass(frozen=True)
class Kolb:
    """TCAP ratio and group disclosure. naive: target values at least this frequent are no disclosure but a guess."""

    naive: float = 0.90

    name: ClassVar[str] = "kolb"
    is_default: ClassVar[bool] = True
    pools: ClassVar[bool] = False
    columns: ClassVar[Literal["scenario", "common"]] = "scenario"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "TCAP_ratio", "Of the key combinations certain in the synthetic data, those truly so.", f"{_KOLB}, eq. 2"
        ),
        Measure(
            "group_disclosure",
            "Of the disclosive cells of synthetic tables, those truly so.",
            f"{_KOLB}, eq. 1",
            moves_with_size=True,
        ),
        Measure(
            "group_disclosure_recall",
            "Of the truly disclosive cells, those that the synthetic show.",
            _KOLB,
            moves_with_size=True,
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.naive <= 1:
            raise MeasureError(f"a frequency above 0 and at most 1 is needed, {self.naive} is given.", where="naive")

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Over the full keys; group disclosure over all key subsets where the scenario names key sizes."""
        del rng
        plain = case.cells.sums(case.kept)
        low, high = case.scenario.key_sizes or (len(case.cells.keys),) * 2
        tables = []
        for size in range(low, high + 1):
            for keys in combinations(case.cells.keys, size):
                cells = case.cells if keys == case.cells.keys else case.cells.subset(keys)
                tables.append((keys, self._disclosive(case, cells)))
        both, synthetic, people = (
            sum(getattr(t, f"keys_certain_{w}") for _, t in tables) for w in ("both", "synthetic", "people")
        )
        rows: list[dict[str, Any]] = [
            {"keys": list(keys), "common": t.keys_certain_both, "synthetic": t.keys_certain_synthetic}
            for keys, t in tables
        ]
        return {
            "TCAP_ratio": _share(
                "TCAP_ratio",
                plain.keys_certain_both,
                plain.keys_certain_synthetic,
                "No key combination of the synthetic data determines the target.",
            ),
            "group_disclosure": _share(
                "group_disclosure",
                both,
                synthetic,
                "No cell of the synthetic tables is disclosive.",
                naive=self.naive,
                tables=rows,
            ),
            "group_disclosure_recall": _share(
                "group_disclosure_recall", both, people, "No cell of the original tables is disclosive."
            ),
        }

    def _disclosive(self, case: Case, cells: Cells) -> Sums:
        frequent = cells.d_target >= self.naive * max(cells.n_people, 1)
        kept = ~frequent[cells.target]
        also = case.exclusions.kept(cells, case.people.schema, case.scenario.target)
        return cells.sums(kept & also if also.size else kept)


@dataclass(frozen=True)
class MsuOverlap:
    """Minimal sample uniques (see `suda`) that synthetic and original share, over the keys and the target.

    largest: the most variables that an MSU may have.
    """

    largest: int = 6

    name: ClassVar[str] = "msu_overlap"
    is_default: ClassVar[bool] = False
    pools: ClassVar[bool] = False
    columns: ClassVar[Literal["scenario", "common"]] = "scenario"
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

    def __post_init__(self) -> None:
        if self.largest < 1:
            raise MeasureError(f"an MSU of {self.largest} variables is not possible.", where="largest")

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Rows of either file whose MSU, variables and values, is an MSU of the other file."""
        del rng
        people = unique_sets(case.people, case.scenario.variables, self.largest)
        synthetic = unique_sets(case.synthetic, case.scenario.variables, self.largest)
        in_people, in_synthetic = _common(people, synthetic)
        return {
            "MSU_overlap": _share(
                "MSU_overlap",
                len(np.unique(synthetic.rows[in_synthetic])),
                len(np.unique(synthetic.rows)),
                "No synthetic row has a minimal sample unique.",
                largest=self.largest,
            ),
            "MSU_overlap_recall": _share(
                "MSU_overlap_recall",
                len(np.unique(people.rows[in_people])),
                len(np.unique(people.rows)),
                "Nobody has a minimal sample unique.",
            ),
        }


def _share(name: str, numerator: int, denominator: int, undefined: str, **details: Any) -> Estimate:
    return ratio(
        name,
        numerator,
        denominator,
        undefined=undefined,
        n=denominator,
        interval=wilson(numerator, denominator),
        details=details,
    )


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
