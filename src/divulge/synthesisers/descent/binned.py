"""Rows that start from released quantiles of groups: as many of each group below and above them as they say.

The figures are counts of rows in bins of a variable, group by group. Far from these counts most of a search would go
to moving rows from one bin to another.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Integers
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Term
from divulge.table import Schema

_MOST_CELLS = 4_000_000
"""Combinations of codes of a variable and its groups, at most: some hundredths of a second."""


def settle_bins(objective: Objective, codes: Codes, fixed: set[str], rng: np.random.Generator) -> None:
    """Move rows between bins until figures that count rows in bins are as printed.

    fixed: variables that are as they should be. Rows stay in their group where they can.
    """
    done = set(fixed)
    for output in objective.lowered[: objective.n_lowered_targets]:
        if output.nearest is None:
            continue
        weight = output.blocks[0].weight
        named = set(() if weight is None else weight.variables)
        for term in output.blocks[0].terms:
            name, by = term.variables[-1], set(term.variables[:-1])
            if name in done | named or len(term.index) > _MOST_CELLS:
                continue
            bins = _Bins(objective, term, weight, codes)
            now = np.bincount(bins.of_row[bins.of_row >= 0], minlength=output.n_totals)
            wanted = output.nearest(now.astype(float)).astype(np.int64)
            # Whoever joins another group stays among those who count.
            bins.move(now, wanted, rng, between_groups=not by & done and (named <= by or not named & by))
            done |= {name, *by}


class _Bins:
    """The bins of one term, of the rows that count. of_row: the bin of each row (−1: none); group: of each bin."""

    def __init__(self, objective: Objective, term: Term, weight: Term | None, codes: Codes) -> None:
        schema = objective.schema
        self.codes, self.term, self.index = codes, term, term.index.astype(np.int64)
        self.places = [schema.position(name) for name in term.variables]
        self.share = np.asarray(objective.marginals[term.variables[-1]])
        self.of_row = _columns_of(term, schema, codes)
        if weight is not None:
            self.of_row[_columns_of(weight, schema, codes) < 0] = -1
        self.width = schema[term.variables[-1]].n_values
        used = np.flatnonzero(self.index >= 0)
        self.group = np.full(int(self.index.max(initial=-1)) + 1, -1)
        self.group[self.index[used]] = used // self.width

    def move(self, now: Integers, wanted: Integers, rng: np.random.Generator, between_groups: bool) -> None:
        """Give the rows of bins that have too many to those of the same group that have too few, then to others."""
        free: dict[int, list[int]] = {}
        for group, rows in self._too_many(now, wanted, rng):
            free.setdefault(group, []).extend(rows)
        lacking = np.flatnonzero((wanted > now)[: len(self.group)] & (self.group >= 0))
        left: list[tuple[int, int]] = []
        for one in lacking.tolist():
            own = free.get(int(self.group[one]), [])
            n = int(wanted[one] - now[one])
            taken = [own.pop() for _ in range(min(n, len(own)))]
            self._put(taken, one, rng)
            left.append((one, n - len(taken)))
        others = [row for rows in free.values() for row in rows]
        for one, n in left if between_groups else []:
            self._put([others.pop() for _ in range(min(n, len(others)))], one, rng)

    def _too_many(self, now: Integers, wanted: Integers, rng: np.random.Generator) -> list[tuple[int, list[int]]]:
        order = rng.permutation(np.flatnonzero(self.of_row >= 0))
        order = order[np.argsort(self.of_row[order], kind="stable")]
        first = np.searchsorted(self.of_row[order], np.arange(len(self.group)))
        over = np.flatnonzero((now > wanted)[: len(self.group)])
        return [(int(self.group[b]), order[first[b] : first[b] + now[b] - wanted[b]].tolist()) for b in over]

    def _put(self, rows: list[int], one: int, rng: np.random.Generator) -> None:
        """Give rows the group of a bin, and values of it as likely as in all."""
        group = int(self.group[one])
        values = np.flatnonzero(self.index[group * self.width : (group + 1) * self.width] == one)
        if not rows or not len(values):
            return
        chance = self.share[values] + 1e-12  # somebody is there, whatever the marginals say
        for place, code in zip(self.places, self._levels(group), strict=False):
            self.codes[rows, place] = code
        self.codes[rows, self.places[-1]] = rng.choice(values, size=len(rows), p=chance / chance.sum())
        self.of_row[rows] = one

    def _levels(self, group: int) -> list[int]:
        """The codes that make a group: the first with its part of the cell."""
        found, rest = [], group * self.width
        for cells in self.term.cells[:-1]:
            steps = np.unique(cells[cells >= 0])
            part = int(steps[np.searchsorted(steps, rest, side="right") - 1])
            found.append(int(np.flatnonzero(cells == part)[0]))
            rest -= part
        return found


def _columns_of(term: Term, schema: Schema, codes: Codes) -> Integers:
    """The column that a term has for each row, −1: none."""
    parts = [c.astype(np.int64)[codes[:, schema.position(n)]] for n, c in zip(term.variables, term.cells, strict=True)]
    inside = np.all([part >= 0 for part in parts], axis=0)
    return np.where(inside, term.index.astype(np.int64)[np.where(inside, np.sum(parts, axis=0), 0)], -1)
