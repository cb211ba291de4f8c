"""δ-presence: does the release tell whether a person was in the data (Nergiz, Atzori and Clifton 2007)?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.measures.case import Case
from divulge.measures.counting.classes import NO_PEOPLE, Classes, classes_of, of_people
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean
from divulge.settings import Range

_SOURCE = "Nergiz, Atzori and Clifton 2007"


@dataclass(frozen=True)
class Presence(Family):
    """The intruder knows everybody's keys (people and holdout) and how many were in the data, and counts released rows.

    With s released rows of a class, scaled to as many rows as the data had, and F people with its keys, the intruder
    believes that each of them was in the data with probability min(1, s/F).
    """

    delta: Annotated[float, "A belief above this counts as presence told.", Range(above=0, most=1)] = 0.9

    name: ClassVar[str] = "presence"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("presence", "How probable the release makes it that a person was in the data.", _SOURCE),
        Measure("presence_above", "People whom the release makes to have been in the data with more than δ.", _SOURCE),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The belief about everybody; nothing here is random."""
        del rng
        classes = classes_of(case)
        known = everybody(case, classes)
        n_in = case.population[0].n_rows
        n_all = sum(t.n_rows for t in case.population)
        scale = n_in / max(classes.cells.n_synthetic, 1)
        belief = np.minimum(1.0, np.divide(classes.rows * scale, known, out=np.zeros(len(known)), where=known > 0))
        people = classes.people
        alone = () if len(case.population) > 1 else ("Without a holdout everybody known was in the data.",)
        return {
            "presence": mean(
                "presence",
                float(people @ belief),
                float(people @ belief**2),
                classes.cells.n_people,
                n_in / n_all if n_all else float("nan"),
                NO_PEOPLE,
                caveats=alone,
                scores=case.by_row(belief[classes.cells.group]) if case.with_scores else None,
            ),
            "presence_above": of_people("presence_above", case, classes, belief > self.delta + 1e-12, delta=self.delta),
        }


def everybody(case: Case, classes: Classes) -> np.ndarray:
    """How many of all known people have the keys of each class."""
    if len(case.population) == 1:
        return classes.people.astype(np.float64)
    cells = classes.cells
    keys = cells.codes[cells.starts[:-1]] // cells.width
    known = np.zeros(len(keys))
    for table in case.population:
        codes = case.counts.key_codes(table)
        place = np.minimum(np.searchsorted(keys, codes), max(len(keys) - 1, 0))
        if len(keys):
            known += np.bincount(place[keys[place] == codes], minlength=len(keys))
    return known
