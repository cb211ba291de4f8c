"""Group disclosure of tables and its relatives on microdata (Kolb, Tang and Giessing 2024).

Both are precisions: of what the synthetic data seem to disclose, how much is true. Recall is given beside, since
a file that discloses one group only, truly, has a precision of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.cell_sums import CellSums
from divulge.measures.case import Case
from divulge.measures.counting.cells import Cells
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range

_KOLB = "Kolb et al. 2024"


@dataclass(frozen=True)
class GroupDisclosure(Family):
    """TCAP ratio and group disclosure."""

    naive: Annotated[
        float, "Target values at least this frequent are no disclosure but a guess.", Range(above=0, most=1)
    ] = 0.90

    name: ClassVar[str] = "group_disclosure"
    is_default: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = False
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
            "TCAP_ratio": share(
                "TCAP_ratio",
                plain.keys_certain_both,
                plain.keys_certain_synthetic,
                "No key combination of the synthetic data determines the target.",
            ),
            "group_disclosure": share(
                "group_disclosure",
                both,
                synthetic,
                "No cell of the synthetic tables is disclosive.",
                details={"naive": self.naive, "tables": rows},
            ),
            "group_disclosure_recall": share(
                "group_disclosure_recall", both, people, "No cell of the original tables is disclosive."
            ),
        }

    def _disclosive(self, case: Case, cells: Cells) -> CellSums:
        frequent = cells.d_target >= self.naive * max(cells.n_people, 1)
        kept = ~frequent[cells.target]
        also = case.exclusions.kept(cells, case.people.schema, case.scenario.target)
        return cells.sums(kept & also if also.size else kept)
