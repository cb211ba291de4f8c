"""k-anonymity and k-map: how many rows, and how many people, stand behind the smallest class of the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.measures.case import Case
from divulge.measures.counting.classes import classes_of, of_people, of_release
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range

_SAMARATI = "Samarati and Sweeney 1998"
_SWEENEY = "Sweeney 2002; El Emam and Dankar 2008"


@dataclass(frozen=True)
class KAnonymity(Family):
    """A class is all synthetic rows with one combination of the keys; missing is a level of its own."""

    k: Annotated[int, "Classes with fewer rows, or fewer people, are small.", Range(least=2)] = 5

    name: ClassVar[str] = "k_anonymity"
    needs_rows: ClassVar[bool] = False
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "k_anonymity",
            "How many rows the smallest class of the release has.",
            _SAMARATI,
            of="synthetic",
            is_share=False,
        ),
        Measure("k_below", "People whose keys a class of fewer than k released rows has.", _SAMARATI),
        Measure(
            "k_map",
            "How many people the class of the release with the fewest people has.",
            _SWEENEY,
            is_share=False,
            moves_with_size=True,
        ),
        Measure(
            "k_map_below",
            "People in the release whose keys fewer than k people have.",
            _SWEENEY,
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Count rows and people by class; nothing here is random."""
        del rng
        classes = classes_of(case)
        rows, people = classes.rows[classes.found], classes.people[classes.found]
        small = int((rows < self.k).sum())
        mapped = of_release("k_map", people[people > 0], least=True)
        if not mapped.is_defined:
            mapped = Estimate("k_map", float("nan"), caveats=("Nobody has the keys of any released row.",))
        return {
            "k_anonymity": of_release(
                "k_anonymity", rows, least=True, small_classes=small, unique_rows=int((rows == 1).sum())
            ),
            "k_below": of_people("k_below", case, classes, classes.rows < self.k, k=self.k),
            "k_map": mapped,
            "k_map_below": of_people("k_map_below", case, classes, classes.people < self.k, k=self.k),
        }
