"""The search: rows are changed one proposal at a time, and a change is kept if the discrepancy falls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.aiming import list_aims, propose_aimed
from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.changes import discrepancy, gain, make_change, undo_change
from divulge.kernels.compiling import borrowing
from divulge.kernels.proposals import one_cell, propose_blindly
from divulge.kernels.randomness import Stream, next_uniform

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
                n_crowded, n_wanted = list_aims(metric, state.residuals, moves.counts.block, work.aims)
        done += 1
        change = one_cell(-1, 0, 0, 0)
        if is_aiming and looked < _MOST_LOOKS and 0 < n_crowded + n_wanted <= _FEW and next_uniform(stream) < 0.5:
            change, looks = propose_aimed(blocks, moves, work.aims, n_crowded, n_wanted, codes, stream)
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
