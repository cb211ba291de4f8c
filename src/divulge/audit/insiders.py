"""What follows for those who know something themselves: a contributor their own value, a few of them theirs together.

A count's insider is one person of the cell: they know that it is not empty. A sum's only contributor knows the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.budget import Budget
from divulge.audit.system import System
from divulge.kernels.arrays import Floats


@dataclass(frozen=True)
class _Insider:
    """What those of some cells learn about another. who, cell: numbers of cells; low, high: what is left to guess."""

    who: tuple[int, ...]
    cell: int
    low: float
    high: float


def ask_insiders(
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


def others_estimate(
    contributions: Sequence[float], total: tuple[float, float], coalition: int = 1
) -> tuple[float, float]:
    """What the largest contributors but the first learn about the first from a total in an interval.

    The coalition takes its own contributions off; the rest of the total is the first one's and that of nobody below 0:
    [0, high − own]. With nobody else left it is exact (Handbook on SDC 2025, p% rule).
    """
    ordered = sorted(contributions, reverse=True)
    own = sum(ordered[1 : 1 + coalition])
    low, high = total[0] - own, total[1] - own
    return (low if len(ordered) <= 1 + coalition else 0.0), high
