"""The numbers of people nearest to what is granted that give the released counts.

Of all populations with these counts the one that says least beside them: numbers are scaled group by group until every
count is right (iterative proportional fitting, Deming & Stephan 1940; the nearest in information, Csiszár 1975). A
count that is known within bounds is scaled no further than to the nearer bound, and what was scaled before is undone
first (Dykstra 1985). Numbers are expected ones: they need not be whole. Nothing is drawn, and where the scaling starts
does not show in the end, as long as it starts from numbers that were scaled in the same groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.fitting.combinations import Combinations
from divulge.fitting.counts import Counted, Rest, groups_of, rests_of
from divulge.fitting.narrowing import Axes, narrow, summed
from divulge.kernels.arrays import Floats
from divulge.objective import Target
from divulge.outputs import Released
from divulge.scenario import Knowledge
from divulge.table import Schema

NEAR = 0.05
"""Standard errors of a count, its square root, to which it is right in a part of the people, as `assess` has it for
estimates: a twentieth of what chance adds to it."""

ALMOST = 0.02
"""People by which a count may be off, where one person is to show: what one person adds to a sum of several counts is
then still seen."""

MOST_SWEEPS = 100
"""Times that all groups are scaled at most. Tables of real people take some tens; tables that contradict each other
would go on for ever."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """Numbers of people of every combination. factors: by what each group was scaled; counts: what each group has.

    These are one entry a grouping, and the last is of everybody.
    """

    values: Floats
    factors: tuple[Floats, ...]
    counts: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Fitting:
    """What is scaled: the possible combinations. groups: those that outputs count, everybody, then who is left out."""

    space: Combinations
    groups: tuple[Counted, ...]

    @classmethod
    def of(cls, schema: Schema, targets: Sequence[Target]) -> Fitting:
        """targets: outputs that are counts, all of them."""
        space = Combinations(schema)
        found = [one for i, t in enumerate(targets) for one in groups_of(i, t.output, t.released, space)]
        everybody = space.grouping({}, np.zeros(1, dtype=np.int32), 1)
        groups = [*found, Counted(-1, everybody, Axes((), (), 0))]
        return cls(space, (*groups, *rests_of(groups, space)))

    def start(self, knowledge: Knowledge, n_people: int) -> Fitted:
        """What is granted, before any count is known."""
        values = self.space.expected(knowledge.marginals, n_people)
        factors = tuple(np.ones(one.grouping.n_groups) for one in self.groups)
        return Fitted(values, factors, ())

    def fit(self, start: Fitted, released: Sequence[Released], n_people: int, near: float = 0.0) -> Fitted:
        """Numbers that give these counts. start: scaled in the same groups. near: standard errors that will do."""
        bounds = self._bounds(released, n_people)
        pairs = zip(self.groups, bounds, strict=True)
        sought = [_sought(*b, released[one.number].values) if one.number >= 0 else b for one, b in pairs]
        state = Fitted(start.values.copy(), tuple(f.copy() for f in start.factors), ())
        found, is_right = self._scaled(state, sought, near)
        # A few counts may be rounded so that only the ends of what that leaves open fit together.
        return found if is_right else self._scaled(found, bounds, near)[0]

    def _scaled(self, state: Fitted, bounds: Sequence[_Bounds], near: float) -> tuple[Fitted, bool]:
        """The same numbers, scaled in place until every count is within its bounds; whether all are."""
        slack = [np.maximum(ALMOST, near * np.sqrt(np.where(np.isfinite(high), high, 0.0))) for _, high in bounds]
        counts: list[Floats] = []
        worst = np.inf
        for _ in range(MOST_SWEEPS):
            counts, worst = [], 0.0
            for k, one in enumerate(self.groups):
                found, own, (low, high) = one.grouping.totals(state.values), one.grouping.figures, bounds[k]
                counts.append(found)
                off = np.maximum(low - found, found - high)[own] / slack[k][own]
                worst = max(worst, float(off.max(initial=0.0)))
                ratios = _ratios(found, low, high, state.factors[k])
                if (ratios != 1).any():
                    one.grouping.scale(state.values, ratios)
                    state.factors[k][:] *= ratios
            if worst <= 1:
                break
        return replace(state, counts=tuple(counts)), worst <= 1

    def _bounds(self, released: Sequence[Released], n_people: int) -> list[_Bounds]:
        """Of each group, between what its counts are, by all tables together."""
        everybody = np.array([float(n_people)])
        whole = [one.whole() for one in released]
        given = [one for one in self.groups if one.rest is None]
        found = [whole[one.number] if one.number >= 0 else (everybody, everybody) for one in given]
        narrow([one.axes if one.where is None else None for one in given], found)
        return [*found, *(self._rest(one.rest, found) for one in self.groups if one.rest is not None)]

    def _rest(self, rest: Rest, bounds: Sequence[_Bounds]) -> _Bounds:
        """How many people a condition leaves out: everybody less those whom it selects."""
        least, most = [], []
        for a, b in rest.pairs:
            whole, part = self.groups[a].axes, self.groups[b].axes
            assert whole is not None, "paired where both are tables"
            assert part is not None, "the same"
            low, high = (summed(whole, bound, rest.names).ravel() for bound in bounds[a])
            least.append(low - summed(part, bounds[b][1], rest.names).ravel())
            most.append(high - summed(part, bounds[b][0], rest.names).ravel())
        low = np.maximum(np.max(least, axis=0), 0.0)
        return low, np.maximum(np.min(most, axis=0), low)

    def figures(self, fitted: Fitted, number: int, released: Released) -> Floats:
        """The figures of an output, as these numbers give them; NaN for those that follow from others."""
        found = np.full(len(released.labels), np.nan)
        for one, counts in zip(self.groups, fitted.counts, strict=True):
            if one.number == number:
                found[one.grouping.figures] = counts[one.grouping.figures]
        return found


_Bounds = tuple[Floats, Floats]
"""The least and the greatest that each count may be."""


def _sought(low: Floats, high: Floats, printed: Floats) -> _Bounds:
    """Between what each count is sought first: exactly where it is known; in the middle half of what its rounding
    leaves open, for it is most likely near what is printed, and sums need some room; anywhere below the threshold."""
    given = np.isfinite(printed) & (low < high) & (low <= printed) & (printed <= high)
    return np.where(given, (low + printed) / 2, low), np.where(given, (high + printed) / 2, high)


def _ratios(found: Floats, low: Floats, high: Floats, factors: Floats) -> Floats:
    """By what each group is scaled: to the nearer bound of what it would be without the scaling of before."""
    with np.errstate(divide="ignore", invalid="ignore"):
        undone = found / factors
        ratios = np.clip(undone, low, high) / found
    # A group without anybody stays as it is: nothing can be scaled up from nothing.
    return np.where((found > 0) & (factors > 0), ratios, 1.0)
