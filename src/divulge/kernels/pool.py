"""A pool of changes that were drawn but not made, with what each would do: pairs are chosen from it."""

from __future__ import annotations

import numpy as np
from numba import njit

from divulge.kernels.changes import make_change, undo_change
from divulge.kernels.proposals import pick_rows, pick_variable, propose_code
from divulge.kernels.randomness import next_below, next_uniform


@njit(cache=True, nogil=True)
def draw_pool(  # type: ignore[no-untyped-def]
    ints, floats, metric, moves, rules, codes, stream, scratch, rows, others, columns, news, shifts
):
    """Draw changes without making them: rows, those they swap with (−1: none), columns, new codes, residuals' shifts.

    Fills the arrays and returns how many were filled; changes that do nothing or break a rule are drawn again, at
    most 20 times each on average, so that it ends where hardly any is allowed.
    """
    first, size, jstart, jacobian = metric[:4]
    variables, cumulative, n_codes, n_values, is_numeric, threshold, alias, alias_start, block_start, blocks = moves[
        :10
    ]
    peers, swaps, steps = moves[13:]
    rule_start, operation, rule_variable, lookup = rules
    delta, mark, touched, shift, shift_mark, shifted, shifted_size, indices, values = scratch[:9]
    n_rows = codes.shape[0]
    filled, stamp = 0, 0
    none = np.int64(-1)
    for _ in range(20 * rows.shape[0]):
        if filled == rows.shape[0]:
            break
        v = pick_variable(variables, cumulative, stream)
        j = none
        if swaps > 0.0 and next_uniform(stream) < swaps:
            i, j = pick_rows(n_rows, peers, is_numeric, stream, v)
            old, new = np.int64(codes[i, v]), np.int64(codes[j, v])
        else:
            i = next_below(stream, n_rows)
            old = np.int64(codes[i, v])
            new = propose_code(n_codes, n_values, is_numeric, threshold, alias, alias_start, steps, stream, v, old)
        if new == old:
            continue
        stamp += 1
        _, runs = make_change(
            ints,
            floats,
            blocks,
            block_start[v],
            block_start[v + 1],
            codes,
            i,
            j,
            v,
            new,
            none,
            none,
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
        undo_change(codes, i, j, v, old, none, none)
        if runs < 0:
            continue
        rows[filled], others[filled], columns[filled], news[filled] = i, j, v, new
        shifts[filled, :] = 0.0
        for q in range(runs):
            # The pool may look at the first residuals alone.
            for k in range(shifted[q], min(shifted[q] + shifted_size[q], shifts.shape[1])):
                shifts[filled, k] = shift[k]
        filled += 1
    mark[:] = 0
    shift_mark[:] = 0
    return filled
