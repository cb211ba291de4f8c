"""Membership inference with shadow generators: the intruder plays the generator on people of their own, learns what
gives members away, and looks for that in the file (Shokri et al. 2017; Stadler, Oprisanu and Troncoso 2022).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.comparators import COMPARATORS
from divulge.kernels.arrays import Floats
from divulge.measures.accused import accused, epsilon_measure
from divulge.measures.case import Case
from divulge.measures.counting.nearest import nearest, points, sampled
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.settings import Range
from divulge.table import Table

_SOURCE = "Shokri et al. 2017; Stadler, Oprisanu and Troncoso 2022"
_FEW = "It needs a holdout of at least 60 people: the intruder learns from one half, the other is attacked."
_FEWEST = 60
_Generator: Any = Literal[tuple(comparator.kind for comparator in COMPARATORS)]


@dataclass(frozen=True)
class Shadow(Family):
    """The intruder has people of the same kind: one half of the holdout. A third of them is given to a generator, and
    the distances from its rows are compared between those who were given to it and another third; the last third is
    the reference. What tells the two apart (Fisher 1936) is then asked of the file itself."""

    generator: Annotated[_Generator, "How the intruder believes that the file was made."] = "cart"
    shadows: Annotated[int, "How often the generator is played.", Range(least=1)] = 4
    most_shadow: Annotated[int, "More people than this are not given to the intruder.", Range(least=1)] = 6_000
    false_positives: Annotated[
        float, "At which share of false accusations the right ones are counted.", Range(above=0, below=1)
    ] = 0.01
    most: Annotated[int, "More people than this are sampled.", Range(least=1)] = 100_000

    name: ClassVar[str] = "shadow"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "shadow_AUC",
            "How often a person of the data scores higher than one who was not in, by what shadow generators taught; "
            "one half is chance.",
            _SOURCE,
            is_share=False,
        ),
        Measure(
            "shadow_TPR",
            "People accused rightly of being in the data where few are accused wrongly, by what shadow generators "
            "taught.",
            _SOURCE,
        ),
        epsilon_measure("shadow"),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Scores of people in and out; the generator halves the holdout and plays the shadows."""
        if case.holdout is None or case.holdout.n_rows < _FEWEST or not case.people.n_rows or not case.synthetic.n_rows:
            return {m.name: Estimate(m.name, math.nan, caveats=(_FEW,)) for m in self.measures}
        names = case.scenario.variables
        held = case.holdout.select(names)
        order = rng.permutation(held.n_rows)
        own, attacked = order[: held.n_rows // 2][: self.most_shadow], order[held.n_rows // 2 :]
        weights = self._learnt(held.take(own), rng)
        synthetic, reference = points(case.synthetic, names), points(held.take(own), names)
        people = sampled(points(case.people, names), self.most, rng)
        others = sampled(points(held.take(attacked), names), self.most, rng)
        inside, outside = (_features(rows, synthetic, reference) @ weights for rows in (people, others))
        return accused("shadow", inside, outside, self.false_positives, rng)

    def _learnt(self, own: Table, rng: np.random.Generator) -> Floats:
        """How much each feature speaks for having been in: the linear discriminant over all shadows (Fisher 1936)."""
        given, not_given = (np.concatenate(rows) for rows in zip(*self._played(own, rng), strict=True))
        within = np.cov(given, rowvar=False) + np.cov(not_given, rowvar=False)
        # A feature that never differs has no weight; the ridge is small beside any that does.
        ridge = 1e-6 * max(float(np.trace(within)), 1e-6) * np.eye(len(within))
        found: Floats = np.linalg.solve(within + ridge, given.mean(axis=0) - not_given.mean(axis=0))
        return found

    def _played(self, own: Table, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """The features of people who were given to a generator, and of people who were not, shadow by shadow."""
        make = next(c for c in COMPARATORS if c.kind == self.generator)()
        third = own.n_rows // 3
        for _ in range(self.shadows):
            order = rng.permutation(own.n_rows)
            inside, outside, rest = (own.take(order[i * third : (i + 1) * third]) for i in range(3))
            made, reference = (points(t, own.names) for t in (make.synthesise(inside, None, rng), rest))
            given, not_given = (points(part, own.names) for part in (inside, outside))
            yield _features(given, made, reference), _features(not_given, made, reference)


def _features(rows: Floats, synthetic: Floats, reference: Floats) -> Floats:
    """Of every row: how near the nearest synthetic row is and the nearest of the reference, and whether it is equal."""
    far = [nearest(among, rows)[0][:, 0] for among in (synthetic, reference)]
    # Half of the smallest distance that two rows can have stands for none.
    least = min((float(d[d > 0].min()) for d in far if (d > 0).any()), default=1.0) / 2
    return np.column_stack([*(np.log(d + least) for d in far), far[0] == 0])
