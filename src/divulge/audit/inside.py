"""Insiders of a submission: what somebody behind a withheld figure, or a few of them together, learn about another.

A count's insider is one person of the cell: they know that it is not empty. A sum's only contributor knows the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.budget import Budget
from divulge.audit.partition import Partition
from divulge.audit.run import AuditSettings, Submission, partitions_of
from divulge.audit.system import System
from divulge.contributions import Case
from divulge.kernels.arrays import Floats

MOST_CELLS = 60
"""Withheld figures that are asked about; 60 alone are 60 systems, and pairs of them 1,770."""


@dataclass(frozen=True)
class Inside:
    """who: the withheld figures whose people know their own; figure: the one that they learn about, and how closely."""

    who: tuple[str, ...]
    figure: str
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        return {"who": list(self.who), "figure": self.figure, "low": self.low, "high": self.high}


def ask_inside(
    given: Submission, at_once: int = 1, settings: AuditSettings | None = None
) -> tuple[tuple[Inside, ...], bool]:
    """What insiders learn too closely, alone and up to `at_once` figures' people together; and whether time sufficed.

    Too closely: a count to within fewer than `narrowest` people, a sum to within `per_cent` on each side.
    """
    settings = settings or AuditSettings()
    budget, is_complete = Budget(settings.seconds), True
    found: list[Inside] = []
    for partition in partitions_of(given)[0] if given.table is not None else ():
        system = partition.system
        if system.point is None or not partition.parts:
            continue
        names = _withheld(given, partition)
        alone = _single(given, partition) & names.keys()
        learnt, is_all = _ask_insiders(
            system, system.point, tuple(names)[:MOST_CELLS], alone=tuple(alone), at_once=at_once, budget=budget
        )
        is_complete &= is_all and len(names) <= MOST_CELLS
        for one in learnt:
            value = float(system.point[one.cell])
            enough = settings.narrowest if system.is_whole else 2 * settings.per_cent / 100 * abs(value)
            if one.high - one.low < enough - 1e-6:  # as far as bounds are promised
                found.append(Inside(tuple(names[c] for c in one.who), names[one.cell], one.low, one.high))
    return tuple(found), is_complete


def _withheld(given: Submission, partition: Partition) -> dict[int, str]:
    """The cells that are a withheld figure of a new output each, and what these are called."""
    found: dict[int, str] = {}
    for s, (i, is_figure) in enumerate(zip(partition.numbers, partition.is_figure, strict=True)):
        if i < 0 or not is_figure or not len(partition.rows[s]):
            continue
        released, sums = given.released[i], partition.sums[s]
        for f in np.intersect1d(np.flatnonzero(~np.isfinite(released.values)), partition.figures[s]).tolist():
            cells = sums.indices[sums.indptr[f] : sums.indptr[f + 1]]
            if len(cells) == 1:
                found.setdefault(int(cells[0]), released.labels[f])
    return found


def _single(given: Submission, partition: Partition) -> set[int]:
    """The cells of sums that have one contributor, who then knows them."""
    found: set[int] = set()
    if partition.system.is_whole or given.table is None:
        return found
    for s, i in enumerate(partition.numbers):
        if i < 0 or not len(partition.rows[s]):
            continue
        sums = partition.sums[s]
        case = Case(i, given.outputs[i], given.released[i], given.table, given.entity)
        for behind in case.of("total"):
            for f in behind.figures[case.units(behind) == 1].tolist():
                cells = sums.indices[sums.indptr[f] : sums.indptr[f + 1]] if f < sums.shape[0] else ()
                found |= {int(c) for c in cells} if len(cells) == 1 else set()
    return found


@dataclass(frozen=True)
class _Insider:
    """What those of some cells learn about another. who, cell: numbers of cells; low, high: what is left to guess."""

    who: tuple[int, ...]
    cell: int
    low: float
    high: float


def _ask_insiders(
    system: System,
    values: Floats,
    cells: Sequence[int],
    *,
    alone: Sequence[int] = (),
    at_once: int = 1,
    budget: Budget | None = None,
) -> tuple[list[_Insider], bool]:
    """What people of `cells` learn about the other cells of the list, alone and up to `at_once` cells together.

    values: what the cells hold. alone: cells with one contributor each, who then knows the whole cell; people of the
    other cells know that there is at least one (themselves). Only what they learn beyond an outsider is told. Second:
    whether the budget sufficed.
    """
    budget = budget or Budget(np.inf)
    targets = sparse.eye_array(system.n_cells, format="csr")[list(cells)]
    outside = find_bounds(system, targets, budget)
    found: list[_Insider] = []
    single = set(alone)
    for size in range(1, at_once + 1):
        for who in combinations(cells, size):
            if budget.is_spent:
                return found, False
            knowing = system
            for cell in who:
                if cell in single:
                    knowing = knowing.with_known([cell], [values[cell]])
                elif system.is_whole:
                    knowing = knowing.with_least(cell, 1.0)
            if knowing is system:
                continue
            inside = find_bounds(knowing, targets, budget)
            if inside.n_unreached:
                return found, False
            narrower = (inside.high - inside.low) < (outside.high - outside.low) - 1e-6  # as far as bounds are promised
            found += [
                _Insider(who, cell, float(inside.low[i]), float(inside.high[i]))
                for i, cell in enumerate(cells)
                if narrower[i] and cell not in who
            ]
    return found, True
