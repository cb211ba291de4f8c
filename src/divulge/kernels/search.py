"""The search: rows are changed one proposal at a time, and a change is kept if the discrepancy falls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.changes import discrepancy, gain, make_change, undo_change
from divulge.kernels.compiling import borrowing
from divulge.kernels.lowering import contribution
from divulge.kernels.proposals import one_cell, propose_alike, propose_blindly, propose_second
from divulge.kernels.randomness import Stream, next_below, next_uniform

_LOOK_AGAIN = 512
"""Proposals after which the crowded totals are listed anew and it is decided whether to aim at them."""

_SELDOM = 0.02
"""Share of proposals kept below which blind ones no longer pay, and half of them are aimed."""

_FEW = 64
"""Crowded totals above which a row drawn blindly is in one often enough; looking for one would only cost time."""

_MOST_LOOKS = 10_000
"""Rows looked at, in search of those to aim at, before the crowded totals are listed anew: about what as many proposals
cost otherwise."""


class State(NamedTuple):
    """What a search changes in place; residuals move along with the totals, and these with the codes."""

    codes: Codes  # (rows, variables)
    totals: Floats
    residuals: Floats
    stream: Stream


@borrowing
def descend(blocks, moves, rules, metric, state, work, n_proposals, temperature):  # type: ignore[no-untyped-def]
    """Propose n changes and keep those that lower the discrepancy; stop early where nothing is left of it.

    temperature: above 0, a change for the worse is kept with probability exp(−change / temperature) (Metropolis 1953).
    Returns (proposed, kept, discrepancy).
    """
    codes, stream = state.codes, state.stream
    n_crowded, n_wanted, is_aiming = 0, 0, False
    now = discrepancy(metric.goal, state.residuals)
    done, kept, kept_before, looked = 0, 0, 0, 0
    for _ in range(n_proposals):
        if now <= 0.0:
            break
        if done % _LOOK_AGAIN == 0:
            is_aiming = moves.swap_share < 1.0 and done > 0 and kept - kept_before < _SELDOM * _LOOK_AGAIN
            kept_before, looked = kept, 0
            if is_aiming:
                n_crowded, n_wanted = _list_aims(metric, state.residuals, moves.counts.block, work.aims)
        done += 1
        change = one_cell(-1, 0, 0, 0)
        if is_aiming and looked < _MOST_LOOKS and 0 < n_crowded + n_wanted <= _FEW and next_uniform(stream) < 0.5:
            change, looks = _propose_aimed(blocks, moves, work.aims, n_crowded, n_wanted, codes, stream)
            looked += looks
        if change.row < 0:
            change = propose_blindly(moves, codes, stream)
        if change.new == change.old and change.second_new == change.second_old:
            continue
        n_touched, n_runs = make_change(blocks, moves.users, rules, metric.slopes, work, codes, change)
        rise = gain(metric.goal, state.residuals, work.shifted, n_runs)
        # A rule forbids a change with −1 runs. A gain of less than 1e-12 is rounding.
        if n_runs >= 0 and (
            rise < -1e-12 * now
            or (temperature > 0.0 and rise > 0.0 and next_uniform(stream) < np.exp(-rise / temperature))
        ):
            _keep(state, work, n_touched, n_runs)
            now += rise
            kept += 1
        else:
            undo_change(codes, change)
    return done, kept, now


@njit(cache=True, nogil=True, inline="always")
def _keep(state, work, n_touched, n_runs):  # type: ignore[no-untyped-def]
    """Move totals and residuals along with a change that was made."""
    moved, shifted = work.moved, work.shifted
    for q in range(n_touched):
        state.totals[moved.touched[q]] += moved.delta[moved.touched[q]]
    for q in range(n_runs):
        for k in range(shifted.first[q], shifted.first[q] + shifted.size[q]):
            state.residuals[k] += shifted.shift[k]


_LONGEST_LOOK = 3000
"""Rows looked at for one that is in a crowded cell."""


@borrowing
def _list_aims(metric, residuals, count_block, aims):  # type: ignore[no-untyped-def]
    """List the counts that hold too much and those that hold too little; return how many of each.

    A count is listed where one row less (or more) would lower the discrepancy at least a tenth as steeply as anywhere.
    """
    slopes, goal = metric.slopes, metric.goal
    steepest = 0.0
    for t in range(count_block.shape[0]):
        pull = 0.0
        if count_block[t] >= 0:
            for q in range(slopes.size[t]):
                k = slopes.first[t] + q
                x = residuals[k]
                out = x - goal.high[k] if x > goal.high[k] else (x - goal.low[k] if x < goal.low[k] else 0.0)
                pull += goal.weight[k] * out * slopes.slope[slopes.start[t] + q]
            steepest = max(steepest, abs(pull))
        aims.pull[t] = pull
    n_crowded, n_wanted = 0, 0
    for t in range(count_block.shape[0]):
        if aims.pull[t] > 0.1 * steepest:
            aims.crowded[n_crowded] = t
            n_crowded += 1
        elif -aims.pull[t] > 0.1 * steepest:
            aims.wanted[n_wanted] = t
            n_wanted += 1
    return n_crowded, n_wanted


@borrowing
def _find_row(blocks, b, t, codes, start):  # type: ignore[no-untyped-def]
    """A row that adds to total t of block b, looking on from `start` (−1 where none is near), and rows looked at."""
    n_rows = codes.shape[0]
    i = start
    for looks in range(min(_LONGEST_LOOK, n_rows)):
        for k in range(contribution(blocks, b, codes, i)):
            if blocks.indices[k] == t and blocks.values[k] > 0.0:
                return i, looks
        i += 1
        if i == n_rows:
            i = 0
    return -1, _LONGEST_LOOK


@borrowing
def _find_newcomer(blocks, b, t, v, code, codes, start):  # type: ignore[no-untyped-def]
    """A row that does not add to total t of block b and would with this code of variable v; −1 where none is near.

    Also how many rows were looked at.
    """
    n_rows = codes.shape[0]
    i = start
    for looks in range(min(_LONGEST_LOOK, n_rows)):
        old = codes[i, v]
        if old != code:
            codes[i, v] = code
            joins = False
            for k in range(contribution(blocks, b, codes, i)):
                joins = joins or (blocks.indices[k] == t and blocks.values[k] > 0.0)
            codes[i, v] = old
            if joins:
                return i, looks
        i += 1
        if i == n_rows:
            i = 0
    return -1, _LONGEST_LOOK


@njit(cache=True, nogil=True, inline="always")
def _propose_aimed(blocks, moves, aims, n_crowded, n_wanted, codes, stream):  # type: ignore[no-untyped-def]
    """A change of a count that was listed, and how many rows were looked at; a row of −1 where none was found."""
    counts, n_rows, nothing = moves.counts, codes.shape[0], one_cell(-1, 0, 0, 0)
    at = next_below(stream, n_crowded + n_wanted)
    t = aims.crowded[at] if at < n_crowded else aims.wanted[at - n_crowded]
    b = counts.block[t]
    first = counts.variable_start[b]
    n_choices = counts.variable_start[b + 1] - first
    if n_choices == 0:
        return nothing, 0
    i, looks = _find_row(blocks, b, t, codes, next_below(stream, n_rows))
    if i < 0:
        return nothing, looks
    v = counts.variable[first + next_below(stream, n_choices)]
    code = np.int64(codes[i, v])
    if at >= n_crowded:
        # The count holds too little: its row has the code that another row needs to join it.
        j, more = _find_newcomer(blocks, b, t, v, code, codes, next_below(stream, n_rows))
        return one_cell(j, v, codes[max(j, 0), v], code), looks + more
    # What is missing elsewhere may be rare.
    change = one_cell(i, v, code, propose_alike(moves.draws, stream, v, code))
    w = np.int64(-1)
    if n_choices > 1 and next_uniform(stream) < 0.5:
        w = counts.variable[first + next_below(stream, n_choices)]
    return propose_second(moves, codes, stream, change, w), looks
