"""Responses drawn from a model so that its estimating equation nearly holds: chance evens itself out row by row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.lowering import (
    BETA_COLUMNS,
    BLOCK_SIZE,
    N_PARTS,
    PARTS,
    PREDICTOR,
    PREDICTOR_END,
    WEIGHT,
    look_up,
    look_up_codes,
)
from divulge.kernels.randomness import next_uniform

STRENGTH = 0.1
"""How far one row too many, so far, moves the probability of the next in a column that every row has; in rarer columns
further, by the root of their rarity. More leaves chance little say in a row, less leaves columns out of balance."""

ENOUGH = 4096
"""Rows from which it is seen how rare a column is."""


@njit(cache=True, nogil=True)
def draw_in_balance(blocks, b, eta, n_codes, codes, stream, drawn):  # type: ignore[no-untyped-def]
    """Fill `drawn` with a response (0 or 1) for every row from the logistic model of block b; −1 where η is unknown.

    Independent draws would leave the score Σ x (y − μ) as far from 0 as the root of the number of rows. Here a row's
    probability is μ less what the rows before it have too many in its columns (a self-balancing walk: Alweiss, Liu and
    Sawhney 2021), so that a row or so is left however many there are, and nothing but the score is held to.
    eta: the linear predictor of every row. n_codes: of every variable.
    """
    block = b * BLOCK_SIZE
    terms = _tables(blocks, block, n_codes)
    n_rows, n_terms, n_columns = codes.shape[0], terms.variable.shape[0], blocks.ints[block + BETA_COLUMNS]
    column, value = np.empty(n_terms, np.int64), np.empty(n_terms)
    count, square = np.zeros(n_columns + 1), np.zeros(n_columns + 1)
    seen = min(n_rows, ENOUGH)
    for i in range(seen):
        _fill(blocks, block, terms, codes, i, column, value)
        for a in range(n_terms):
            count[column[a]] += value[a] != 0.0
            square[column[a]] += value[a] * value[a]
    pull, score = np.zeros(n_columns + 1), np.zeros(n_columns + 1)
    for k in range(n_columns):
        # A column that a share s of the rows has, with a mean square of q over all of them: √s / q.
        pull[k] = STRENGTH * np.sqrt(count[k] * seen) / square[k] if square[k] > 0.0 else STRENGTH
    for i in range(n_rows):
        if not np.isfinite(eta[i]):
            drawn[i] = -1
            continue
        share = 1.0 / (1.0 + np.exp(-eta[i]))
        _fill(blocks, block, terms, codes, i, column, value)
        surplus = 0.0
        for a in range(n_terms):
            surplus += pull[column[a]] * value[a] * score[column[a]]
        drawn[i] = next_uniform(stream) < share - surplus
        gap = drawn[i] - share
        for a in range(n_terms):
            score[column[a]] += value[a] * gap


class _Terms(NamedTuple):
    """The terms of a predictor: its variable (−1: it has several), and its column and value by code of that."""

    variable: Integers
    columns: Integers  # (terms, codes); where a term has none, the number of columns
    values: Floats


@njit(cache=True, nogil=True)
def _tables(blocks, block, n_codes):  # type: ignore[no-untyped-def]
    ints, floats = blocks.ints, blocks.floats
    first, last, none = ints[block + PREDICTOR], ints[block + PREDICTOR_END], ints[block + BETA_COLUMNS]
    variable = np.full(last - first, -1, np.int64)
    widest = 0
    for t in range(first, last):
        if ints[ints[t] + N_PARTS] <= 1:
            variable[t - first] = ints[ints[t] + PARTS] if ints[ints[t] + N_PARTS] == 1 else 0
            widest = max(widest, n_codes[variable[t - first]])
    columns, values = np.full((last - first, widest), none, np.int64), np.zeros((last - first, widest))
    for t in range(first, last):
        a = t - first
        if variable[a] >= 0:
            n = n_codes[variable[a]]
            at, value = look_up_codes(ints, floats, ints[t], n)
            for code in range(n):
                if at[code] >= 0:
                    columns[a, code], values[a, code] = at[code], value[code]
    return _Terms(variable, columns, values)


@njit(cache=True, nogil=True, inline="always")
def _fill(blocks, block, terms, codes, i, column, value):  # type: ignore[no-untyped-def]
    """The column and weighted value of every term of the predictor for row i."""
    ints, floats = blocks.ints, blocks.floats
    for a in range(terms.variable.shape[0]):
        if terms.variable[a] >= 0:
            code = codes[i, terms.variable[a]]
            column[a], value[a] = terms.columns[a, code], terms.values[a, code]
        else:
            at, x = look_up(ints, floats, ints[ints[block + PREDICTOR] + a], codes, i)
            column[a], value[a] = at if at >= 0 else ints[block + BETA_COLUMNS], x
    if ints[block + WEIGHT] >= 0:
        at, weight = look_up(ints, floats, ints[block + WEIGHT], codes, i)
        for a in range(terms.variable.shape[0]):
            value[a] *= weight if at >= 0 else 0.0
