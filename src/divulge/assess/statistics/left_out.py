"""Who may be exposed in the whole, and who is left out together, where people who are alike are held once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.assess.statistics.suspects import OUT_AT_ONCE
from divulge.kernels.arrays import Floats, Integers
from divulge.scenario import Lookup

MOST_SUSPECTS = 3_000
"""Different rows whose exposure in the whole is worked out; those whose scores vary most first."""

MOST_PARTS = 20
"""Times that suspects are left out."""

Crowd = tuple[Integers, Integers]
"""The group of each row (−1: none), and how many people each group has."""


def pull(crowds: Sequence[Crowd], n_rows: int) -> Floats:
    """How far one person of each row may move what is expected, at most about: the sum of one over the sizes of the
    groups that they are counted in. Numbers are products of such counts where tables fit together."""
    found = np.zeros(n_rows)
    for group, sizes in crowds:
        inside = group >= 0
        found[inside] += 1 / np.maximum(sizes[group[inside]], 1)
    return found


def left_out_parts(suspects: Integers, crowds: Sequence[Crowd], lookups: Sequence[Lookup]) -> list[Integers]:
    """The suspects in parts: one person of each row of a part is left out at a time.

    Only one person is left out at a time of a group behind a figure, and of people with the same keys, or a twentieth.
    """
    groups = [(group[suspects], np.maximum(1, (OUT_AT_ONCE * sizes).astype(np.int64))) for group, sizes in crowds]
    for lookup in lookups:
        key = (lookup.cells // lookup.width)[lookup.cell_of_row[suspects]]
        _, number = np.unique(key, return_inverse=True)
        groups.append((number, np.ones(len(suspects), dtype=np.int64)))
    taken = [np.zeros((MOST_PARTS, len(most)), dtype=np.int64) for _, most in groups]
    parts: list[list[int]] = [[] for _ in range(MOST_PARTS)]
    for at in range(len(suspects)):
        own = [(k, group[at]) for k, (group, _) in enumerate(groups) if group[at] >= 0]
        for p, part in enumerate(parts):
            if all(taken[k][p, g] < groups[k][1][g] for k, g in own):
                part.append(int(suspects[at]))
                for k, g in own:
                    taken[k][p, g] += 1
                break
    return [np.array(part, dtype=np.int64) for part in parts if part]
