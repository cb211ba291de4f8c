"""Measures of released microdata as loops over rows: slow, obvious twins of the families in measures/.

A row is a tuple of key codes and a target code last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations

Row = tuple[int, ...]


def classes(rows: Sequence[Row]) -> dict[Row, list[int]]:
    """By key combination, the targets of its rows."""
    found: dict[Row, list[int]] = {}
    for row in rows:
        found.setdefault(row[:-1], []).append(row[-1])
    return found


def share_in(people: Sequence[Row], rows: Sequence[Row], chosen: Callable[[list[int]], bool]) -> float:
    """The share of people whose keys some row has, in a class that is chosen."""
    found = classes(rows)
    return sum(p[:-1] in found and chosen(found[p[:-1]]) for p in people) / len(people)


def entropy_diversity(targets: Sequence[int]) -> float:
    """exp of the entropy."""
    return math.exp(-sum(n / len(targets) * math.log(n / len(targets)) for n in Counter(targets).values()))


def recursive_level(targets: Sequence[int], c: float) -> int:
    """The largest l with r_1 < c (r_l + … + r_m)."""
    counts = sorted(Counter(targets).values(), reverse=True)
    return max((i + 1 for i in range(len(counts)) if counts[0] < c * sum(counts[i:])), default=0)


def emd(targets: Sequence[int], everyone: Sequence[int], ordered: bool) -> float:
    """The earth mover's distance of two distributions over the values of the second."""
    values = sorted(set(everyone))
    gaps = [targets.count(v) / len(targets) - everyone.count(v) / len(everyone) for v in values]
    if not ordered:
        return sum(map(abs, gaps)) / 2
    return sum(abs(sum(gaps[: i + 1])) for i in range(len(gaps))) / (len(values) - 1) if len(values) > 1 else 0.0


def ratios(targets: Sequence[int], everyone: Sequence[int]) -> dict[int, float]:
    """q/p of every target in a class."""
    return {v: (targets.count(v) / len(targets)) / (everyone.count(v) / len(everyone)) for v in sorted(set(targets))}


def wildcard_count(rows: Sequence[Sequence[int | None]], weights: Sequence[float]) -> list[tuple[int, float]]:
    """For every row how many rows agree with it where None agrees with everything, and their weights."""
    out = []
    for row in rows:
        alike = [
            w
            for other, w in zip(rows, weights, strict=True)
            if all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))
        ]
        out.append((len(alike), sum(alike)))
    return out


def individual_risk(f: int, population: float, terms: int = 20_000) -> float:
    """E(1/F | f) as the sum over F = f, f + 1, … of the negative binomial law with p = f/F̂."""
    p = f / population
    chance, total = p**f, 0.0
    for size in range(f, f + terms):
        total += chance / size
        chance *= (1 - p) * size / (size - f + 1)
    return total


def gower(a: Sequence[float], b: Sequence[float]) -> float:
    """Σ min(1, |a − b|)."""
    return sum(min(1.0, abs(x - y)) for x, y in zip(a, b, strict=True))


def nearest(among: Sequence[Sequence[float]], row: Sequence[float], k: int, without: int = -1) -> list[float]:
    """The k least distances, ascending."""
    return sorted(gower(row, other) for i, other in enumerate(among) if i != without)[:k]


def best_assignment(costs: Sequence[Sequence[float]]) -> float:
    """The least sum of costs over all ways to give each row a column."""
    n = len(costs)
    return min(sum(costs[i][p[i]] for i in range(n)) for p in permutations(range(n)))


def fitting(rows: Sequence[Row], conditions: Sequence[tuple[int, int, int]]) -> int:
    """How many rows have every named column between low and high."""
    return sum(all(low <= row[at] <= high for at, low, high in conditions) for row in rows)


def area(inside: Sequence[float], outside: Sequence[float]) -> float:
    """P(in > out) + ½ P(in = out) over all pairs."""
    return sum((a > b) + 0.5 * (a == b) for a in inside for b in outside) / (len(inside) * len(outside))
