"""Additive outputs as flat arrays, and what one row adds to their totals.

Every row's contribution to a block of totals is m(row) · Σ_terms value_t(row) · e[index_t(row)], where value and index
are looked up from the row's codes, and m is 1 or comes from a linear predictor (y − μ(η) for a score). The kernels here
never learn which kinds of output exist.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NOTHING = -(2**30)
"""Part of a cell number that makes the whole of it negative, whatever the other parts: the row has no cell."""

ABSENT, EXCLUDED = -1, -2
"""Index of a term that has no column for this row (a reference level), and of a term that cannot be computed for it."""

# What a block's multiplier m is made from.
PLAIN, IDENTITY, LOGISTIC, POISSON, MULTINOMIAL = 0, 1, 2, 3, 4
# Which moment of the model the block sums: the score y − μ, the information dμ/dη, or the log-likelihood (kernel).
SCORE, INFORMATION, LOGLIKELIHOOD = 0, 1, 2


# A program is two arrays, `ints` and `floats`: passing twenty arrays to a function called for every row costs ten times
# what the function does. Blocks come first in `ints`, BLOCK_SIZE integers each, then everything they point to.
TERMS, TERMS_END, PREDICTOR, PREDICTOR_END, RESPONSE, WEIGHT = 0, 1, 2, 3, 4, 5
FAMILY_, MOMENT_, COLUMNS, CLASSES, BETA, BETA_COLUMNS, FIRST_TOTAL = 6, 7, 8, 9, 10, 11, 12
BLOCK_SIZE = 13
"""Fields of a block. TERMS … and PREDICTOR … are ranges of pointers to terms; RESPONSE and WEIGHT are such, or −1."""

N_PARTS, COLUMN_LOOKUP, SCALE_LOOKUP, PARTS = 0, 1, 2, 3
"""Fields of a term; from PARTS on, three for each variable: position, cell parts, factors (−1: all ones)."""


@njit(cache=True, nogil=True, inline="always")
def _term(ints, floats, term, codes, i):  # type: ignore[no-untyped-def]
    """(index, value) of a term for row i; ABSENT where it has no column here, EXCLUDED where a value is missing."""
    cell = 0
    value = 1.0
    part = term + PARTS
    for _ in range(ints[term]):
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
def contribution(ints, floats, b, codes, i, indices, values):  # type: ignore[no-untyped-def]
    """Write what row i adds to block b into (indices, values); return how many entries were written.

    codes: (rows, variables). indices, values: scratch, at least as long as the block can fill. An index may occur more
    than once.
    """
    block = b * BLOCK_SIZE
    weight = 1.0
    if ints[block + WEIGHT] >= 0:
        at, weight = _term(ints, floats, ints[block + WEIGHT], codes, i)
        if at < 0 or weight == 0.0:
            return 0
    first = ints[block + FIRST_TOTAL]
    family = ints[block + FAMILY_]
    count = 0
    if family == PLAIN:
        for t in range(ints[block + TERMS], ints[block + TERMS_END]):
            at, value = _term(ints, floats, ints[t], codes, i)
            if at >= 0 and value != 0.0:
                indices[count] = first + at
                values[count] = weight * value
                count += 1
        return count
    if family == MULTINOMIAL:
        return _multinomial(ints, floats, block, codes, i, weight, indices, values)

    y_at, y = _term(ints, floats, ints[block + RESPONSE], codes, i)
    if y_at == EXCLUDED:
        return 0
    # A score sums the very terms that make the predictor: they are looked up once.
    same = ints[block + TERMS] == ints[block + PREDICTOR]
    beta = ints[block + BETA]
    eta = 0.0
    for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
        at, value = _term(ints, floats, ints[t], codes, i)
        if at == EXCLUDED:
            return 0
        if at >= 0:
            eta += floats[beta + at] * value
            if same and value != 0.0:
                indices[count] = first + at
                values[count] = value
                count += 1
    moment = ints[block + MOMENT_]
    if family == IDENTITY:
        mu, slope = eta, 1.0
    elif family == LOGISTIC:
        mu = 1.0 / (1.0 + np.exp(-eta))
        slope = mu * (1.0 - mu)
    else:
        mu = np.exp(eta)
        slope = mu
    if moment == SCORE:
        m = y - mu
    elif moment == INFORMATION:
        m = slope
    elif family == IDENTITY:
        m = (y - eta) * (y - eta)
    elif family == LOGISTIC:
        m = y * eta - (eta if eta > 30.0 else np.log1p(np.exp(eta)))  # e^−30 is below rounding
    else:
        m = y * eta - mu
    m *= weight
    if same:
        for k in range(count):
            values[k] *= m
        return count
    for t in range(ints[block + TERMS], ints[block + TERMS_END]):
        at, value = _term(ints, floats, ints[t], codes, i)
        if at >= 0 and value != 0.0:
            indices[count] = first + at
            values[count] = m * value
            count += 1
    return count


@njit(cache=True, nogil=True)
def _multinomial(ints, floats, block, codes, i, weight, indices, values):  # type: ignore[no-untyped-def]
    """A multinomial block: totals are laid out class by class (pair of classes by pair for the information)."""
    chosen, _ = _term(ints, floats, ints[block + RESPONSE], codes, i)
    if chosen < 0:
        return 0
    n_classes = ints[block + CLASSES]
    eta = np.zeros(n_classes)
    for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
        at, value = _term(ints, floats, ints[t], codes, i)
        if at == EXCLUDED:
            return 0
        if at >= 0:
            for k in range(n_classes):
                eta[k] += floats[ints[block + BETA] + k * ints[block + BETA_COLUMNS] + at] * value
    top = max(0.0, eta.max())
    total = np.exp(-top) + np.exp(eta - top).sum()
    mu = np.exp(eta - top) / total
    first, columns, moment = ints[block + FIRST_TOTAL], ints[block + COLUMNS], ints[block + MOMENT_]
    count = 0
    for t in range(ints[block + TERMS], ints[block + TERMS_END]):
        at, value = _term(ints, floats, ints[t], codes, i)
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


@njit(cache=True, nogil=True)
def add_totals(ints, floats, n_blocks, codes, totals, indices, values):  # type: ignore[no-untyped-def]
    """Add what every row contributes to `totals`. codes: (rows, variables)."""
    for i in range(codes.shape[0]):
        for b in range(n_blocks):
            for k in range(contribution(ints, floats, b, codes, i, indices, values)):
                totals[indices[k]] += values[k]


@njit(cache=True, nogil=True)
def predictor(ints, floats, b, k, codes, eta):  # type: ignore[no-untyped-def]
    """Fill `eta` with the linear predictor of block b (of its class k) for every row; NaN where it is undefined."""
    block = b * BLOCK_SIZE
    beta = ints[block + BETA] + k * ints[block + BETA_COLUMNS]
    for i in range(codes.shape[0]):
        total = 0.0
        for t in range(ints[block + PREDICTOR], ints[block + PREDICTOR_END]):
            at, value = _term(ints, floats, ints[t], codes, i)
            if at == EXCLUDED:
                total = np.nan
            elif at >= 0:
                total += floats[beta + at] * value
        eta[i] = total
