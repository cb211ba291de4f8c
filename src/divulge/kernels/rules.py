"""Edit rules on rows of codes: whether a row keeps them, and rows changed until they do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.arrays import Integers
from divulge.kernels.compiling import borrowing
from divulge.kernels.randomness import next_below, next_code, next_uniform


class Rules(NamedTuple):
    """Edit rules as postfix programs over lookups: operation ≥ 0 looks up, −1 and, −2 or, −3 not (Kleene's logic)."""

    start: Integers  # rules + 1
    operation: Integers
    variable: Integers
    lookup: NDArray[np.int8]


DEEPEST = 31
"""Operands that may wait at once: the stack is one integer, two bits each, so that a look at a row allocates none."""


@borrowing
def keeps_rules(rules, codes, i):  # type: ignore[no-untyped-def]
    """Whether row i breaks no rule. Truth is ranked false 0, unknown 1, true 2: and is the least, or the greatest."""
    for r in range(rules.start.shape[0] - 1):
        stack = np.int64(0)
        for k in range(rules.start[r], rules.start[r + 1]):
            op = rules.operation[k]
            if op >= 0:
                stack = (stack << 2) | np.int64(rules.lookup[op + codes[i, rules.variable[k]]])
            elif op == -3:
                stack += 2 - 2 * (stack & 3)
            else:
                top, stack = stack & 3, stack >> 2
                below = stack & 3
                stack += (min(below, top) if op == -1 else max(below, top)) - below
        if stack == 0:
            return False
    return True


@borrowing
def keep_rules(rules, codes):  # type: ignore[no-untyped-def]
    """Whether no row breaks a rule."""
    if rules.start.shape[0] > 1:
        for i in range(codes.shape[0]):
            if not keeps_rules(rules, codes, i):
                return False
    return True


@njit(cache=True, nogil=True)
def swap_until_kept(rules, codes, stream, variables, most_tries):  # type: ignore[no-untyped-def]
    """Give rows that break a rule a value of another row, which gets theirs; return how many rows still break one.

    Every column keeps its values, so marginals stay as they are; a row that kept the rules goes on keeping them.
    """
    n_rows = codes.shape[0]
    left = 0
    for i in range(n_rows):
        if keeps_rules(rules, codes, i):
            continue
        is_mended = False
        for _ in range(most_tries):
            v = variables[next_below(stream, variables.shape[0])]
            j = next_below(stream, n_rows)
            own, other = codes[i, v], codes[j, v]
            if own == other:
                continue
            was_right = keeps_rules(rules, codes, j)
            codes[i, v], codes[j, v] = other, own
            is_mended = keeps_rules(rules, codes, i)
            if is_mended and was_right:
                is_mended = keeps_rules(rules, codes, j)
            if is_mended:
                break
            codes[i, v], codes[j, v] = own, other
        if not is_mended:
            left += 1
    return left


@njit(cache=True, nogil=True)
def redraw_until_kept(rules, draws, codes, stream, variables):  # type: ignore[no-untyped-def]
    """Redraw cells (of these variables) of rows that break a rule, from `proposals.Draws`; return how many still do.

    A row gets 1,000 tries, half from the marginal and half uniform: a rule may ask for a rare value.
    """
    left = 0
    for i in range(codes.shape[0]):
        tries = 0
        while not keeps_rules(rules, codes, i):
            if tries == 1000:
                left += 1
                break
            tries += 1
            v = variables[next_below(stream, variables.shape[0])]
            if next_uniform(stream) < 0.5:
                codes[i, v] = next_code(stream, draws.threshold, draws.alias, draws.start[v], draws.n_codes[v])
            else:
                k = next_below(stream, draws.n_codes[v])
                at = draws.start[v] + k
                # A code of probability 0 is not granted: its place in the alias table belongs wholly to another.
                codes[i, v] = k if draws.threshold[at] > 0.0 else draws.alias[at]
    return left
