"""Children of the evolutionary search: whole rows of two parents, some cells redrawn, totals updated on the way.

Tables are (rows, variables) codes. Whatever happens with a probability in every row or cell is reached by geometric
jumps, so that a pass costs what it changes. `scale` is 1 / log(1 − probability); see `jump_scale`.
What a change is worth is in `changes`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Integers
from divulge.kernels.changes import Users, discrepancy
from divulge.kernels.compiling import borrowing
from divulge.kernels.lowering import contribution
from divulge.kernels.proposals import Draws
from divulge.kernels.randomness import next_below, next_code, next_uniform
from divulge.kernels.rules import keeps_rules


class Redraw(NamedTuple):
    """Which columns mutate, what their new codes are drawn from, and the blocks of totals that look at them."""

    columns: Integers
    draws: Draws
    users: Users


def jump_scale(probability: float) -> float:
    """1 / log(1 − probability): −0 where everything is taken, −∞ where nothing is."""
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.divide(1.0, np.log1p(-probability))) if probability > 0 else -np.inf


@njit(cache=True, nogil=True, inline="always")
def _jump(stream, scale, most):  # type: ignore[no-untyped-def]
    """How many are passed over before the next is taken: geometric, by inversion; `most` stands for all that is left.

    1 − u is never 0, so the logarithm is finite. At scale −∞ its product is ∞, or NaN where u is 0.
    """
    gap = np.log(1.0 - next_uniform(stream)) * scale
    return np.int64(gap) if gap < most else np.int64(most)


@njit(cache=True, nogil=True)
def choose_parents(fitness, stream, parents):  # type: ignore[no-untyped-def]
    """Fill `parents` (pairs, 2) by binary tournaments; the two of a pair differ.

    Two different individuals meet and the lower fitness wins, the first drawn where they are equal. The second parent
    is drawn until it is another than the first, as in the authors' program. Of two individuals both are parents: the
    worse one would never win.
    """
    n = fitness.shape[0]
    for k in range(parents.shape[0]):
        for side in range(2):
            while True:
                a = next_below(stream, n)
                b = next_below(stream, n - 1)
                if b >= a:
                    b += 1
                winner = b if fitness[b] < fitness[a] else a
                if side == 1 and n == 2:
                    winner = 1 - parents[k, 0]
                if side == 0 or winner != parents[k, 0]:
                    parents[k, side] = winner
                    break


@njit(cache=True, nogil=True)
def choose_rows(stream, scale, n_rows, chosen):  # type: ignore[no-untyped-def]
    """Write the numbers of the rows that are chosen, ascending; return how many."""
    count = 0
    i = _jump(stream, scale, n_rows)
    while i < n_rows:
        chosen[count] = i
        count += 1
        i += 1 + _jump(stream, scale, n_rows)
    return count


@njit(cache=True, nogil=True)
def cross(taken, kept, chosen, child):  # type: ignore[no-untyped-def]
    """The chosen rows of one parent, followed by the other rows of the other: positions are not preserved."""
    width = child.shape[1]
    source, target = taken.ravel(), child.ravel()
    for k in range(chosen.shape[0]):
        at, to = chosen[k] * width, k * width
        for j in range(width):
            target[to + j] = source[at + j]
    source = kept.ravel()
    to = chosen.shape[0] * width
    start = 0
    for k in range(chosen.shape[0] + 1):
        stop = chosen[k] * width if k < chosen.shape[0] else source.shape[0]
        for at in range(start, stop):
            target[to + at - start] = source[at]
        to += stop - start
        start = stop + width


@borrowing
def add_rows(blocks, n_blocks, codes, chosen, sign, totals):  # type: ignore[no-untyped-def]
    """Add sign × what the chosen rows contribute to `totals`."""
    for k in range(chosen.shape[0]):
        for b in range(n_blocks):
            for e in range(contribution(blocks, b, codes, chosen[k])):
                totals[blocks.indices[e]] += sign * blocks.values[e]


@borrowing
def mutate(blocks, redraw, rules, codes, totals, stream, scale):  # type: ignore[no-untyped-def]
    """Redraw cells of `codes` and move `totals` along; return how many cells were changed.

    A cell may be redrawn as it was. A change that would break an edit rule is not made.
    """
    draws, users, n_columns = redraw.draws, redraw.users, redraw.columns.shape[0]
    has_rules = rules.start.shape[0] > 1
    n_cells = codes.shape[0] * n_columns
    changed = 0
    at = _jump(stream, scale, n_cells)
    while at < n_cells:
        i = at // n_columns
        v = redraw.columns[at % n_columns]
        at += 1 + _jump(stream, scale, n_cells)
        old = np.int64(codes[i, v])
        new = next_code(stream, draws.threshold, draws.alias, draws.start[v], draws.n_codes[v])
        if new == old:
            continue
        if has_rules:
            codes[i, v] = new
            is_kept = keeps_rules(rules, codes, i)
            codes[i, v] = old
            if not is_kept:
                continue
        _add_row(blocks, users, v, codes, i, -1.0, totals)
        codes[i, v] = new
        _add_row(blocks, users, v, codes, i, 1.0, totals)
        changed += 1
    return changed


@borrowing
def _add_row(blocks, users, v, codes, i, sign, totals):  # type: ignore[no-untyped-def]
    """Add sign × what row i contributes to the blocks that look at variable v."""
    for u in range(users.start[v], users.start[v + 1]):
        for e in range(contribution(blocks, users.block[u], codes, i)):
            totals[blocks.indices[e]] += sign * blocks.values[e]


@njit(cache=True, nogil=True)
def fitness(metric, reference, residuals, totals, moved):  # type: ignore[no-untyped-def]
    """The discrepancy at other totals than the reference's, whose residuals are known. moved: scratch (residuals,)."""
    slopes = metric.slopes
    moved[:] = residuals
    for t in range(totals.shape[0]):
        change = totals[t] - reference[t]
        if change != 0.0:
            for k in range(slopes.size[t]):
                moved[slopes.first[t] + k] += change * slopes.slope[slopes.start[t] + k]
    return discrepancy(metric.goal, moved)
