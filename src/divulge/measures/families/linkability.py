"""Linkability: do synthetic rows bring two sources about the same person together (Giomi et al. 2023)?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import unknown_variable
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range


@dataclass(frozen=True)
class Linkability(Family):
    """One source has some of the keys, another the rest. A person is linked where a synthetic row is among the nearest
    of both. Of equally near rows any may be found, as in anonymeter.
    """

    first: Annotated[
        tuple[str, ...] | None,
        "The keys of the first source; absent: the first half of the keys. The second has the rest.",
    ] = None
    neighbours: Annotated[int, "How many nearest rows of either source are looked at.", Range(least=1)] = 1
    most: Annotated[int, "More people than this are sampled.", Range(least=1)] = 50_000

    name: ClassVar[str] = "linkability"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "linkability",
            "People whose two halves have a nearest synthetic row in common.",
            "Giomi et al. 2023 (anonymeter)",
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Two searches for nearest rows; the generator samples people."""
        keys = case.scenario.keys
        for name in self.first or ():
            if name not in keys:
                raise unknown_variable(name, keys, where="linkability.first")
        first = self.first or keys[: len(keys) // 2]
        second = tuple(k for k in keys if k not in first)
        n_rows, k = case.synthetic.n_rows, min(self.neighbours, case.synthetic.n_rows)
        if not first or not second or not n_rows or not case.people.n_rows:
            why = "It needs two keys, people and synthetic rows."
            return {"linkability": Estimate("linkability", math.nan, caveats=(why,))}
        rows = np.sort(rng.permutation(case.people.n_rows)[: self.most])
        people = case.people.take(rows)
        found = [nearest(points(case.synthetic, side), points(people, side), k)[1] for side in (first, second)]
        linked = (found[0][:, :, None] == found[1][:, None, :]).any(axis=(1, 2))
        # Two random sets of k among n rows have one in common.
        base = 1 - math.exp(_log_choose(n_rows - k, k) - _log_choose(n_rows, k)) if n_rows >= 2 * k else 1.0
        return {
            "linkability": share(
                "linkability",
                int(linked.sum()),
                len(rows),
                "There are no people.",
                baseline=base,
                details={"first": list(first), "second": list(second), "neighbours": k},
            )
        }


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
