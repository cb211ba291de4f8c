"""Merges from the finest levels to as coarse as need be: at each step the pair that helps most for a bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from divulge.kernels.arrays import Integers
from divulge.merging.goal import Goal

MOST_LEVELS = 24
"""Levels of an ordered variable that a path starts from; of more, the neighbours with the fewest people are merged."""


@dataclass(frozen=True, eq=False)
class Cells:
    """How many people have each combination of levels. names: the variables, one an axis."""

    names: tuple[str, ...]
    counts: Integers


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a variable. is_ordered: only neighbours may be merged."""

    n: int
    is_ordered: bool


Partition = Mapping[str, Integers]
"""For each variable the group of each level; a group is called by its first level."""


def find_merges(tables: Sequence[Cells], levels: Mapping[str, Levels], goal: Goal) -> Partition | None:
    """The levels to merge so that nobody is left in a cell that is not as it should be; None where nothing helps."""
    coarsest = {name: np.zeros(each.n, dtype=np.int64) for name, each in levels.items()}
    if sum(goal.people(_merged(t, coarsest)) for t in tables) > 0:
        return None
    last: Partition = {}
    for last in _path(tables, levels, goal):  # noqa: B007 - the last one is wanted
        pass
    if sum(goal.people(_merged(t, last)) for t in tables) > 0:
        return None
    return _split_again(tables, levels, goal, last)


def _split_again(tables: Sequence[Cells], levels: Mapping[str, Levels], goal: Goal, found: Partition) -> Partition:
    """The same without merges that turned out not to be needed: each level is put apart where nobody minds."""
    state = dict(found)
    for name, each in levels.items():
        for level in range(each.n):
            groups = state[name]
            mates = np.flatnonzero(groups == groups[level])
            if len(mates) < 2 or (each.is_ordered and level not in (mates[0], mates[-1])):
                continue
            tried = groups.copy()
            tried[level] = level
            rest = mates[mates != level]
            tried[rest] = rest[0]
            if sum(goal.people(_merged(t, {**state, name: tried})) for t in tables) == 0:
                state[name] = tried
    return state


def _path(tables: Sequence[Cells], levels: Mapping[str, Levels], goal: Goal) -> Iterator[Partition]:
    """Partitions one after the other, each a merge more than the last, until nobody is left or nothing to merge."""
    state = {name: _started(tables, name, each) for name, each in levels.items()}
    yield dict(state)
    now = [_merged(t, state) for t in tables]
    while True:
        people, bits = sum(goal.people(c) for c in now), sum(_entropy(c) for c in now)
        best: tuple[float, str, Integers] | None = None
        for name, each in levels.items() if people > 0 else ():
            kept = np.unique(state[name]).tolist()
            for pair in _pairs(state[name], each.is_ordered):
                at = kept.index(pair[0]), kept.index(pair[1])
                after = [_joined(c, t, name, at) for c, t in zip(now, tables, strict=True)]
                gain = people - sum(goal.people(c) for c in after)
                loss = bits - sum(_entropy(c) for c in after)
                value = (gain + 1e-3) / (loss + 1e-3)  # where nothing helps yet, what loses least
                if best is None or value > best[0]:
                    best = value, name, np.where(state[name] == pair[1], pair[0], state[name])
        if best is None:
            return
        state[best[1]] = best[2]
        now = [_merged(t, state) for t in tables]
        yield dict(state)


def _joined(counts: Integers, table: Cells, name: str, at: tuple[int, int]) -> Integers:
    """Counts with two groups of a variable as one."""
    if name not in table.names:
        return counts
    axis = table.names.index(name)
    moved = np.delete(counts, at[1], axis=axis)
    place = (slice(None),) * axis + (at[0],)
    moved[place] += counts[(slice(None),) * axis + (at[1],)]
    return moved


def _pairs(groups: Integers, is_ordered: bool) -> Iterator[tuple[int, int]]:
    kept = np.unique(groups).tolist()
    return iter(pairwise(kept)) if is_ordered else combinations(kept, 2)


def _started(tables: Sequence[Cells], name: str, levels: Levels) -> Integers:
    groups = np.arange(levels.n)
    if not levels.is_ordered or levels.n <= MOST_LEVELS:
        return groups
    people = np.zeros(levels.n)
    for table in tables:
        if name in table.names:
            axis = table.names.index(name)
            people += table.counts.sum(axis=tuple(a for a in range(table.counts.ndim) if a != axis))
    while len(np.unique(groups)) > MOST_LEVELS:
        kept = np.unique(groups)
        sizes = np.bincount(groups, people, minlength=levels.n)[kept]
        at = int(np.argmin(sizes[:-1] + sizes[1:]))
        groups = np.where(groups == kept[at + 1], kept[at], groups)
    return groups


def _merged(table: Cells, state: Partition) -> Integers:
    """The table over groups instead of levels."""
    counts = table.counts
    for axis, name in enumerate(table.names):
        if name in state:
            kept, place = np.unique(state[name], return_inverse=True)
            if len(kept) < counts.shape[axis]:
                order = np.argsort(place, kind="stable")
                starts = np.searchsorted(place[order], np.arange(len(kept)))
                counts = np.add.reduceat(np.take(counts, order, axis=axis), starts, axis=axis)
    return counts


def _entropy(counts: Integers) -> float:
    """Bits that a person's cell tells."""
    share = counts[counts > 0] / max(float(counts.sum()), 1.0)
    return float(-(share * np.log2(share)).sum())
