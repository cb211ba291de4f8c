"""One count of (keys, target) over people and synthetic rows. All measures that count follow from it.

A cell is a key combination q with a target value t that some row has; d_tq and s_tq are its counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels import cell_sums, counting
from divulge.kernels.arrays import Integers, Integers32, Mask
from divulge.kernels.cell_sums import CellSums
from divulge.scenario.coding import KeyCoding
from divulge.table import Schema, Table

NONE_EXCLUDED: Mask = np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct cell codes of one table, ascending, with their counts."""

    codes: Integers
    counts: Integers32
    n_rows: int


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of two tables side by side, ordered by key combination, then by target code.

    codes: key combination × width + target code. d, s: counts of people and of synthetic rows.
    """

    keys: tuple[str, ...]
    coding: KeyCoding
    width: int
    codes: Integers
    d: Integers32
    s: Integers32
    n_people: int
    n_synthetic: int

    @cached_property
    def starts(self) -> Integers:
        """Where each key combination begins; the last entry is the number of cells."""
        return counting.group_starts(self.codes, self.width)

    @cached_property
    def group(self) -> Integers:
        """For every cell, the place of its key combination (0, 1, …)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def target(self) -> Integers:
        """For every cell, its target code."""
        return self.codes % self.width

    @cached_property
    def levels(self) -> dict[str, Integers]:
        """For every key, its code in each key combination."""
        columns = self.coding.decode(self.codes[self.starts[:-1]] // self.width)
        return dict(zip(self.keys, columns, strict=True))

    def levels_at(self, places: Integers) -> dict[str, Integers]:
        """For every key, its code in some of the cells."""
        return dict(zip(self.keys, self.coding.decode(self.codes[places] // self.width), strict=True))

    @cached_property
    def d_target(self) -> Integers:
        """How many people have each target code."""
        slots = np.arange(self.width, dtype=np.int32)
        totals = np.zeros((1, self.width), dtype=np.int64)
        none = np.zeros(1, dtype=np.int32)
        counting.add_pairs(self.codes, self.width, self.d, 1, none, slots, totals, np.zeros(1, dtype=np.int64))
        return totals[0]

    def pair_totals(self, key: str, levels: Integers, targets: Integers) -> tuple[Integers, Integers]:
        """How many people have each of some levels of a key with each of some targets, and each level at all.

        Levels and targets are given ascending. Nothing as large as the table of all levels and targets is made.
        """
        place = self.keys.index(key)
        pairs = np.zeros((len(levels), len(targets)), dtype=np.int64)
        totals = np.zeros(len(levels), dtype=np.int64)
        slots = [np.full(n, -1, dtype=np.int32) for n in (self.coding.cards[place], self.width)]
        slots[0][levels], slots[1][targets] = np.arange(len(levels)), np.arange(len(targets))
        unit = self.coding.unit(place)
        if unit is not None:
            counting.add_pairs(self.codes, self.width, self.d, unit * self.width, *slots, pairs, totals)
        else:
            codes = self.levels[key][self.group] * self.width + self.target
            counting.add_pairs(codes, self.width, self.d, self.width, *slots, pairs, totals)
        return pairs, totals

    @cached_property
    def of_key(self) -> tuple[Integers, Integers, Integers, Integers]:
        """For every cell, of its key combination: d_q, s_q, the largest d_tq and the largest s_tq."""
        if not len(self.codes):
            return (np.zeros(0, dtype=np.int64),) * 4
        starts, group = self.starts[:-1], self.group
        sums = [np.add.reduceat(c, starts, dtype=np.int64)[group] for c in (self.d, self.s)]
        most = [np.maximum.reduceat(c, starts).astype(np.int64)[group] for c in (self.d, self.s)]
        return sums[0], sums[1], most[0], most[1]

    def disclosed(self, kept: Mask, limit: int) -> Integers:
        """The places of the cells that count for DiSCO."""
        return cell_sums.disclosed(self.codes, self.width, self.d, self.s, kept, limit)

    def sums(self, kept: Mask = NONE_EXCLUDED, limit: int = 0, tau: float = 1.0) -> CellSums:
        """The sums from which the measures are made; see kernels.counting.summarise."""
        return cell_sums.summarise(self.codes, self.width, self.d, self.s, kept, limit, tau)

    def subset(self, keys: Sequence[str]) -> Cells:
        """The cells over some of the keys; from cells, not rows, so that a sweep costs little more than a count."""
        places = [self.keys.index(k) for k in keys]
        columns = [self.levels[k] for k in keys]
        coding = KeyCoding.fit([columns], [self.coding.cards[p] for p in places], self.width)
        codes = coding.encode(columns)[self.group] * self.width + self.target
        codes, d, s = counting.regrouped(codes, self.d, self.s, coding.radix * self.width)
        return Cells(tuple(keys), coding, self.width, codes, d, s, self.n_people, self.n_synthetic)

    def places(self, codes: Integers) -> Integers:
        """For cell codes of rows that were counted, the cell of each row."""
        return np.searchsorted(self.codes, codes)


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts tables of one schema by the same keys, each table only once, whatever is asked of it how often."""

    schema: Schema
    keys: tuple[str, ...]
    coding: KeyCoding
    keeps_codes: bool
    _codes: dict[int, tuple[Table, Integers]] = field(default_factory=dict)
    _tallies: dict[tuple[int, str], tuple[Table, Tally]] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Sequence[Table], keys: Sequence[str], keeps_codes: bool = True) -> Counter:
        """A counter for these tables (and others whose key combinations all occur in them).

        keeps_codes: keep every row's key combination, 8 bytes a row, for further targets.
        """
        schema = tables[0].schema
        width = max((v.n_codes for v in schema), default=1)
        cards = [schema[k].n_codes for k in keys]
        coding = KeyCoding.fit([[t[k] for k in keys] for t in tables], cards, width)
        return cls(schema, tuple(keys), coding, keeps_codes)

    def key_codes(self, table: Table) -> Integers:
        """The key combination of every row."""
        # Tables have no hash; the reference kept beside the codes keeps an id from being used again.
        if id(table) in self._codes:
            return self._codes[id(table)][1]
        codes = self.coding.encode([table[k] for k in self.keys])
        if self.keeps_codes:
            self._codes[id(table)] = (table, codes)
        return codes

    def cell_codes(self, table: Table, target: str) -> Integers:
        """The cell of every row, as a fresh array."""
        codes, width = self.key_codes(table), self.schema[target].n_codes
        codes = codes * width if self.keeps_codes else np.multiply(codes, width, out=codes)
        codes += table[target]
        return codes

    def tally(self, table: Table, target: str) -> Tally:
        """The table's cells with their counts."""
        if (id(table), target) not in self._tallies:
            if table.n_people >= 2**31:
                raise MeasureError(
                    f"{table.n_people:,} rows are more than can be counted in memory.", hint="Use the duckdb engine."
                )
            radix = self.coding.radix * self.schema[target].n_codes
            if table.people is None:
                codes, counts = counting.distinct(self.cell_codes(table, target), radix)
            else:
                codes, people = self.cell_codes(table, target), table.people
                # Rows that are in the order of their cells, each once, are counted already.
                if not (codes[1:] > codes[:-1]).all():
                    codes, cell = np.unique(codes, return_inverse=True)
                    people = table.tally(cell, len(codes))
                counts = people.astype(np.int32)
            self._tallies[id(table), target] = (table, Tally(codes, counts, table.n_people))
        return self._tallies[id(table), target][1]

    def give(self, table: Table, target: str, tally: Tally) -> None:
        """Take a count from elsewhere; the table then only stands for it."""
        self._tallies[id(table), target] = (table, tally)

    def cells(self, people: Table, synthetic: Table, target: str) -> Cells:
        """People and synthetic rows counted side by side."""
        a, b = self.tally(people, target), self.tally(synthetic, target)
        codes, d, s = counting.merge(a.codes, a.counts, b.codes, b.counts)
        width = self.schema[target].n_codes
        return Cells(self.keys, self.coding, width, codes, d, s, a.n_rows, b.n_rows)
