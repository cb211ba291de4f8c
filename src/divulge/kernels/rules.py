"""Edit rules on rows of codes: whether a row keeps them, and rows redrawn until they do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.randomness import next_below, next_code, next_uniform


class Rules(NamedTuple):
    """Edit rules as postfix programs over lookups: operation ≥ 0 looks up, −1 and, −2 or, −3 not (Kleene's logic)."""

    start: NDArray[np.int64]  # rules + 1
    operation: NDArray[np.int64]
    variable: NDArray[np.int64]
    lookup: NDArray[np.int8]


@njit(cache=True, nogil=True)
def keeps_rules(start, operation, variable, lookup, codes, i):  # type: ignore[no-untyped-def]
    """Whether row i breaks no rule. Truth is ranked false 0, unknown 1, true 2: and is the least, or the greatest."""
    stack = np.empty(64, np.int8)
    for r in range(start.shape[0] - 1):
        top = 0
        for k in range(start[r], start[r + 1]):
            op = operation[k]
            if op >= 0:
                stack[top] = lookup[op + codes[i, variable[k]]]
                top += 1
            elif op == -3:
                stack[top - 1] = 2 - stack[top - 1]
            else:
                top -= 1
                a, b = stack[top - 1], stack[top]
                stack[top - 1] = min(a, b) if op == -1 else max(a, b)
        if stack[0] == 0:
            return False
    return True


@njit(cache=True, nogil=True)
def mend_rows(rules, n_codes, threshold, alias, alias_start, codes, stream, variables):  # type: ignore[no-untyped-def]
    """Redraw cells (of these variables) of rows that break a rule; return how many rows still do.

    A row gets 1,000 tries, half from the marginal and half uniform: a rule may ask for a rare value.
    """
    rule_start, operation, rule_variable, lookup = rules
    left = 0
    for i in range(codes.shape[0]):
        tries = 0
        while not keeps_rules(rule_start, operation, rule_variable, lookup, codes, i):
            if tries == 1000:
                left += 1
                break
            tries += 1
            v = variables[next_below(stream, variables.shape[0])]
            if next_uniform(stream) < 0.5:
                codes[i, v] = next_code(stream, threshold, alias, alias_start[v], n_codes[v])
            else:
                k = next_below(stream, n_codes[v])
                # A code of probability 0 is not granted: its place in the alias table belongs wholly to another.
                codes[i, v] = k if threshold[alias_start[v] + k] > 0.0 else alias[alias_start[v] + k]
    return left
