"""Merges from the finest levels to as coarse as need be, and back to as fine as can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from divulge.kernels.arrays import Integers
from divulge.merging.goal import Goal
from divulge.merging.rows import Cells, Partition, Rows, Weight

MOST_LEVELS = 24
"""Levels of an ordered variable that a path starts from; of more, the neighbours with the fewest people are merged."""

EAGER = (0.5, 1.0, 2.0)
"""How much a step is worth that helps many: the power of the people it helps, for each bit that it loses. Every table
has another that leads to the least loss."""

SHAKEN = 0.5
"""By how much the worth of a step is shaken: enough for another path, too little for a bad one."""

WORK = 20_000_000
"""Rows that are looked at, roughly, after which no further path is begun."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a variable. is_ordered: only neighbours may be merged."""

    n: int
    is_ordered: bool


def find_merges(
    tables: Sequence[Cells],
    levels: Mapping[str, Levels],
    goal: Goal,
    paths: int = 1,
    *,
    keeps: bool = False,
    withholds: bool = False,
) -> Partition | None:
    """The levels to merge so that nobody is left in a cell that is not as it should be; None where nothing helps.

    paths: so many are gone at most, after the first ones with steps shaken. keeps: whether every variable keeps two
    groups of people at least, so that it is still told. withholds: whether cells that are still not as they should be
    are withheld; then merges go on only for as long as the others tell more.
    """
    rows = Rows(tables, goal)
    coarsest = {name: np.zeros(each.n, dtype=np.int64) for name, each in levels.items()}
    if not withholds and rows.weigh(coarsest).people > 0:
        return None
    rng = np.random.default_rng(0)  # any seed: which paths are tried
    ends: list[Partition] = []
    gone = 0
    while gone == 0 or (gone < paths and rows.looked_at < WORK):
        shaken = 0.0 if gone < len(EAGER) else SHAKEN
        path = list(_path(rows, levels, EAGER[gone % len(EAGER)], shaken, rng, keeps))
        gone += 1
        weights = [rows.weigh(state) for state in path]
        if withholds or weights[-1].people == 0:
            best = int(np.argmax([w.kept for w in weights])) if withholds else -1
            ends.append(_made_finer(rows, levels, path[best], withholds))
    return max(ends, key=lambda state: rows.weigh(state).kept, default=None)


def _path(
    rows: Rows, levels: Mapping[str, Levels], eager: float, shaken: float, rng: np.random.Generator, keeps: bool
) -> Iterator[dict[str, Integers]]:
    """A merge after the other, each the best for what it loses, until nobody is left, or nothing is left to merge."""
    state = {name: _started(rows, name, each) for name, each in levels.items()}
    now = rows.weigh(state)
    yield state
    while now.people > 0:
        best: tuple[float, str, tuple[int, int], Weight] | None = None
        for name, each in levels.items():
            pairs = _pairs(state[name], each.is_ordered)
            if keeps:
                pairs = _kept_apart(pairs, _in_groups(state[name], rows.people_at(name, each.n)))
            factors = rng.lognormal(0.0, shaken, len(pairs)).tolist()
            for pair, after, factor in zip(pairs, rows.weigh_merges(state, name, pairs), factors, strict=True):
                gain, loss = max(now.people - after.people, 0.0), now.bits - after.bits
                value = factor * (gain**eager + 1e-3) / (loss + 1e-3)  # where nothing helps yet, what loses least
                if best is None or value > best[0]:
                    best = value, name, pair, after
        if best is None:
            return
        _, name, (first, second), now = best
        state = {**state, name: np.where(state[name] == second, first, state[name])}
        yield state


def _in_groups(groups: Integers, people: Integers) -> Integers:
    """How many people there are in each group, by its first level."""
    found = np.zeros_like(people)
    np.add.at(found, groups, people)
    return found


def _kept_apart(pairs: Sequence[tuple[int, int]], people: Integers) -> list[tuple[int, int]]:
    """The pairs without the last two groups that have people."""
    is_last = (people > 0).sum() <= 2
    return [pair for pair in pairs if not (is_last and people[list(pair)].all())]


def _made_finer(rows: Rows, levels: Mapping[str, Levels], found: Partition, withholds: bool) -> Partition:
    """The same with levels put apart, or with others, for as long as nobody minds and more bits are kept."""
    state, before = dict(found), -1.0
    bits = rows.weigh(state).kept
    while bits > before:
        before = bits
        for name, each in levels.items():
            people, at, in_vain = rows.people_at(name, each.n), 0, 0
            moves = list(_moves(state[name], people, each.is_ordered))
            # After a move the others are tried from there on, until none of them helps.
            while in_vain < len(moves):
                tried = {**state, name: moves[at % len(moves)]}
                after, at, in_vain = rows.weigh(tried), at + 1, in_vain + 1
                if (withholds or after.people == 0) and after.kept > bits + 1e-9:  # rounding is no gain
                    state, bits, in_vain = tried, after.kept, 0
                    moves = list(_moves(state[name], people, each.is_ordered))
    return state


def _moves(groups: Integers, people: Integers, is_ordered: bool) -> Iterator[Integers]:
    """The same levels with one of them alone or in another group, or with small ones of several groups in one of their
    own; of ordered ones, with a group cut in two or its end in the next. people: at each level."""
    kept = np.unique(groups).tolist()
    places = {g: np.flatnonzero(groups == g) for g in kept}
    if is_ordered:
        for members in places.values():
            for cut in members[1:].tolist():
                tried = groups.copy()
                tried[(groups == groups[cut]) & (np.arange(len(groups)) >= cut)] = cut
                yield tried
        for one, other in pairwise(kept):
            for cut in [*places[one][1:].tolist(), *places[other][1:].tolist()]:
                tried = groups.copy()
                both = np.concatenate([places[one], places[other]])
                tried[both] = np.where(both < cut, one, cut)
                yield tried
        return
    alone = len(groups)
    for level in range(len(groups)):
        own = groups[level]
        if len(places[own]) > 1:
            yield _renamed(groups, level, alone)
        for other in kept:
            if other != own:
                yield _renamed(groups, level, other)
    # What was merged with large levels, one here and one there, may be large enough together.
    small = [members[members != members[np.argmax(people[members])]] for members in places.values() if len(members) > 1]
    for some in [*combinations(small, 2), tuple(small)]:
        if len(some) > 1:
            yield _renamed(groups, np.concatenate(some), alone)


def _renamed(groups: Integers, levels: int | Integers, group: int) -> Integers:
    """Levels in another group; every group called by its first level again."""
    tried = groups.copy()
    tried[levels] = group
    _, first, place = np.unique(tried, return_index=True, return_inverse=True)
    return first[place]


def _pairs(groups: Integers, is_ordered: bool) -> list[tuple[int, int]]:
    kept = np.unique(groups).tolist()
    return list(pairwise(kept)) if is_ordered else list(combinations(kept, 2))


def _started(rows: Rows, name: str, levels: Levels) -> Integers:
    groups = np.arange(levels.n)
    if not levels.is_ordered or levels.n <= MOST_LEVELS:
        return groups
    people = rows.people_at(name, levels.n)
    while len(np.unique(groups)) > MOST_LEVELS:
        kept = np.unique(groups)
        sizes = np.bincount(groups, people, minlength=levels.n)[kept]
        at = int(np.argmin(sizes[:-1] + sizes[1:]))
        groups = np.where(groups == kept[at + 1], kept[at], groups)
    return groups
