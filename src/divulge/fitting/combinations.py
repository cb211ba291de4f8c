"""Every possible combination of the values of some variables, each with a place, and groups of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Integers32
from divulge.kernels.fitting import add_by_group, scale_by_group
from divulge.table import Schema, Table

LARGEST = 1 << 24
"""Possible combinations up to which numbers are expected for each: an assessment of as many took 3 GB."""

_INNER = 4096
"""Inner combinations at most: their cells stay in the nearest memory of a processor."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of combinations: the cell of one is outer + inner, and group[cell] its group (kernels/fitting.py)."""

    outer: Integers
    inner: Integers
    group: Integers32
    n_groups: int

    @cached_property
    def figures(self) -> Integers32:
        """The groups that there are, by number."""
        return np.unique(self.group[self.group >= 0])

    def totals(self, values: Floats) -> Floats:
        """The sum of each group."""
        found = np.zeros(self.n_groups)
        add_by_group(values, self.outer, self.inner, self.group, found)
        return found

    def scale(self, values: Floats, ratios: Floats) -> None:
        """Multiply each group in place."""
        scale_by_group(values, self.outer, self.inner, self.group, ratios)


@dataclass(frozen=True)
class Combinations:
    """The possible combinations of some variables, row-major (the last variable fastest)."""

    schema: Schema

    @property
    def cards(self) -> tuple[int, ...]:
        return tuple(variable.n_codes for variable in self.schema)

    @property
    def size(self) -> int:
        return prod(self.cards)

    @property
    def steps(self) -> dict[str, int]:
        """How far apart two combinations are that differ by one in a variable's code."""
        found, step = {}, 1
        for variable in reversed(list(self.schema)):
            found[variable.name] = step
            step *= variable.n_codes
        return found

    def grouping(self, cells: Mapping[str, Integers], group: Integers32, n_groups: int) -> Grouping:
        """Groups by a cell that is a sum over variables: cells[name][code]. A variable that is not named adds 0."""
        names, split, size = self.schema.names, len(self.cards), 1
        while split and size * self.cards[split - 1] <= _INNER:
            split -= 1
            size *= self.cards[split]
        parts = [np.asarray(cells.get(n, np.zeros(c)), np.int64) for n, c in zip(names, self.cards, strict=True)]
        return Grouping(_summed(parts[:split]), _summed(parts[split:]), group, n_groups)

    def groups_of_rows(self, grouping: Grouping, table: Table) -> Integers:
        """The group of each row of a table of these variables; −1: none."""
        place = np.zeros(table.n_rows, dtype=np.int64)
        for name, step in self.steps.items():
            place += table[name].astype(np.int64) * step
        outer, inner = np.divmod(place, len(grouping.inner))
        cell = grouping.outer[outer] + grouping.inner[inner]
        return np.where(cell >= 0, grouping.group[np.maximum(cell, 0)], -1).astype(np.int64)

    def grouping_by(self, names: Sequence[str]) -> Grouping:
        """Groups by the combinations of some of the variables, the last of them fastest."""
        own = Combinations(self.schema.select(names))
        cells = {name: np.arange(own.schema[name].n_codes) * step for name, step in own.steps.items()}
        return self.grouping(cells, np.arange(own.size, dtype=np.int32), own.size)

    def expected(self, marginals: Mapping[str, Floats], n_people: int) -> Floats:
        """How many people there are of each where nothing ties the variables together."""
        values = np.array([float(n_people)])
        for name in self.schema.names:
            values = np.multiply.outer(values, marginals[name]).ravel()
        return values

    def projected(self, values: Floats, names: Sequence[str]) -> tuple[Combinations, Floats]:
        """The combinations of some of the variables, in the order asked for, and how many people of each there are."""
        own = Combinations(self.schema.select(names))
        if len(names) == len(self.schema):
            order = [self.schema.position(name) for name in names]
            return own, values.reshape(self.cards).transpose(order).ravel()
        return own, self.grouping_by(names).totals(values)

    def drawn(self, values: Floats, rng: np.random.Generator) -> Table:
        """Whole people: every number rounded up or down at random, so that it is right in the mean."""
        return self._table((values + rng.random(len(values))).astype(np.int64))

    def rounded(self, values: Floats, rng: np.random.Generator) -> Table:
        """The same with as many people in all as there should be, and off by less than one in every group by the
        first variables: sums are rounded, not numbers (systematic sampling, Madow & Madow 1944)."""
        up_to = np.floor(np.cumsum(values) + rng.random())
        return self._table(np.diff(up_to, prepend=0.0).astype(np.int64))

    def _table(self, people: Integers) -> Table:
        kept = np.flatnonzero(people)
        columns = tuple((kept // self.steps[v.name] % v.n_codes).astype(v.dtype) for v in self.schema)
        return Table(self.schema, columns, people[kept])


def _summed(parts: list[Integers]) -> Integers:
    """The sums of one number from each part, the last part fastest."""
    found = np.zeros(1, dtype=np.int64)
    for part in parts:
        found = np.add.outer(found, part).ravel()
    return found
