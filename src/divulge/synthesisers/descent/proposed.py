"""Proposed changes of cells, and which of them are questions of their own, or of no use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask

_STRAIGHT = 1e-6
"""Half units that are nothing here."""

_ROUNDS = 3
"""How often it is looked which changes are of no use: without them, others may be of none."""


class Changes(NamedTuple):
    """Proposed changes of one column: row k goes from its base code up to `spans` steps."""

    rows: Integers
    column: int
    base: Integers
    news: Integers  # the code after one step; for more, base + times
    spans: Integers
    shifts: Floats  # of one step, in half units
    before: Floats  # of going to the base code


def outside(errors: Floats) -> Floats:
    """How far figures are outside their intervals, together."""
    return np.asarray((np.maximum(np.abs(errors) - 1.0, 0.0) ** 2).sum(axis=-1))


def useful(shifts: Floats, errors: Floats) -> Mask:
    """Changes that some set of changes can hold. Where none takes a figure back, none may take it out of its interval:
    of a group whose mean is the least value nobody has another."""
    found, moved = np.ones(len(shifts), dtype=bool), shifts.any(axis=0)
    shifts, errors = shifts[:, moved], errors[moved]
    for _ in range(_ROUNDS):
        rise = np.where(found[:, None], shifts, 0.0)
        only_up, only_down = rise.min(axis=0, initial=0.0) > -_STRAIGHT, rise.max(axis=0, initial=0.0) < _STRAIGHT
        out = (only_up & (rise > np.maximum(1.0 - errors, _STRAIGHT))) | (
            only_down & (rise < np.minimum(-1.0 - errors, -_STRAIGHT))
        )
        if not out.any():
            break
        found &= ~out.any(axis=1)
    return found


def apart(shifts: Floats) -> list[Mask]:
    """Figures that no change moves together with others, as sets of them: each is a question of its own."""
    moves = shifts != 0
    # Of thousands of changes a few dozen sets of figures are moved: a product of all of them took a fifth of the time,
    # and so did sorting sets. Sums of random numbers tell them apart.
    packed = np.packbits(moves, axis=1)
    marks = np.random.default_rng(0).integers(2**63, size=packed.shape[1])
    _, first = np.unique(packed @ marks, return_index=True)
    sets = moves[first].astype(np.float64)
    touch = (sets.T @ sets) > 0
    left, found = moves.any(axis=0), []
    while left.any():
        group = np.zeros(len(left), dtype=bool)
        group[np.argmax(left)] = True
        while True:
            wider = touch[group].any(axis=0)
            if (wider <= group).all():
                break
            group |= wider
        found.append(group)
        left &= ~group
    return found
