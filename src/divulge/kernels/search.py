"""The search: one row's cell is changed, totals move by a few additions, and the change is kept if it helps.

Discrepancy = Σ_k weight_k · dist(residual_k, [low_k, high_k])², with residuals linear in the totals between refreshes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.lowering import contribution
from divulge.kernels.randomness import next_below, next_code, next_uniform
from divulge.kernels.rules import keeps_rules

# Tuples of arrays are unpacked once at the head of a kernel: an access inside the loop would copy the whole tuple.


class Metric(NamedTuple):
    """How totals become residuals and these a discrepancy."""

    first_residual: NDArray[np.int64]  # for every total: the first residual that it moves
    n_residuals: NDArray[np.int64]  # … and how many follow each other
    jacobian_start: NDArray[np.int64]  # … and where its slopes are
    jacobian: NDArray[np.float64]
    weight: NDArray[np.float64]  # for every residual
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Moves(NamedTuple):
    """Which cells may change, and to what."""

    variables: NDArray[np.int64]  # those that matter to some output
    cumulative: NDArray[np.float64]  # how often each of them is proposed
    n_codes: NDArray[np.int64]  # for every variable
    n_values: NDArray[np.int64]
    is_numeric: NDArray[np.bool_]
    threshold: NDArray[np.float64]  # alias tables of the marginals, for all variables
    alias: NDArray[np.int32]
    alias_start: NDArray[np.int64]
    block_start: NDArray[np.int64]  # blocks that a variable takes part in, then all blocks; variables + 2
    blocks: NDArray[np.int64]
    total_block: NDArray[np.int64]  # for every total that is a figure of its own, the block that sums it; else −1
    block_variable_start: NDArray[np.int64]  # variables that may move in a block, blocks + 1
    block_variables: NDArray[np.int64]
    swap_share: float  # of proposals that swap a column between two rows; 1 keeps every marginal
    step_share: float  # of proposals on numeric variables that step instead of being redrawn


class Scratch(NamedTuple):
    """Working memory of the search, so that the loop allocates nothing."""

    delta: NDArray[np.float64]  # totals; holds a value only where mark is the current stamp
    mark: NDArray[np.int64]
    touched: NDArray[np.int64]
    shift: NDArray[np.float64]  # residuals; likewise
    shift_mark: NDArray[np.int64]
    shifted: NDArray[np.int64]  # first residuals of the runs that were shifted
    shifted_size: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    crowded: NDArray[np.int64]  # totals that hold too much


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
def _gain(weight, low, high, residuals, shift, shifted, shifted_size, runs):  # type: ignore[no-untyped-def]
    """The change of the discrepancy if the residuals were shifted."""
    change = 0.0
    for q in range(runs):
        k0 = shifted[q]
        for k in range(k0, k0 + shifted_size[q]):
            before = _outside(residuals[k], low[k], high[k])
            after = _outside(residuals[k] + shift[k], low[k], high[k])
            change += weight[k] * (after * after - before * before)
    return change


@njit(cache=True, nogil=True, inline="always")
def _propose(n_codes, n_values, is_numeric, threshold, alias, alias_start, step_share, stream, v, old):  # type: ignore[no-untyped-def]
    """A code for variable v: redrawn from its marginal, or for a numeric one often a short step along its values."""
    if is_numeric[v] and old < n_values[v] and next_uniform(stream) < step_share:
        # Steps of 1, 2, 4 … 32 values: fine ones for the last digits, coarse ones to get there.
        size = np.int64(1) << next_below(stream, 6)
        new = old + size if next_uniform(stream) < 0.5 else old - size
        return new if 0 <= new < n_values[v] else old
    return next_code(stream, threshold, alias, alias_start[v], n_codes[v])


LOOK_AGAIN = 512
"""Proposals after which the crowded totals are listed anew and it is decided whether to aim at them."""

SELDOM = 0.02
"""Share of proposals kept below which blind ones no longer pay, and half of them are aimed."""

BOTH = 0.1
"""Share of blind proposals that redraw two variables of a row at once: from one cell of a crosstab to one that differs
in both, which single changes reach only through a third cell that should stay empty."""

FEW = 64
"""Crowded totals above which a row drawn blindly is in one often enough; looking for one would only cost time."""

LONGEST_LOOK = 3000
"""Rows looked at for one that is in a crowded cell."""


@njit(cache=True, nogil=True)
def _list_crowded(first, jstart, jacobian, low, high, residuals, total_block, crowded):  # type: ignore[no-untyped-def]
    """List the totals whose figure is off because they hold too much; return how many."""
    n = 0
    for t in range(total_block.shape[0]):
        if total_block[t] >= 0:
            k = first[t]
            slope = jacobian[jstart[t]]
            if (slope > 0.0 and residuals[k] > high[k]) or (slope < 0.0 and residuals[k] < low[k]):
                crowded[n] = t
                n += 1
    return n


@njit(cache=True, nogil=True)
def _find_row(ints, floats, b, t, codes, start, indices, values):  # type: ignore[no-untyped-def]
    """A row that adds to total t of block b, looking on from row `start`; −1 where none is near."""
    n_rows = codes.shape[0]
    i = start
    for _ in range(min(LONGEST_LOOK, n_rows)):
        for k in range(contribution(ints, floats, b, codes, i, indices, values)):
            if indices[k] == t and values[k] > 0.0:
                return i
        i += 1
        if i == n_rows:
            i = 0
    return -1


@njit(cache=True, nogil=True)
def descend(  # type: ignore[no-untyped-def]
    ints, floats, metric, moves, rules, codes, totals, residuals, stream, scratch, n_proposals, goal, temperature
):
    """Propose n changes and keep those that lower the discrepancy; stop early at the goal.

    temperature: above 0, a change for the worse is kept with probability exp(−change / temperature) (Metropolis 1953).

    codes (rows, variables), totals and residuals are changed in place. Returns (proposed, kept, discrepancy).
    """
    first, size, jstart, jacobian, weight, low, high = metric
    (
        variables,
        cumulative,
        n_codes,
        n_values,
        is_numeric,
        threshold,
        alias,
        alias_start,
        block_start,
        blocks,
        total_block,
        variable_start,
        block_variables,
        swaps,
        steps,
    ) = moves
    rule_start, operation, rule_variable, lookup = rules
    delta, mark, touched, shift, shift_mark, shifted, shifted_size, indices, values, crowded = scratch
    n_rows = codes.shape[0]
    now = discrepancy(weight, low, high, residuals)
    kept, done, stamp = 0, 0, 0
    n_crowded, kept_before, aiming = 0, 0, False
    has_rules = rule_start.shape[0] > 1
    for _ in range(n_proposals):
        if now <= goal:
            break
        if done % LOOK_AGAIN == 0:
            aiming = swaps < 1.0 and done > 0 and kept - kept_before < SELDOM * LOOK_AGAIN
            kept_before = kept
            if aiming:
                n_crowded = _list_crowded(first, jstart, jacobian, low, high, residuals, total_block, crowded)
        done += 1
        i, j, w = np.int64(-1), np.int64(-1), np.int64(-1)
        if aiming and 0 < n_crowded <= FEW and next_uniform(stream) < 0.5:
            t = crowded[next_below(stream, n_crowded)]
            b = total_block[t]
            n_choices = variable_start[b + 1] - variable_start[b]
            if n_choices > 0:
                i = _find_row(ints, floats, b, t, codes, next_below(stream, n_rows), indices, values)
        if i >= 0:
            v = block_variables[variable_start[b] + next_below(stream, n_choices)]
            old = np.int64(codes[i, v])
            # Every granted code alike: what is missing may be rare.
            new = next_below(stream, n_codes[v])
            if threshold[alias_start[v] + new] == 0.0:
                new = old
            if n_choices > 1 and next_uniform(stream) < 0.5:
                w = block_variables[variable_start[b] + next_below(stream, n_choices)]
        else:
            pick = next_uniform(stream)
            at = 0
            while cumulative[at] <= pick:
                at += 1
            v = variables[at]
            i = next_below(stream, n_rows)
            old = np.int64(codes[i, v])
            if swaps > 0.0 and next_uniform(stream) < swaps:
                j = next_below(stream, n_rows)
                new = np.int64(codes[j, v])
            else:
                new = _propose(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, v, old)
                if next_uniform(stream) < BOTH:
                    w = variables[next_below(stream, variables.shape[0])]
        old_w, new_w = np.int64(0), np.int64(0)
        segment = v
        if w == v:
            w = np.int64(-1)
        if w >= 0:
            segment = block_start.shape[0] - 2
            old_w = np.int64(codes[i, w])
            new_w = _propose(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, w, old_w)
        if new == old and new_w == old_w:
            continue
        stamp += 1
        b0, b1 = block_start[segment], block_start[segment + 1]
        n_touched = _collect(
            ints, floats, blocks, b0, b1, codes, i, -1.0, delta, mark, touched, indices, values, stamp, 0
        )
        if j >= 0:
            n_touched = _collect(
                ints, floats, blocks, b0, b1, codes, j, -1.0, delta, mark, touched, indices, values, stamp, n_touched
            )
            codes[j, v] = old
        codes[i, v] = new
        if w >= 0:
            codes[i, w] = new_w
        accepted = False
        if not has_rules or (
            keeps_rules(rule_start, operation, rule_variable, lookup, codes, i)
            and (j < 0 or keeps_rules(rule_start, operation, rule_variable, lookup, codes, j))
        ):
            n_touched = _collect(
                ints, floats, blocks, b0, b1, codes, i, 1.0, delta, mark, touched, indices, values, stamp, n_touched
            )
            if j >= 0:
                n_touched = _collect(
                    ints, floats, blocks, b0, b1, codes, j, 1.0, delta, mark, touched, indices, values, stamp, n_touched
                )
            runs = _shift(
                first,
                size,
                jstart,
                jacobian,
                delta,
                touched,
                n_touched,
                shift,
                shift_mark,
                shifted,
                shifted_size,
                stamp,
            )
            change = _gain(weight, low, high, residuals, shift, shifted, shifted_size, runs)
            if change < -1e-12 * now or (
                temperature > 0.0 and change > 0.0 and next_uniform(stream) < np.exp(-change / temperature)
            ):  # a smaller gain is rounding
                for q in range(n_touched):
                    totals[touched[q]] += delta[touched[q]]
                for q in range(runs):
                    for k in range(shifted[q], shifted[q] + shifted_size[q]):
                        residuals[k] += shift[k]
                now += change
                kept += 1
                accepted = True
        if not accepted:
            codes[i, v] = old
            if w >= 0:
                codes[i, w] = old_w
            if j >= 0:
                codes[j, v] = new
    mark[:] = 0
    shift_mark[:] = 0
    return done, kept, now


@njit(cache=True, nogil=True)
def draw_pool(ints, floats, metric, moves, rules, codes, stream, scratch, rows, columns, news, shifts):  # type: ignore[no-untyped-def]
    """Draw single moves without making them: rows, columns, new codes, and the change of every residual.

    Fills the arrays and returns how many were filled; moves that change nothing or break a rule are drawn again, at
    most 20 times each on average, so that it ends where hardly any is allowed.
    """
    first, size, jstart, jacobian, _weight, _low, _high = metric
    (
        variables,
        cumulative,
        n_codes,
        n_values,
        is_numeric,
        threshold,
        alias,
        alias_start,
        block_start,
        blocks,
        _total_block,
        _variable_start,
        _block_variables,
        _swaps,
        steps,
    ) = moves
    rule_start, operation, rule_variable, lookup = rules
    delta, mark, touched, shift, shift_mark, shifted, shifted_size, indices, values, _crowded = scratch
    n_rows = codes.shape[0]
    filled, stamp = 0, 0
    for _ in range(20 * rows.shape[0]):
        if filled == rows.shape[0]:
            break
        pick = next_uniform(stream)
        at = 0
        while cumulative[at] <= pick:
            at += 1
        v = variables[at]
        i = next_below(stream, n_rows)
        old = np.int64(codes[i, v])
        new = _propose(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, v, old)
        if new == old:
            continue
        stamp += 1
        b0, b1 = block_start[v], block_start[v + 1]
        n_touched = _collect(
            ints, floats, blocks, b0, b1, codes, i, -1.0, delta, mark, touched, indices, values, stamp, 0
        )
        codes[i, v] = new
        if keeps_rules(rule_start, operation, rule_variable, lookup, codes, i):
            n_touched = _collect(
                ints, floats, blocks, b0, b1, codes, i, 1.0, delta, mark, touched, indices, values, stamp, n_touched
            )
            runs = _shift(
                first,
                size,
                jstart,
                jacobian,
                delta,
                touched,
                n_touched,
                shift,
                shift_mark,
                shifted,
                shifted_size,
                stamp,
            )
            rows[filled], columns[filled], news[filled] = i, v, new
            shifts[filled, :] = 0.0
            for q in range(runs):
                # The pool may look at the first residuals alone.
                for k in range(shifted[q], min(shifted[q] + shifted_size[q], shifts.shape[1])):
                    shifts[filled, k] = shift[k]
            filled += 1
        codes[i, v] = old
    mark[:] = 0
    shift_mark[:] = 0
    return filled
