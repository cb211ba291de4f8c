"""Linkage, isolation and reconstruction as loops over rows: slow, obvious twins of the families in measures/.

A row is a tuple of key codes and a target code last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Row = tuple[int, ...]


def unique_match(people: Sequence[Row], synthetic: Sequence[Row]) -> tuple[int, int]:
    """How many people have exactly one synthetic row with their keys, and how many of those have its target."""
    acted = right = 0
    for person in people:
        matches = [s for s in synthetic if s[:-1] == person[:-1]]
        if len(matches) == 1:
            acted += 1
            right += matches[0][-1] == person[-1]
    return acted, right


def isolations(people: Sequence[Row], synthetic: Sequence[Row], unique: bool) -> tuple[int, int]:
    """How many descriptions the synthetic rows give, and how many of them fit exactly one person."""
    times = Counter(s[:-1] for s in synthetic)
    described = [q for q, n in times.items() if n == 1 or not unique]
    return len(described), sum(1 for q in described if sum(p[:-1] == q for p in people) == 1)


def isolations_of_equal_size(people: Sequence[Row], described: Sequence[Row], size: int) -> float:
    """The mean over all `size` of the people of how many descriptions fit exactly one of them."""
    found = [
        sum(1 for q in described if sum(p[:-1] == q for p in chosen) == 1) for chosen in combinations(people, size)
    ]
    return sum(found) / len(found)


def outlier_links(
    people: Sequence[tuple[float, int, int]],
    synthetic: Sequence[tuple[float, int, int]],
    moments: tuple[float, float],
    z: float,
    window: float,
) -> tuple[int, int, int]:
    """Rows are (number or NaN, category, target): how many are extreme, linked, and linked to the right target."""
    mean, deviation = moments
    extreme = linked = right = 0
    for number, category, target in people:
        if not deviation or math.isnan(number) or abs(number - mean) <= z * deviation:
            continue
        extreme += 1
        near = [s for s in synthetic if s[1] == category and abs(s[0] - number) <= window * deviation + 1e-9]
        if len(near) == 1:
            linked += 1
            right += near[0][2] == target
    return extreme, linked, right


def ranked_shares(people: Sequence[Row], replicates: Sequence[Sequence[Row]], rank: int) -> tuple[float, float]:
    """The expected number of the `rank` first patterns that somebody has, and that exactly one person has.

    Patterns that recur equally often are in random order, so a block that the rank cuts counts in proportion.
    """
    times = Counter(people)
    patterns = {row for one in replicates for row in one}
    standing = {
        p: (sum(p in one for one in replicates), sum(list(one).count(p) for one in replicates)) for p in patterns
    }
    left, present, unique = rank, 0.0, 0.0
    for level in sorted(set(standing.values()), reverse=True):
        block = [p for p in patterns if standing[p] == level]
        part = min(1.0, left / len(block))
        present += part * sum(times[p] > 0 for p in block)
        unique += part * sum(times[p] == 1 for p in block)
        left -= min(left, len(block))
        if not left:
            break
    return present, unique


def hellinger(a: Sequence[Row], b: Sequence[Row]) -> float:
    """The distance of the distributions of rows."""
    p, q = Counter(a), Counter(b)
    alike = sum(math.sqrt(p[x] / len(a) * q[x] / len(b)) for x in p)
    return math.sqrt(max(1 - alike, 0.0))
