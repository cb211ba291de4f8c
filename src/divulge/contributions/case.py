"""An output beside the rows behind it: how many people or firms a group has, and how much each of them contributes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.largest import largest_by_group
from divulge.outputs import Output, Released
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.rows import row_weights
from divulge.outputs.spreads import Spread
from divulge.outputs.stated import Stated
from divulge.table import Table
from divulge.table.coarsening import coarser_schema, coarser_table

Weighting = Literal["repeat", "total", "public"]
"""How survey weights enter a rule on contributions (Handbook on SDC 2025, sampling weights).

repeat: a row with weight w stands for w contributors alike (τ-ARGUS, weights rounded). total: the estimated total
against contributions as they are. public: everybody knows the weights, so each contribution counts with its weight.
"""

N_LARGEST = 8
"""Contributions that are kept of each group; no rule in use looks at more."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """total: of each group. largest: (groups, N_LARGEST) of its contributors, falling, 0 where there are fewer.

    protected: the largest contribution of somebody who has not waived protection.
    """

    total: Floats
    largest: Floats
    protected: Floats

    @property
    def others(self) -> Floats:
        """The largest contributions beside the protected one (waived or not), in falling order."""
        is_first = self.protected == self.largest[:, 0]
        return np.where(is_first[:, None], self.largest[:, 1:], self.largest[:, :-1])


@dataclass(frozen=True, eq=False)
class Case:
    """An output with its figures as they would be printed, and the table that they come from.

    number: of the output in the submission. entity: the variable that says who is protected (a firm, a household);
    None: every row is one. holding: entities with the same value count as one. waiver: rows where it is not zero or
    missing have waived protection.
    """

    number: int
    output: Output
    released: Released
    table: Table
    entity: str | None = None
    holding: str | None = None
    waiver: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        return self.released.labels

    @cached_property
    def behind(self) -> tuple[Behind, ...]:
        return self.output.behind(self.table)

    def of(self, *what: str) -> list[Behind]:
        """The groups behind figures of these kinds."""
        return [b for b in self.behind if b.what in what]

    @cached_property
    def everybody(self) -> Mask:
        """Who stands behind any figure, and has a weight."""
        inside = np.zeros(self.table.n_rows, dtype=bool)
        for behind in self.behind:
            inside |= behind.group >= 0
        return np.asarray(inside & self._weighs)

    def weighted_apart(self, other: Case) -> Mask:
        """Who counts in either output, and not as many times more in this one as most people do."""
        one, two = (row_weights(case.output, self.table) for case in (self, other))
        both = self.everybody & other.everybody
        if not both.any():
            return both
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.nan_to_num(one / two, nan=1.0, posinf=0.0)
        usual = float(np.median(times[both]))
        return np.asarray(both & (np.abs(times - usual) > 1e-9 * usual))

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        """What the figures state of how far people lie apart."""
        return tuple(self.output.spreads(self.table, self.released))

    @cached_property
    def stated(self) -> tuple[Stated, ...]:
        """The sums that the figures state."""
        return tuple(self.output.stated(self.table, self.released))

    def of_amounts(self) -> list[Behind]:
        """The groups behind means, totals and concentrations of amounts; 0 and 1 are no amount but a count."""
        found = [*self.of("mean", "total", "concentration"), *self._sums_of_model]
        numbers = {b.variable: self.table.schema[b.variable].numbers for b in found if b.variable is not None}
        is_count = {name: bool(np.isin(n[np.isfinite(n)], (0.0, 1.0)).all()) for name, n in numbers.items()}
        return [b for b in found if b.variable is None or not is_count[b.variable]]

    @cached_property
    def _sums_of_model(self) -> list[Behind]:
        """The sums of the response that a linear model states by its normal equations: of all, and of each level."""
        stated = next(iter(self.stated), None)
        if stated is None or stated.link != "linear" or stated.about[0] != stated.about[1]:
            return []
        levels = [b for b in self.of("model", "term") if b.variable is None]
        return [replace(b, what="total", variable=stated.about[0]) for b in levels]

    @cached_property
    def _is_shown(self) -> Mask:
        # An estimate without end is a figure: it says that everybody of its level has the same response.
        return ~np.isnan(self.released.values)

    def shown(self, behind: Behind) -> Mask:
        """Which groups have their figure printed; those without a figure of their own are behind others: they count."""
        return np.where(behind.figures >= 0, self._is_shown[behind.figures], True).astype(bool)

    def leaves_open(self, behind: Behind, fewest: int) -> Mask:
        """Which groups have a count that was rounded or changed so much that nobody knows whether it is 0, or at least
        the fewest: what is printed for a small count is then printed for other counts too."""
        if behind.what != "count":
            return np.zeros(behind.n_groups, dtype=bool)
        low, high = (np.append(bound, np.nan)[behind.figures] for bound in self.released.whole())
        is_coarse = np.append(self.released.half, 0.0)[behind.figures] > 0.5
        return np.asarray(is_coarse & ((low <= 0) | (high >= fewest)), dtype=bool)

    def rows(self, behind: Behind) -> Integers:
        """How many people each group has; whoever has no weight adds nothing to it."""
        return self.table.tally(behind.group, behind.n_groups, (behind.group >= 0) & self._weighs)

    @cached_property
    def _weighs(self) -> Mask:
        return row_weights(self.output, self.table) != 0.0

    @cached_property
    def _unit(self) -> tuple[Integers, int] | None:
        """The number of the protected unit of each row, and how many there are; None: each row is one."""
        name = self.holding or self.entity
        if name is None:
            return None
        return self.table[name].astype(np.int64), self.table.schema[name].n_codes

    def units(self, behind: Behind) -> Integers:
        """How many different people (or firms, households) each group has."""
        if self._unit is None:
            return self.rows(behind)
        unit, n_units = self._unit
        inside = (behind.group >= 0) & self._weighs
        pairs = np.unique(behind.group[inside] * n_units + unit[inside])
        return np.bincount(pairs // n_units, minlength=behind.n_groups)

    def of_largest_weight(self, behind: Behind) -> Floats:
        """As how many people a group counts of whom each had the largest weight in it; all where there are none."""
        inside = behind.group >= 0
        weight = row_weights(self.output, self.table)[inside]
        times = 1 if self.table.people is None else self.table.people[inside]
        largest = largest_by_group(behind.group[inside], weight, behind.n_groups, 1)[:, 0]
        total = np.bincount(behind.group[inside], weight * times, minlength=behind.n_groups)
        return np.divide(total, largest, out=np.full(behind.n_groups, np.inf), where=largest > 0)

    def effective(self, behind: Behind) -> Floats:
        """As how many people alike each group counts by its weights: (Σ w)² / Σ w² (Kish 1965)."""
        inside = behind.group >= 0
        weight, times = row_weights(self.output, self.table)[inside], self.table.times[inside]
        total, squares = (
            np.bincount(behind.group[inside], times * weight**k, minlength=behind.n_groups) for k in (1, 2)
        )
        return np.divide(total**2, squares, out=np.zeros(behind.n_groups), where=squares > 0)

    def people(self, behind: Behind, groups: Mask) -> Mask:
        """The rows of the groups."""
        return np.concatenate([groups, [False]])[behind.group]

    def numbers(self, behind: Behind) -> Floats:
        """The value of each row's variable as the output takes it, with top and bottom codes; 0 where it is missing."""
        assert behind.variable is not None, "asked only of groups whose values are summed up"
        name, table = behind.variable, self.table
        if name in self.output.coarser:
            table = coarser_table(table, *coarser_schema(table.schema, {name: self.output.coarser[name]}))
        return np.nan_to_num(table.schema[name].numbers)[table[name]]

    def coded_apart(self, other: Case) -> Mask:
        """Whose number the two outputs take otherwise, since one has a top or bottom code that the other has not.

        Beyond the codes of both nothing differs but the codes themselves, which are printed.
        """
        apart = np.zeros(self.table.n_rows, dtype=bool)
        for name in {*self.output.coarser, *other.output.coarser}:
            if name not in self.output.own_variables() or name not in other.output.own_variables():
                continue
            (one, is_coded), (two, is_coded_too) = self._coded(name), other._coded(name)
            apart |= (one != two) & ~(is_coded & is_coded_too)
        return apart & self.everybody & other.everybody

    def _coded(self, name: str) -> tuple[Floats, Mask]:
        """The number of each row with the codes of the output, and where it is a code; 0 where nothing is a number."""
        variable, codes, step = self.table.schema[name], self.table[name], self.output.coarser.get(name)
        if variable.kind != "numeric" or (step is not None and (step.merge or step.bands)):
            return np.zeros(len(codes)), np.zeros(len(codes), dtype=bool)
        numbers = np.nan_to_num(variable.numbers)[codes]
        if step is None:
            return numbers, np.zeros(len(codes), dtype=bool)
        low = -np.inf if step.bottom is None else step.bottom
        high = np.inf if step.top is None else step.top
        is_known = np.isfinite(variable.numbers)[codes]
        coded = np.where(is_known, np.clip(numbers, low, high), numbers)
        return coded, is_known & ((coded == low) | (coded == high))

    def has_negative(self, behind: Behind) -> Mask:
        """Which groups have a value below zero."""
        rows = (behind.group >= 0) & (self.numbers(behind) < 0)
        return np.bincount(behind.group[rows], minlength=behind.n_groups) > 0

    def contributions(self, behind: Behind, weighting: Weighting = "total") -> Contributions:
        """Totals and largest contributions, summed by protected unit first; absolute values after that."""
        inside = behind.group >= 0
        group, value = behind.group[inside], self.numbers(behind)[inside]
        weight = row_weights(self.output, self.table)[inside]
        own = value * weight if weighting == "public" else value
        unit = None if self._unit is None else self._unit[0][inside]
        waived = self._waived[inside]
        if unit is not None:
            assert self._unit is not None, "units come with their number"
            pairs, pair = np.unique(group * self._unit[1] + unit, return_inverse=True)
            own = np.bincount(pair, own).astype(np.float64)
            value = np.bincount(pair, value * weight).astype(np.float64)
            waived = np.bincount(pair, waived) > 0
            group, weight = pairs // self._unit[1], np.ones(len(pairs))
        people = None if self.table.people is None else self.table.people[inside]
        total = np.bincount(
            group, np.abs(value * weight) * (1 if people is None else people), minlength=behind.n_groups
        )
        if people is not None:
            assert unit is None, "people are not condensed where there are units"
            times = np.minimum(people, N_LARGEST)
            group, own, waived = np.repeat(group, times), np.repeat(own, times), np.repeat(waived, times)
            weight = np.repeat(weight, times)
        if weighting == "repeat" and unit is None:
            times = np.minimum(np.round(weight).astype(np.int64), N_LARGEST)
            group, own, waived = np.repeat(group, times), np.repeat(own, times), np.repeat(waived, times)
        size = np.abs(own)
        largest = largest_by_group(group, size, behind.n_groups, N_LARGEST)
        if not waived.any():
            return Contributions(total.astype(np.float64), largest, largest[:, 0])
        protected = largest_by_group(np.where(waived, -1, group), size, behind.n_groups, 1)[:, 0]
        return Contributions(total.astype(np.float64), largest, protected)

    @cached_property
    def _waived(self) -> Mask:
        if self.waiver is None:
            return np.zeros(self.table.n_rows, dtype=bool)
        return np.nan_to_num(self.table.schema[self.waiver].numbers)[self.table[self.waiver]] != 0
