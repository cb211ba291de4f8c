"""What the search proposes blindly: which row, which variable, which new code. `aiming` proposes with an eye on counts.

Every proposal is a `Change`; none is made here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.changes import Change, Users
from divulge.kernels.randomness import next_below, next_code, next_uniform

_NEAR = 4
"""How far apart two like rows may be in the order of a numeric variable."""

_SELDOM_ALIKE = 0.02
"""Share of redrawn codes that are drawn from all alike: a figure may depend on a level that one row in ten thousand
has, which its marginal hardly ever proposes."""

_STEPS = 0.5
"""Share of proposals on numeric variables that step along their values instead of being redrawn."""

_BOTH = 0.1
"""Share of blind proposals that redraw two variables of a row at once: from one cell of a crosstab to one that differs
in both, which single changes reach only through a third cell that should stay empty."""


class Draws(NamedTuple):
    """What new codes are drawn from, for every variable: alias tables of the marginals, one after the other."""

    n_codes: Integers
    n_values: Integers
    is_numeric: Mask
    threshold: Floats
    alias: NDArray[np.int32]
    start: Integers  # where each variable's table is in threshold and alias


class CountedTotals(NamedTuple):
    """Totals that count rows, which proposals can be aimed at."""

    block: Integers  # for every total the block that counts it; −1: it is no count of an output
    variable_start: Integers  # (blocks + 1,)
    variable: Integers  # block b: those from variable_start[b] on may move in it


class Moves(NamedTuple):
    """Which cells may change, and to what."""

    variables: Integers  # those that matter to some output
    cumulative: Floats  # how often each of them is proposed
    draws: Draws
    users: Users
    counts: CountedTotals
    peers: Integers  # rows in the order of a numeric variable, whose neighbours are alike in it; or none
    rows: Integers  # rows that half of the proposals on one row are about; none where all rows are as likely
    swap_share: float  # of proposals that swap a column between two rows; 1 keeps every marginal


@njit(cache=True, nogil=True, inline="always")
def propose_alike(draws, stream, v, old):  # type: ignore[no-untyped-def]
    """A code for variable v, every granted one alike; the old one in place of one that is not granted."""
    new = next_below(stream, draws.n_codes[v])
    return new if draws.threshold[draws.start[v] + new] > 0.0 else old


@njit(cache=True, nogil=True, inline="always")
def _propose_code(draws, stream, v, old):  # type: ignore[no-untyped-def]
    """A code for variable v: redrawn from its marginal, or for a numeric one often a short step along its values.

    Now and then every granted code is as likely as any other (_SELDOM_ALIKE).
    """
    if draws.is_numeric[v] and old < draws.n_values[v] and next_uniform(stream) < _STEPS:
        # Steps of 1, 2, 4 … 32 values: fine ones for the last digits, coarse ones to get there.
        size = np.int64(1) << next_below(stream, 6)
        new = old + size if next_uniform(stream) < 0.5 else old - size
        return new if 0 <= new < draws.n_values[v] else old
    if next_uniform(stream) < _SELDOM_ALIKE:
        return propose_alike(draws, stream, v, old)
    return next_code(stream, draws.threshold, draws.alias, draws.start[v], draws.n_codes[v])


@njit(cache=True, nogil=True, inline="always")
def _pick_variable(moves, stream):  # type: ignore[no-untyped-def]
    """A variable, each as often as it should be."""
    pick = next_uniform(stream)
    at = 0
    while moves.cumulative[at] <= pick:
        at += 1
    return moves.variables[at]


@njit(cache=True, nogil=True, inline="always")
def _pick_row(moves, n_rows, stream):  # type: ignore[no-untyped-def]
    """A row: any, or half the time one of those that are listed."""
    n_listed = moves.rows.shape[0]
    if n_listed > 0 and next_uniform(stream) < 0.5:
        return moves.rows[next_below(stream, n_listed)]
    return next_below(stream, n_rows)


@njit(cache=True, nogil=True, inline="always")
def _pick_rows(moves, n_rows, stream, v):  # type: ignore[no-untyped-def]
    """Two rows to swap variable v between: any, or half the time two that are alike in a numeric variable.

    Rows alike in income can swap their group and leave the groups' incomes as they are, which two rows drawn blindly
    hardly ever do: what such a swap moves is what the groups have to do with each other.
    """
    n_peers = moves.peers.shape[0]
    if n_peers > _NEAR and not moves.draws.is_numeric[v] and next_uniform(stream) < 0.5:
        at = next_below(stream, n_peers - _NEAR)
        return moves.peers[at], moves.peers[at + 1 + next_below(stream, _NEAR)]
    return _pick_row(moves, n_rows, stream), next_below(stream, n_rows)


@njit(cache=True, nogil=True, inline="always")
def one_cell(row, variable, old, new):  # type: ignore[no-untyped-def]
    """The change of one cell alone; a row of −1 stands for no change."""
    none = np.int64(-1)
    return Change(np.int64(row), none, np.int64(variable), np.int64(old), np.int64(new), none, none, none)


@njit(cache=True, nogil=True, inline="always")
def propose_single(moves, codes, stream):  # type: ignore[no-untyped-def]
    """A cell that gets a new code, or two rows that swap theirs."""
    none = np.int64(-1)
    v = _pick_variable(moves, stream)
    if moves.swap_share > 0.0 and next_uniform(stream) < moves.swap_share:
        i, j = _pick_rows(moves, codes.shape[0], stream, v)
        return Change(i, j, v, np.int64(codes[i, v]), np.int64(codes[j, v]), none, none, none)
    i = _pick_row(moves, codes.shape[0], stream)
    old = np.int64(codes[i, v])
    return one_cell(i, v, old, _propose_code(moves.draws, stream, v, old))


@njit(cache=True, nogil=True, inline="always")
def propose_second(moves, codes, stream, change, w):  # type: ignore[no-untyped-def]
    """The same change with variable w of the row redrawn too; as it is where w is none (−1) or the first variable."""
    if w < 0 or w == change.variable:
        return change
    old = np.int64(codes[change.row, w])
    new = _propose_code(moves.draws, stream, w, old)
    return Change(change.row, change.other, change.variable, change.old, change.new, w, old, new)


@njit(cache=True, nogil=True, inline="always")
def propose_blindly(moves, codes, stream):  # type: ignore[no-untyped-def]
    """A cell that gets a new code, now and then two cells of a row; or two rows that swap."""
    change = propose_single(moves, codes, stream)
    w = np.int64(-1)
    if change.other < 0 and next_uniform(stream) < _BOTH:
        w = moves.variables[next_below(stream, moves.variables.shape[0])]
    return propose_second(moves, codes, stream, change, w)
