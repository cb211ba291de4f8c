"""Checks of two variables: one that is a function of another says nothing of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from divulge.kernels.arrays import Codes
from divulge.table.lint.remark import Remark
from divulge.table.occurrences import Occurrences
from divulge.table.table import Table

_SURPRISE = 20.0
"""How many rows would disagree if the two had nothing to do with each other; with fewer, agreement is luck."""
_SEVERAL = 3  # one variable from which as many follow names groups, such as households
_SAMPLE = 2000  # rows looked at first: nearly all pairs are ruled out by them


def derived(table: Table, seen: list[Occurrences]) -> Iterator[Remark]:
    """Variables that follow from another one; where several follow from the same, that one names groups."""
    follow: dict[str, list[Occurrences]] = {}
    by_name = {s.variable.name: s for s in seen}
    for target in seen:
        source = _coarsest_source(table, target, seen)
        if source is not None:
            follow.setdefault(source.variable.name, []).append(target)
    for name, targets in follow.items():
        if len(targets) >= _SEVERAL:
            listed = ", ".join(repr(t.variable.name) for t in targets)
            yield Remark(
                "group-identifier",
                name,
                f"{len(targets)} variables are always the same for equal values of it ({listed}): it names groups.",
                "If it numbers households or areas, take it out, or keep it and leave out what follows from it.",
            )
            continue
        for target in targets:
            is_same = target.n_distinct == by_name[name].n_distinct
            yield Remark(
                "derived",
                target.variable.name,
                f"{'says the same as' if is_same else 'follows from'} {name!r}: always equal where that is equal.",
                "Leave one of the two out: as key and target, one gives the other away whatever is released.",
            )


def _coarsest_source(table: Table, target: Occurrences, seen: list[Occurrences]) -> Occurrences | None:
    """The variable of the fewest values from which `target` follows; None where there is none, or it may be luck."""
    if target.n_distinct < 2:
        return None
    place = {name: i for i, name in enumerate(table.names)}
    name = target.variable.name
    variety = 1.0 - float(((target.counts / target.n_valid) ** 2).sum())
    for source in sorted(seen, key=lambda s: s.n_distinct):
        other = source.variable.name
        # Of two that say the same, the later one is called derived.
        is_later = source.n_distinct == target.n_distinct and place[other] >= place[name]
        if source.n_distinct < target.n_distinct or is_later:
            continue
        is_telling = variety * (table.n_people - source.n_distinct) >= _SURPRISE
        if is_telling and _is_function(table[name], table[other]):
            return source
    return None


def _is_function(target: Codes, source: Codes) -> bool:
    """Whether rows with equal codes of `source` always have equal codes of `target`."""
    first = np.zeros(int(source.max(initial=0)) + 1, dtype=target.dtype)
    if len(target) > 2 * _SAMPLE and not _agrees(target[:_SAMPLE], source[:_SAMPLE], first):
        return False
    return _agrees(target, source, first)


def _agrees(target: Codes, source: Codes, last: Codes) -> bool:
    last[source] = target
    return bool((last[source] == target).all())
