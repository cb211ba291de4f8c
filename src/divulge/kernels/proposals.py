"""What the search proposes: which row, which variable, which new code, and when to aim at cells that hold too much."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.lowering import contribution
from divulge.kernels.randomness import next_below, next_code, next_uniform

LONGEST_LOOK = 3000
"""Rows looked at for one that is in a crowded cell."""

NEAR = 4
"""How far apart two like rows may be in the order of a numeric variable."""

SELDOM_ALIKE = 0.02
"""Share of redrawn codes that are drawn from all alike: a figure may depend on a level that one row in ten thousand
has, which its marginal hardly ever proposes."""


class Moves(NamedTuple):
    """Which cells may change, and to what."""

    variables: Integers  # those that matter to some output
    cumulative: Floats  # how often each of them is proposed
    n_codes: Integers  # for every variable
    n_values: Integers
    is_numeric: Mask
    threshold: Floats  # alias tables of the marginals, for all variables
    alias: Integers32
    alias_start: Integers
    block_start: Integers  # blocks that a variable takes part in, then all blocks; variables + 2
    blocks: Integers
    total_block: Integers  # for every total that is a figure of its own, the block that sums it; else −1
    block_variable_start: Integers  # variables that may move in a block, blocks + 1
    block_variables: Integers
    peers: Integers  # rows in the order of a numeric variable, whose neighbours are alike in it; or none
    swap_share: float  # of proposals that swap a column between two rows; 1 keeps every marginal
    step_share: float  # of proposals on numeric variables that step instead of being redrawn


@njit(cache=True, nogil=True, inline="always")
def propose_alike(n_codes, threshold, alias_start, stream, v, old):  # type: ignore[no-untyped-def]
    """A code for variable v, every granted one alike; the old one in place of one that is not granted."""
    new = next_below(stream, n_codes[v])
    return new if threshold[alias_start[v] + new] > 0.0 else old


@njit(cache=True, nogil=True, inline="always")
def propose_code(n_codes, n_values, is_numeric, threshold, alias, alias_start, step_share, stream, v, old):  # type: ignore[no-untyped-def]
    """A code for variable v: redrawn from its marginal, or for a numeric one often a short step along its values.

    Now and then every granted code is as likely as any other (SELDOM_ALIKE).
    """
    if is_numeric[v] and old < n_values[v] and next_uniform(stream) < step_share:
        # Steps of 1, 2, 4 … 32 values: fine ones for the last digits, coarse ones to get there.
        size = np.int64(1) << next_below(stream, 6)
        new = old + size if next_uniform(stream) < 0.5 else old - size
        return new if 0 <= new < n_values[v] else old
    if next_uniform(stream) < SELDOM_ALIKE:
        return propose_alike(n_codes, threshold, alias_start, stream, v, old)
    return next_code(stream, threshold, alias, alias_start[v], n_codes[v])


@njit(cache=True, nogil=True, inline="always")
def pick_variable(variables, cumulative, stream):  # type: ignore[no-untyped-def]
    """A variable, each as often as it should be."""
    pick = next_uniform(stream)
    at = 0
    while cumulative[at] <= pick:
        at += 1
    return variables[at]


@njit(cache=True, nogil=True, inline="always")
def pick_rows(n_rows, peers, is_numeric, stream, v):  # type: ignore[no-untyped-def]
    """Two rows to swap variable v between: any, or half the time two that are alike in a numeric variable.

    Rows alike in income can swap their group and leave the groups' incomes as they are, which two rows drawn blindly
    hardly ever do: what such a swap moves is what the groups have to do with each other.
    """
    if peers.shape[0] > NEAR and not is_numeric[v] and next_uniform(stream) < 0.5:
        at = next_below(stream, peers.shape[0] - NEAR)
        return peers[at], peers[at + 1 + next_below(stream, NEAR)]
    i = next_below(stream, n_rows)
    return i, next_below(stream, n_rows)


@njit(cache=True, nogil=True)
def list_aims(  # type: ignore[no-untyped-def]
    first, size, jstart, jacobian, weight, low, high, residuals, total_block, pull, crowded, wanted
):
    """List the counts that hold too much and those that hold too little; return how many of each.

    A count is listed where one row less (or more) would lower the discrepancy at least a tenth as steeply as anywhere.
    """
    steepest = 0.0
    for t in range(total_block.shape[0]):
        pull[t] = 0.0
        if total_block[t] >= 0:
            for q in range(size[t]):
                k = first[t] + q
                x = residuals[k]
                out = x - high[k] if x > high[k] else (x - low[k] if x < low[k] else 0.0)
                pull[t] += weight[k] * out * jacobian[jstart[t] + q]
            steepest = max(steepest, abs(pull[t]))
    n_crowded, n_wanted = 0, 0
    for t in range(total_block.shape[0]):
        if pull[t] > 0.1 * steepest:
            crowded[n_crowded] = t
            n_crowded += 1
        elif -pull[t] > 0.1 * steepest:
            wanted[n_wanted] = t
            n_wanted += 1
    return n_crowded, n_wanted


@njit(cache=True, nogil=True)
def find_row(ints, floats, b, t, codes, start, indices, values):  # type: ignore[no-untyped-def]
    """A row that adds to total t of block b, looking on from `start` (−1 where none is near), and rows looked at."""
    n_rows = codes.shape[0]
    i = start
    for looks in range(min(LONGEST_LOOK, n_rows)):
        for k in range(contribution(ints, floats, b, codes, i, indices, values)):
            if indices[k] == t and values[k] > 0.0:
                return i, looks
        i += 1
        if i == n_rows:
            i = 0
    return -1, LONGEST_LOOK


@njit(cache=True, nogil=True)
def find_newcomer(ints, floats, b, t, v, code, codes, start, indices, values):  # type: ignore[no-untyped-def]
    """A row that does not add to total t of block b and would with this code of variable v; −1 where none is near.

    Also how many rows were looked at.
    """
    n_rows = codes.shape[0]
    i = start
    for looks in range(min(LONGEST_LOOK, n_rows)):
        old = codes[i, v]
        if old != code:
            codes[i, v] = code
            joins = False
            for k in range(contribution(ints, floats, b, codes, i, indices, values)):
                joins = joins or (indices[k] == t and values[k] > 0.0)
            codes[i, v] = old
            if joins:
                return i, looks
        i += 1
        if i == n_rows:
            i = 0
    return -1, LONGEST_LOOK
