"""The search: rows are changed one proposal at a time, and a change is kept if the discrepancy falls."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.changes import discrepancy, gain, make_change, undo_change
from divulge.kernels.proposals import (
    find_newcomer,
    find_row,
    list_aims,
    pick_rows,
    pick_variable,
    propose_alike,
    propose_code,
)
from divulge.kernels.randomness import next_below, next_uniform

LOOK_AGAIN = 512
"""Proposals after which the crowded totals are listed anew and it is decided whether to aim at them."""

SELDOM = 0.02
"""Share of proposals kept below which blind ones no longer pay, and half of them are aimed."""

BOTH = 0.1
"""Share of blind proposals that redraw two variables of a row at once: from one cell of a crosstab to one that differs
in both, which single changes reach only through a third cell that should stay empty."""

FEW = 64
"""Crowded totals above which a row drawn blindly is in one often enough; looking for one would only cost time."""

MOST_LOOKS = 10_000
"""Rows looked at, in search of those to aim at, before the crowded totals are listed anew: about what as many proposals
cost otherwise."""


# Tuples of arrays are unpacked once at the head of a kernel: an access inside the loop would copy the whole tuple.
@njit(cache=True, nogil=True)
def descend(  # type: ignore[no-untyped-def]
    ints, floats, metric, moves, rules, codes, totals, residuals, stream, scratch, n_proposals, goal, temperature
):
    """Propose n changes and keep those that lower the discrepancy; stop early at the goal.

    temperature: above 0, a change for the worse is kept with probability exp(−change / temperature) (Metropolis 1953).

    codes (rows, variables), totals and residuals are changed in place. Returns (proposed, kept, discrepancy).
    """
    first, size, jstart, jacobian, weight, low, high = metric
    variables, cumulative, n_codes, n_values, is_numeric, threshold, alias, alias_start = moves[:8]
    block_start, blocks, total_block, variable_start, block_variables, peers, swaps, steps = moves[8:]
    rule_start, operation, rule_variable, lookup = rules
    delta, mark, touched, shift, shift_mark, shifted, shifted_size, indices, values = scratch[:9]
    pull, crowded, wanted = scratch[9:]
    n_rows = codes.shape[0]
    now = discrepancy(weight, low, high, residuals)
    kept, done, stamp = 0, 0, 0
    n_crowded, n_wanted, kept_before, looked, aiming = 0, 0, 0, 0, False
    for _ in range(n_proposals):
        if now <= goal:
            break
        if done % LOOK_AGAIN == 0:
            aiming = swaps < 1.0 and done > 0 and kept - kept_before < SELDOM * LOOK_AGAIN
            kept_before, looked = kept, 0
            if aiming:
                n_crowded, n_wanted = list_aims(
                    first,
                    size,
                    jstart,
                    jacobian,
                    weight,
                    low,
                    high,
                    residuals,
                    total_block,
                    pull,
                    crowded,
                    wanted,
                )
        done += 1
        i, j, w = np.int64(-1), np.int64(-1), np.int64(-1)
        if aiming and looked < MOST_LOOKS and 0 < n_crowded + n_wanted <= FEW and next_uniform(stream) < 0.5:
            at = next_below(stream, n_crowded + n_wanted)
            t = crowded[at] if at < n_crowded else wanted[at - n_crowded]
            b = total_block[t]
            n_choices = variable_start[b + 1] - variable_start[b]
            if n_choices > 0:
                # Of a count that holds too little, this is a row to take the code from.
                i, looks = find_row(ints, floats, b, t, codes, next_below(stream, n_rows), indices, values)
                looked += looks
            if i >= 0:
                v = block_variables[variable_start[b] + next_below(stream, n_choices)]
                old = np.int64(codes[i, v])
                if at < n_crowded:
                    # What is missing may be rare.
                    new = propose_alike(n_codes, threshold, alias_start, stream, v, old)
                    if n_choices > 1 and next_uniform(stream) < 0.5:
                        w = block_variables[variable_start[b] + next_below(stream, n_choices)]
                else:
                    new = old
                    from_row = next_below(stream, n_rows)
                    i, looks = find_newcomer(ints, floats, b, t, v, new, codes, from_row, indices, values)
                    looked += looks
                    if i >= 0:
                        old = np.int64(codes[i, v])
        if i < 0:
            v = pick_variable(variables, cumulative, stream)
            if swaps > 0.0 and next_uniform(stream) < swaps:
                i, j = pick_rows(n_rows, peers, is_numeric, stream, v)
                old, new = np.int64(codes[i, v]), np.int64(codes[j, v])
            else:
                i = next_below(stream, n_rows)
                old = np.int64(codes[i, v])
                new = propose_code(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, v, old)
                if next_uniform(stream) < BOTH:
                    w = variables[next_below(stream, variables.shape[0])]
        old_w, new_w = np.int64(0), np.int64(0)
        segment = v
        if w == v:
            w = np.int64(-1)
        if w >= 0:
            segment = block_start.shape[0] - 2
            old_w = np.int64(codes[i, w])
            new_w = propose_code(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, w, old_w)
        if new == old and new_w == old_w:
            continue
        stamp += 1
        n_touched, runs = make_change(
            ints,
            floats,
            blocks,
            block_start[segment],
            block_start[segment + 1],
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
        )
        accepted = False
        if runs >= 0:
            change = gain(weight, low, high, residuals, shift, shifted, shifted_size, runs)
            accepted = change < -1e-12 * now or (  # a smaller gain is rounding
                temperature > 0.0 and change > 0.0 and next_uniform(stream) < np.exp(-change / temperature)
            )
        if not accepted:
            undo_change(codes, i, j, v, old, w, old_w)
            continue
        for q in range(n_touched):
            totals[touched[q]] += delta[touched[q]]
        for q in range(runs):
            for k in range(shifted[q], shifted[q] + shifted_size[q]):
                residuals[k] += shift[k]
        now += change
        kept += 1
    mark[:] = 0
    shift_mark[:] = 0
    return done, kept, now
