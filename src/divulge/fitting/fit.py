"""The numbers of people nearest to what is granted that give the released figures.

Of all populations with these counts the one that says least beside them: numbers are scaled group by group until every
count is right (iterative proportional fitting, Deming & Stephan 1940; the nearest in information, Csiszár 1975). A
count that is known within bounds is scaled no further than to the nearer bound, and what was scaled before is undone
first (Dykstra 1985). Numbers are expected ones: they need not be whole. Nothing is drawn, and where the scaling starts
does not show in the end, as long as it starts from numbers that were scaled in the same groups.

Figures that are no counts (models) scale the numbers in turn with the groups (`models.py`). Sums of a model say little
of how the predictors are distributed, so beside one the granted marginals are kept to as well: within what drawing so
many people from them gives, as row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.fitting.combinations import Combinations
from divulge.fitting.counts import Counted, Rest, are_counts, groups_of, rests_of
from divulge.fitting.models import Modelled, Scaled, Sought, unscaled
from divulge.fitting.narrowing import Axes, narrow
from divulge.kernels.arrays import Floats
from divulge.objective import Target
from divulge.outputs import Released
from divulge.scenario import Knowledge
from divulge.table import Schema, Table

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

    These are one entry a grouping, and the last is of everybody. scaled: the same of each model.
    """

    values: Floats
    factors: tuple[Floats, ...]
    counts: tuple[Floats, ...]
    scaled: tuple[Scaled, ...] = ()


@dataclass(frozen=True, eq=False)
class Fitting:
    """What is scaled: the possible combinations. groups: those that outputs count, everybody, then who is left out,
    then granted marginals; models: outputs that are no counts."""

    space: Combinations
    groups: tuple[Counted, ...]
    models: tuple[Modelled, ...]
    knowledge: Knowledge

    @classmethod
    def of(cls, schema: Schema, targets: Sequence[Target], knowledge: Knowledge) -> Fitting:
        """targets: outputs that are counts or models, all of them."""
        space = Combinations(schema)
        counts = [are_counts(t.output, t.released, schema) for t in targets]
        found = [one for i, t in enumerate(targets) if counts[i] for one in groups_of(i, t.output, t.released, space)]
        models = tuple(Modelled.of(i, t.output, space) for i, t in enumerate(targets) if not counts[i])
        everybody = space.grouping({}, np.zeros(1, dtype=np.int32), 1)
        groups = [*found, Counted(-1, everybody, Axes((), (), 0))]
        known = [name for name in knowledge.known if name in schema] if models else []
        marginals = [Counted(-3, space.grouping_by([name]), None, marginal=name) for name in known]
        return cls(space, (*groups, *rests_of(groups, space), *marginals), models, knowledge)

    def start(self, n_people: int) -> Fitted:
        """What is granted, before any figure is known."""
        values = self.space.expected(self.knowledge.marginals, n_people)
        factors = tuple(np.ones(one.grouping.n_groups) for one in self.groups)
        return Fitted(values, factors, (), tuple(model.nothing for model in self.models))

    def fit(self, start: Fitted, released: Sequence[Released], n_people: int, near: float = 0.0) -> Fitted:
        """Numbers that give these figures. start: scaled in the same groups. near: standard errors that will do."""
        bounds = self._bounds(released, n_people)
        pairs = zip(self.groups, bounds, strict=True)
        sought = [_sought(*b, released[one.number].values) if one.number >= 0 else b for one, b in pairs]
        values = start.values.copy()
        unscaled(values, self.models, start.scaled)
        models = [self._sought(model, released, n_people) for model in self.models]
        scaled = []
        for model, before in zip(models, start.scaled, strict=True):
            scaled.append(model.begin(before, model.of.grouping.totals(values)))
            model.of.grouping.scale(values, scaled[-1].ratios)
        state = Fitted(values, tuple(f.copy() for f in start.factors), (), tuple(scaled))
        found, is_right = self._scaled(state, sought, models, near)
        # A few counts may be rounded so that only the ends of what that leaves open fit together.
        return found if is_right else self._scaled(found, bounds, models, near)[0]

    def _sought(self, model: Modelled, released: Sequence[Released], n_people: int) -> Sought:
        return model.sought(released[model.number], self.knowledge.marginals, self.knowledge.known, n_people)

    def _scaled(
        self, state: Fitted, bounds: Sequence[_Bounds], models: Sequence[Sought], near: float
    ) -> tuple[Fitted, bool]:
        """The same numbers, scaled in place until every figure is within its bounds; whether all are."""
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
            state, furthest = self._modelled(state, models, near)
            worst = max(worst, furthest)
            if worst <= 1:
                break
        return replace(state, counts=tuple(counts)), worst <= 1

    def _modelled(self, state: Fitted, models: Sequence[Sought], near: float) -> tuple[Fitted, float]:
        """The numbers scaled by each model in turn, and how far figures were off, in what may be."""
        scaled, worst = list(state.scaled), 0.0
        for k, sought in enumerate(models):
            grouping = sought.of.grouping
            now, off = sought.scale(grouping.totals(state.values), scaled[k], near)
            worst = max(worst, off)
            if now is not scaled[k]:
                grouping.scale(state.values, scaled[k].moved(now))
                scaled[k] = now
        return replace(state, scaled=tuple(scaled)), worst

    def model_figures(self, fitted: Fitted, model: Modelled) -> Floats:
        """What a model says of these numbers."""
        return model.figures(model.grouping.totals(fitted.values))

    def leverages(self, released: Sequence[Released], table: Table) -> list[Floats]:
        """How far one person of each row of a table decides the figures of each model."""
        found = []
        for model in self.models:
            group = self.space.groups_of_rows(model.grouping, table)
            people = table.tally(group, model.grouping.n_groups).astype(np.float64)
            sought = self._sought(model, released, table.n_people)
            found.append(sought.leverage(people)[group])
        return found

    def _bounds(self, released: Sequence[Released], n_people: int) -> list[_Bounds]:
        """The bounds of each group's counts, by all tables together."""
        everybody = np.array([float(n_people)])
        whole = [one.whole() for one in released]
        given = [one for one in self.groups if one.rest is None and one.marginal is None]
        found = [whole[one.number] if one.number >= 0 else (everybody, everybody) for one in given]
        narrow([one.axes if one.where is None else None for one in given], found)
        found += [self._rest(one.rest, found) for one in self.groups if one.rest is not None]
        return [*found, *(self._marginal(one.marginal, n_people) for one in self.groups if one.marginal is not None)]

    def _marginal(self, name: str, n_people: int) -> _Bounds:
        """How many people may have each value, as `objective.py` has it: two standard deviations of drawing them."""
        share = np.asarray(self.knowledge.marginals[name], dtype=float)
        half = np.maximum(0.5, 2.0 * np.sqrt(n_people * share * (1 - share)))
        return np.maximum(n_people * share - half, 0.0), n_people * share + half

    def _rest(self, rest: Rest, bounds: Sequence[_Bounds]) -> _Bounds:
        """How many people a condition leaves out: everybody less those whom it selects."""
        least, most = [], []
        for a, b in rest.pairs:
            whole, part = self.groups[a].axes, self.groups[b].axes
            assert whole is not None, "paired where both are tables"
            assert part is not None, "the same"
            low, high = (whole.summed(bound, rest.names).ravel() for bound in bounds[a])
            least.append(low - part.summed(bounds[b][1], rest.names).ravel())
            most.append(high - part.summed(bounds[b][0], rest.names).ravel())
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
