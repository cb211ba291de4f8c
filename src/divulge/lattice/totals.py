"""Feasibility by arithmetic: which totals, squares and sets of values printed means, shares and SDs allow.

After GRIM (Brown & Heathers 2017) for means, GRIMMER (Anaya 2016) for standard deviations, and CORVIDS (Wilner, Wood &
Simons 2018) for the sets of values. A printed mean that no data of this size can have is found before any search.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

TIE = 1e-9
"""Of a step: printed halves are inside their interval on both sides."""


def _possible_totals(n: int, low: float, high: float, first: int, last: int) -> Ints:
    """Every total of n whole values from first to last whose mean is within low … high."""
    least, most = max(n * low - TIE, n * first), min(n * high + TIE, n * last)
    return np.arange(int(np.ceil(least)), int(np.floor(most)) + 1, dtype=np.int64)


def _possible_squares(n: int, total: int, low: float, high: float) -> Ints:
    """Every sum of squares of n whole values with this total whose SD (n − 1) is within low … high.

    A square is odd where its value is, so the sum of squares is odd where the total is; and n values with this total
    have at least the squares of values that differ by no more than 1.
    """
    each, more = divmod(total, n)
    evenest = (n - more) * each**2 + more * (each + 1) ** 2
    least = max((n - 1) * max(low, 0.0) ** 2 + total**2 / n, evenest)
    most = (n - 1) * high**2 + total**2 / n
    slack = TIE * max(1.0, most)
    found = np.arange(int(np.ceil(least - slack)), int(np.floor(most + slack)) + 1, dtype=np.int64)
    return found[(found - total) % 2 == 0]


def possible_sets(
    n: int, first: int, last: int, mean: tuple[float, float], sd: tuple[float, float] | None = None, most: int = 1000
) -> tuple[Ints, bool]:
    """(sets, n) every set of n whole values from first to last, sorted, with such a mean and SD; and whether it is all.

    Stops at `most` sets, or after a thousand times as many steps.
    """
    found: list[list[int]] = []
    wanted = [
        (int(total), set(_possible_squares(n, int(total), *sd).tolist()) if sd is not None else None)
        for total in _possible_totals(n, *mean, first, last)
    ]
    steps = 0
    for total, squares in wanted:
        stack: list[tuple[list[int], int, int]] = [([], total, 0)]
        while stack:
            steps += 1
            if len(found) >= most or steps > 1000 * most:
                return _rows(found, n), False
            taken, left, square = stack.pop()
            k = n - len(taken)
            if k == 0:
                if squares is None or square in squares:
                    found.append(taken)
                continue
            at_least = taken[-1] if taken else first
            for value in range(min(last, left // k), at_least - 1, -1):
                rest = left - value
                if rest > (k - 1) * last:
                    break
                if squares is not None and not _squares_reach(k - 1, rest, value, last, square + value**2, squares):
                    continue
                stack.append(([*taken, value], rest, square + value**2))
    return _rows(found, n), True


def _squares_reach(k: int, left: int, low: int, high: int, square: int, wanted: set[int]) -> bool:
    """Whether k more values from low to high with total `left` can bring the squares to one of those wanted."""
    if k == 0:
        return left == 0 and square in wanted
    each, more = divmod(left, k)
    least = square + (k - more) * each**2 + more * (each + 1) ** 2
    # As uneven as can be: as many at the ends as the total allows (Bhatia & Davis 2000).
    most = square + (low + high) * left - k * low * high
    return any(least <= w <= most for w in wanted)


def _rows(found: list[list[int]], n: int) -> Ints:
    return np.array(found, dtype=np.int64).reshape(-1, n)
