"""Additive outputs as flat arrays, and what one row adds to their totals.

Every row's contribution to a block of totals is m(row) · Σ_terms value_t(row) · e[index_t(row)], where value and index
are looked up from the row's codes, and m is 1 or comes from a linear predictor (y − μ(η) for a score). The kernels here
never learn which kinds of output exist.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers, Integers32
from divulge.kernels.compiling import borrowing

NOTHING = -(2**30)
"""Part of a cell number that makes the whole of it negative, whatever the other parts: the row has no cell."""

ABSENT, EXCLUDED = -1, -2
"""Index of a term that has no column for this row (a reference level), and of a term that cannot be computed for it."""

# What a block's multiplier m is made from.
PLAIN, IDENTITY, LOGISTIC, POISSON, MULTINOMIAL = 0, 1, 2, 3, 4
# Which moment of the model the block sums: the score y − μ, the information dμ/dη, or the log-likelihood (kernel).
SCORE, INFORMATION, LOGLIKELIHOOD = 0, 1, 2


# Blocks are two arrays: passing twenty to a function called for every row costs ten times what the function does.
# The blocks themselves come first in `ints`, BLOCK_SIZE integers each, then everything they point to.
TERMS, TERMS_END, PREDICTOR, PREDICTOR_END, RESPONSE, WEIGHT = 0, 1, 2, 3, 4, 5
FAMILY, MOMENT, COLUMNS, CLASSES, BETA, BETA_COLUMNS, FIRST_TOTAL = 6, 7, 8, 9, 10, 11, 12
BLOCK_SIZE = 13
"""Fields of a block. TERMS … and PREDICTOR … are ranges of pointers to terms; RESPONSE and WEIGHT are such, or −1."""

N_PARTS, COLUMN_LOOKUP, SCALE_LOOKUP, PARTS = 0, 1, 2, 3
"""Fields of a term; from PARTS on, three for each variable: position, cell parts, factors (−1: all ones)."""


class Blocks(NamedTuple):
    """Blocks of totals as two flat arrays, and room for what one row adds to a block (`contribution`)."""

    ints: Integers32
    floats: Floats
    indices: Integers
    values: Floats
    eta: Floats  # one for each class of a multinomial model
    mu: Floats


@njit(cache=True, nogil=True, inline="always")
def look_up(ints, floats, term, codes, i):  # type: ignore[no-untyped-def]
    """(index, value) of a term for row i; ABSENT where it has no column here, EXCLUDED where a value is missing."""
    cell = 0
    value = 1.0
    part = term + PARTS
    for _ in range(ints[term + N_PARTS]):
        code = codes[i, ints[part]]
        cell += ints[ints[part + 1] + code]
        factors = ints[part + 2]
        if factors >= 0:
            value *= floats[factors + code]
        part += 3
    if cell < 0:
        return EXCLUDED, 0.0
    return ints[ints[term + COLUMN_LOOKUP] + cell], value * floats[ints[term + SCALE_LOOKUP] + cell]


@njit(cache=True, nogil=True)
def look_up_codes(ints, floats, term, n):  # type: ignore[no-untyped-def]
    """(index, value) of a term of one variable for each of the variable's first n codes; of none: n times the same."""
    v = ints[term + PARTS] if ints[term + N_PARTS] == 1 else 0
    one = np.zeros((1, v + 1), np.int64)
    indices, values = np.empty(n, np.int64), np.empty(n)
    for code in range(n):
        one[0, v] = code
        indices[code], values[code] = look_up(ints, floats, term, one, 0)
    return indices, values


@njit(cache=True, nogil=True, inline="always")
def _multiplier(family, moment, y, eta):  # type: ignore[no-untyped-def]
    """What multiplies a row's terms: its part of the score, of the information, or of the log-likelihood."""
    if family == IDENTITY:
        mu, slope = eta, 1.0
    elif family == LOGISTIC:
        mu = 1.0 / (1.0 + np.exp(-eta))
        slope = mu * (1.0 - mu)
    else:
        mu = np.exp(eta)
        slope = mu
    if moment == SCORE:
        return y - mu
    if moment == INFORMATION:
        return slope
    if family == IDENTITY:
        return (y - eta) * (y - eta)
    if family == LOGISTIC:
        return y * eta - (eta if eta > 30.0 else np.log1p(np.exp(eta)))  # e^−30 is below rounding
    return y * eta - mu


@borrowing
def contribution(blocks, b, codes, i):  # type: ignore[no-untyped-def]
    """Write what row i adds to block b into its (indices, values); return how many entries were written.

    codes: (rows, variables). An index may occur more than once.
    """
    ints, floats, indices, values = blocks.ints, blocks.floats, blocks.indices, blocks.values
    block = b * BLOCK_SIZE
    weight = 1.0
    if ints[block + WEIGHT] >= 0:
        at, weight = look_up(ints, floats, ints[block + WEIGHT], codes, i)
        if at < 0 or weight == 0.0:
            return 0
    first = ints[block + FIRST_TOTAL]
    family = ints[block + FAMILY]
    count = 0
    if family == PLAIN:
        for t in range(ints[block + TERMS], ints[block + TERMS_END]):
            at, value = look_up(ints, floats, ints[t], codes, i)
            if at >= 0 and value != 0.0:
                indices[count] = first + at
                values[count] = weight * value
                count += 1
        return count
    if family == MULTINOMIAL:
        return _multinomial(blocks, block, codes, i, weight)

    y_at, y = look_up(ints, floats, ints[block + RESPONSE], codes, i)
    if y_at == EXCLUDED:
        return 0
    # A score sums the very terms that make the predictor: they are looked up once.
    same = ints[block + TERMS] == ints[block + PREDICTOR]
    beta = ints[block + BETA]
    eta = 0.0
    for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
        at, value = look_up(ints, floats, ints[t], codes, i)
        if at == EXCLUDED:
            return 0
        if at >= 0:
            eta += floats[beta + at] * value
            if same and value != 0.0:
                indices[count] = first + at
                values[count] = value
                count += 1
    m = weight * _multiplier(family, ints[block + MOMENT], y, eta)
    if same:
        for k in range(count):
            values[k] *= m
        return count
    for t in range(ints[block + TERMS], ints[block + TERMS_END]):
        at, value = look_up(ints, floats, ints[t], codes, i)
        if at >= 0 and value != 0.0:
            indices[count] = first + at
            values[count] = m * value
            count += 1
    return count


@borrowing
def _multinomial(blocks, block, codes, i, weight):  # type: ignore[no-untyped-def]
    """A multinomial block: totals are laid out class by class (pair of classes by pair for the information)."""
    ints, floats, indices, values = blocks.ints, blocks.floats, blocks.indices, blocks.values
    chosen, _ = look_up(ints, floats, ints[block + RESPONSE], codes, i)
    if chosen < 0:
        return 0
    eta, mu, n_classes = blocks.eta, blocks.mu, ints[block + CLASSES]
    for k in range(n_classes):
        eta[k] = 0.0
    for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
        at, value = look_up(ints, floats, ints[t], codes, i)
        if at == EXCLUDED:
            return 0
        if at >= 0:
            for k in range(n_classes):
                eta[k] += floats[ints[block + BETA] + k * ints[block + BETA_COLUMNS] + at] * value
    top, total = 0.0, 0.0
    for k in range(n_classes):
        top = max(top, eta[k])
    for k in range(n_classes):
        mu[k] = np.exp(eta[k] - top)
        total += mu[k]
    total = np.exp(-top) + total
    for k in range(n_classes):
        mu[k] /= total
    first, columns, moment = ints[block + FIRST_TOTAL], ints[block + COLUMNS], ints[block + MOMENT]
    count = 0
    for t in range(ints[block + TERMS], ints[block + TERMS_END]):
        at, value = look_up(ints, floats, ints[t], codes, i)
        if at < 0 or value == 0.0:
            continue
        if moment == SCORE:
            for k in range(n_classes):
                indices[count] = first + k * columns + at
                values[count] = weight * value * ((1.0 if chosen == k + 1 else 0.0) - mu[k])
                count += 1
        elif moment == INFORMATION:
            pair = 0
            for k in range(n_classes):
                for j in range(k + 1):
                    indices[count] = first + pair * columns + at
                    values[count] = weight * value * mu[k] * ((1.0 if j == k else 0.0) - mu[j])
                    count += 1
                    pair += 1
        else:
            m = -top - np.log(total)
            if chosen > 0:
                m += eta[chosen - 1]
            indices[count] = first + at
            values[count] = weight * value * m
            count += 1
    return count


_ROWS_AT_ONCE = 4096
"""Rows whose predictors are held at once, where all rows are summed: few enough to stay in the cache."""


@njit(cache=True, nogil=True)
def add_totals(blocks, n_blocks, codes, totals):  # type: ignore[no-untyped-def]
    """Add what every row contributes to the totals of the first n blocks. codes: (rows, variables)."""
    n_rows = codes.shape[0]
    eta = np.empty(min(_ROWS_AT_ONCE, n_rows))
    for b in range(n_blocks):
        family = blocks.ints[b * BLOCK_SIZE + FAMILY]
        if family in (PLAIN, MULTINOMIAL):
            for i in range(n_rows):
                for k in range(contribution(blocks, b, codes, i)):
                    totals[blocks.indices[k]] += blocks.values[k]
        else:
            for start in range(0, n_rows, _ROWS_AT_ONCE):
                _add_model(blocks, b, codes, start, eta[: min(_ROWS_AT_ONCE, n_rows - start)], totals)


@njit(cache=True, nogil=True)
def add_rows(blocks, n_blocks, codes, found):  # type: ignore[no-untyped-def]
    """Add what each row contributes to the totals of the first n blocks. found: (rows, totals)."""
    for i in range(codes.shape[0]):
        for b in range(n_blocks):
            for k in range(contribution(blocks, b, codes, i)):
                found[i, blocks.indices[k]] += blocks.values[k]


@njit(cache=True, nogil=True)
def _add_model(blocks, b, codes, start, eta, totals):  # type: ignore[no-untyped-def]
    """Add what the rows from `start` on contribute to the block of a model, as many as `eta` has room for.

    Term by term: what a term of one variable is to be multiplied with is summed by that variable's codes.
    """
    ints, floats, block = blocks.ints, blocks.floats, b * BLOCK_SIZE
    predictor(blocks, b, 0, codes, start, eta)
    family, moment = ints[block + FAMILY], ints[block + MOMENT]
    for q in range(eta.shape[0]):
        at, y = look_up(ints, floats, ints[block + RESPONSE], codes, start + q)
        weight, weight_at = 1.0, 0
        if ints[block + WEIGHT] >= 0:
            weight_at, weight = look_up(ints, floats, ints[block + WEIGHT], codes, start + q)
        is_in = at != EXCLUDED and weight_at >= 0 and not np.isnan(eta[q])
        eta[q] = weight * _multiplier(family, moment, y, eta[q]) if is_in else 0.0
    first = ints[block + FIRST_TOTAL]
    for t in range(ints[block + TERMS], ints[block + TERMS_END]):
        term = ints[t]
        if ints[term + N_PARTS] == 1:
            v = ints[term + PARTS]
            sums = np.zeros(_largest(codes, start, eta.shape[0], v) + 1)
            for q in range(eta.shape[0]):
                sums[codes[start + q, v]] += eta[q]
            indices, values = look_up_codes(ints, floats, term, sums.shape[0])
            for code in range(sums.shape[0]):
                if indices[code] >= 0:
                    totals[first + indices[code]] += values[code] * sums[code]
        elif ints[term + N_PARTS] == 0:
            at, value = look_up(ints, floats, term, codes, start)
            if at >= 0:
                totals[first + at] += value * eta.sum()
        else:
            for q in range(eta.shape[0]):
                at, value = look_up(ints, floats, term, codes, start + q)
                if at >= 0:
                    totals[first + at] += value * eta[q]


@njit(cache=True, nogil=True)
def predictor(blocks, b, k, codes, start, eta):  # type: ignore[no-untyped-def]
    """Fill `eta` with the linear predictor of block b (of its class k) for the rows from `start`; NaN: undefined."""
    ints, floats, block = blocks.ints, blocks.floats, b * BLOCK_SIZE
    beta = ints[block + BETA] + k * ints[block + BETA_COLUMNS]
    eta[:] = 0.0
    for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
        term = ints[t]
        if ints[term + N_PARTS] == 1:
            # A term of one variable is looked up once for every code, then taken from there for every row.
            v = ints[term + PARTS]
            indices, slopes = look_up_codes(ints, floats, term, _largest(codes, start, eta.shape[0], v) + 1)
            for code in range(slopes.shape[0]):
                slopes[code] = _slope(floats, beta, indices[code], slopes[code])
            for q in range(eta.shape[0]):
                eta[q] += slopes[codes[start + q, v]]
        elif ints[term + N_PARTS] == 0 and eta.shape[0] > 0:
            at, value = look_up(ints, floats, term, codes, start)
            eta += _slope(floats, beta, at, value)
        else:
            for q in range(eta.shape[0]):
                at, value = look_up(ints, floats, term, codes, start + q)
                eta[q] += _slope(floats, beta, at, value)


@njit(cache=True, nogil=True, inline="always")
def _slope(floats, beta, at, value):  # type: ignore[no-untyped-def]
    """What a term that was looked up adds to the predictor."""
    if at == EXCLUDED:
        return np.nan
    return floats[beta + at] * value if at >= 0 else 0.0


@njit(cache=True, nogil=True)
def _largest(codes, start, n, v):  # type: ignore[no-untyped-def]
    """The largest code of variable v in n rows."""
    found = np.int64(0)
    for i in range(start, start + n):
        found = max(found, np.int64(codes[i, v]))
    return found
