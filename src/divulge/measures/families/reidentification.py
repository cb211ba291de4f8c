"""Prosecutor, journalist and marketer: how likely a match on the keys is the right person (El Emam and Dankar 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.case import Case
from divulge.measures.counting.classes import NO_PEOPLE, NO_ROWS, Classes, classes_of, of_people
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.families.presence import everybody
from divulge.measures.figures import mean
from divulge.settings import Range

_SOURCE = "El Emam and Dankar 2008"


@dataclass(frozen=True)
class Reidentification(Family):
    """The prosecutor knows that a person is in the release and picks one of the rows with their keys. The journalist
    picks one of all known people (people and holdout) with the keys of a row; the marketer does so for every row.
    """

    threshold: Annotated[float, "A higher chance counts as high.", Range(above=0, below=1)] = 0.2

    name: ClassVar[str] = "reidentification"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "prosecutor", "The mean over people of 1 ÷ released rows with their keys; 0 if there are none.", _SOURCE
        ),
        Measure("prosecutor_highest", "The same for the person with the highest chance.", _SOURCE),
        Measure("prosecutor_above", "People for whom it is above the threshold.", _SOURCE),
        Measure(
            "journalist",
            "The mean over people with a released row of 1 ÷ known people with their keys.",
            _SOURCE,
            moves_with_size=True,
        ),
        Measure("journalist_above", "People with a released row for whom it is above the threshold.", _SOURCE),
        Measure(
            "marketer",
            "The mean over released rows of 1 ÷ known people with their keys; 0 if there are none.",
            _SOURCE,
            of="synthetic",
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Chances by class; nothing here is random."""
        del rng
        classes = classes_of(case)
        rows, found = classes.rows, classes.found
        known = everybody(case, classes)
        own = np.divide(1.0, rows, out=np.zeros(len(rows)), where=found)
        theirs = np.divide(1.0, known, out=np.zeros(len(rows)), where=known > 0)
        of_row = float(rows @ theirs)
        reached = own[found & (classes.people > 0)]
        undefined = "Nobody has the keys of any released row."
        return {
            "prosecutor": _mean("prosecutor", case, classes, own, classes.cells.n_people, NO_PEOPLE),
            "prosecutor_highest": Estimate("prosecutor_highest", float(reached.max()), n=len(reached))
            if len(reached)
            else Estimate("prosecutor_highest", float("nan"), caveats=(undefined,)),
            "prosecutor_above": of_people(
                "prosecutor_above", case, classes, own > self.threshold + 1e-12, threshold=self.threshold
            ),
            "journalist": _mean(
                "journalist", case, classes, np.where(found, theirs, 0.0), int(classes.people[found].sum()), undefined
            ),
            "journalist_above": of_people(
                "journalist_above", case, classes, theirs > self.threshold + 1e-12, threshold=self.threshold
            ),
            "marketer": ratio("marketer", of_row, classes.cells.n_synthetic, undefined=NO_ROWS),
        }


def _mean(name: str, case: Case, classes: Classes, of_class: Floats, n: int, undefined: str) -> Estimate:
    people = classes.people
    total, squares = float(people @ of_class), float(people @ of_class**2)
    base = 1 / max(classes.cells.n_synthetic, 1)
    scores = case.by_row(of_class[classes.cells.group]) if case.with_scores else None
    return mean(name, total, squares, n, base, undefined, scores=scores)
