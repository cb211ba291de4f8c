"""What a change of rows does: totals move by a few additions, residuals with them, and so the discrepancy.

Discrepancy = Σ_k weight_k · dist(residual_k, [low_k, high_k])², with residuals linear in the totals between refreshes.
What is proposed is in `proposals`; what is kept, in `search`.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.lowering import contribution
from divulge.kernels.rules import keeps_rules


class Metric(NamedTuple):
    """How totals become residuals and these a discrepancy."""

    first_residual: Integers  # for every total: the first residual that it moves
    n_residuals: Integers  # … and how many follow each other
    jacobian_start: Integers  # … and where its slopes are
    jacobian: Floats
    weight: Floats  # for every residual
    low: Floats
    high: Floats


class Scratch(NamedTuple):
    """Working memory of the search, so that the loop allocates nothing."""

    delta: Floats  # totals; holds a value only where mark is the current stamp
    mark: Integers
    touched: Integers
    shift: Floats  # residuals; likewise
    shift_mark: Integers
    shifted: Integers  # first residuals of the runs that were shifted
    shifted_size: Integers
    indices: Integers
    values: Floats
    pull: Floats  # totals: how the discrepancy would rise with them
    crowded: Integers  # totals that hold too much
    wanted: Integers  # totals that hold too little


@njit(cache=True, nogil=True, inline="always")
def _outside(x, low, high):  # type: ignore[no-untyped-def]
    return max(max(low - x, x - high), 0.0)


@njit(cache=True, nogil=True)
def discrepancy(weight, low, high, residuals):  # type: ignore[no-untyped-def]
    """Σ weight · (distance from the interval)²."""
    total = 0.0
    for k in range(residuals.shape[0]):
        d = _outside(residuals[k], low[k], high[k])
        total += weight[k] * d * d
    return total


@njit(cache=True, nogil=True)
def _collect(ints, floats, blocks, b0, b1, codes, i, sign, delta, mark, touched, indices, values, stamp, n_touched):  # type: ignore[no-untyped-def]
    """Add sign × row i's contributions to the blocks b0 … b1 into delta; return how many totals were touched."""
    for b in range(b0, b1):
        for k in range(contribution(ints, floats, blocks[b], codes, i, indices, values)):
            t = indices[k]
            if mark[t] != stamp:
                mark[t] = stamp
                delta[t] = 0.0
                touched[n_touched] = t
                n_touched += 1
            delta[t] += sign * values[k]
    return n_touched


@njit(cache=True, nogil=True)
def _shift(first, size, jstart, jacobian, delta, touched, n_touched, shift, shift_mark, shifted, shifted_size, stamp):  # type: ignore[no-untyped-def]
    """Turn changes of totals into changes of residuals; return how many runs of residuals were shifted."""
    runs = 0
    for j in range(n_touched):
        t = touched[j]
        d = delta[t]
        if d == 0.0:
            continue
        k0 = first[t]
        n = size[t]
        at = jstart[t]
        if shift_mark[k0] == stamp:
            for k in range(n):
                shift[k0 + k] += d * jacobian[at + k]
        else:
            shift_mark[k0] = stamp
            shifted[runs] = k0
            shifted_size[runs] = n
            runs += 1
            for k in range(n):
                shift[k0 + k] = d * jacobian[at + k]
    return runs


@njit(cache=True, nogil=True)
def gain(weight, low, high, residuals, shift, shifted, shifted_size, runs):  # type: ignore[no-untyped-def]
    """The change of the discrepancy if the residuals were shifted."""
    change = 0.0
    for q in range(runs):
        k0 = shifted[q]
        for k in range(k0, k0 + shifted_size[q]):
            before = _outside(residuals[k], low[k], high[k])
            after = _outside(residuals[k] + shift[k], low[k], high[k])
            change += weight[k] * (after * after - before * before)
    return change


@njit(cache=True, nogil=True)
def make_change(  # type: ignore[no-untyped-def]
    ints,
    floats,
    blocks,
    b0,
    b1,
    codes,
    i,
    j,
    v,
    new,
    w,
    new_w,
    rule_start,
    operation,
    rule_variable,
    lookup,
    first,
    size,
    jstart,
    jacobian,
    delta,
    mark,
    touched,
    shift,
    shift_mark,
    shifted,
    shifted_size,
    indices,
    values,
    stamp,
):
    """Give cell (i, v) a new code, and (i, w) where w ≥ 0; where j ≥ 0, row j gets the old code of (i, v).

    Fills delta and shift; returns how many totals were touched and runs of residuals shifted, or −1 for the latter
    where an edit rule forbids the change. The codes are changed either way: `undo_change` takes it back.
    """
    n = _collect(ints, floats, blocks, b0, b1, codes, i, -1.0, delta, mark, touched, indices, values, stamp, 0)
    if j >= 0:
        n = _collect(ints, floats, blocks, b0, b1, codes, j, -1.0, delta, mark, touched, indices, values, stamp, n)
        codes[j, v] = codes[i, v]
    codes[i, v] = new
    if w >= 0:
        codes[i, w] = new_w
    if rule_start.shape[0] > 1:
        if not keeps_rules(rule_start, operation, rule_variable, lookup, codes, i):
            return n, -1
        if j >= 0 and not keeps_rules(rule_start, operation, rule_variable, lookup, codes, j):
            return n, -1
    n = _collect(ints, floats, blocks, b0, b1, codes, i, 1.0, delta, mark, touched, indices, values, stamp, n)
    if j >= 0:
        n = _collect(ints, floats, blocks, b0, b1, codes, j, 1.0, delta, mark, touched, indices, values, stamp, n)
    return n, _shift(first, size, jstart, jacobian, delta, touched, n, shift, shift_mark, shifted, shifted_size, stamp)


@njit(cache=True, nogil=True, inline="always")
def undo_change(codes, i, j, v, old, w, old_w):  # type: ignore[no-untyped-def]
    """Take back what `make_change` did to the codes."""
    if j >= 0:
        codes[j, v] = codes[i, v]
    codes[i, v] = old
    if w >= 0:
        codes[i, w] = old_w
