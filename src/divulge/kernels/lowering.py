"""Additive outputs as flat arrays, and what one row adds to their totals.

Every row's contribution to a block of totals is m(row) · Σ_terms value_t(row) · e[index_t(row)], where value and index
are looked up from the row's codes, and m is 1 or comes from a linear predictor (y − μ(η) for a score). The kernels here
never learn which kinds of output exist.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

NOTHING = -(2**30)
"""Part of a cell number that makes the whole of it negative, whatever the other parts: the row has no cell."""

ABSENT, EXCLUDED = -1, -2
"""Index of a term that has no column for this row (a reference level), and of a term that cannot be computed for it."""

# What a block's multiplier m is made from.
PLAIN, IDENTITY, LOGISTIC, POISSON, MULTINOMIAL = 0, 1, 2, 3, 4
# Which moment of the model the block sums: the score y − μ, the information dμ/dη, or the log-likelihood (kernel).
SCORE, INFORMATION, LOGLIKELIHOOD = 0, 1, 2


class Program(NamedTuple):
    """Blocks, terms and lookups, flattened. `x_start[i]:x_start[i + 1]` is always the range of item i.

    A term's cell is the sum of its variables' parts; its value is scale[cell] times its variables' factors; its index
    is column[cell] (ABSENT: no column). Blocks name their terms by ranges: predictor (η), terms (what is summed), one
    response and one weight term (−1 where there is none).
    """

    part_start: NDArray[np.int64]  # terms + 1
    part_variable: NDArray[np.int64]
    part_cells: NDArray[np.int64]  # offset into cells
    part_factors: NDArray[np.int64]  # offset into factors, −1: all ones
    cells: NDArray[np.int32]
    factors: NDArray[np.float64]
    term_table: NDArray[np.int64]  # terms: offset into column and scale
    column: NDArray[np.int32]
    scale: NDArray[np.float64]
    block_terms: NDArray[np.int64]  # (blocks, 2)
    block_predictor: NDArray[np.int64]  # (blocks, 2)
    block_response: NDArray[np.int64]
    block_weight: NDArray[np.int64]
    block_family: NDArray[np.int64]
    block_moment: NDArray[np.int64]
    block_columns: NDArray[np.int64]  # totals a class has
    block_classes: NDArray[np.int64]  # classes beside the reference; 1 unless multinomial
    block_beta: NDArray[np.int64]  # offset into beta
    block_predictor_columns: NDArray[np.int64]
    block_offset: NDArray[np.int64]  # first total
    beta: NDArray[np.float64]


@njit(cache=True, nogil=True, inline="always")
def _term(program, t, codes):  # type: ignore[no-untyped-def]
    """(index, value) of one term for one row; ABSENT where it has no column here, EXCLUDED where a value is missing."""
    cell = 0
    value = 1.0
    for p in range(program.part_start[t], program.part_start[t + 1]):
        code = codes[program.part_variable[p]]
        cell += program.cells[program.part_cells[p] + code]
        at = program.part_factors[p]
        if at >= 0:
            value *= program.factors[at + code]
    if cell < 0:
        return EXCLUDED, 0.0
    cell += program.term_table[t]
    return program.column[cell], value * program.scale[cell]


@njit(cache=True, nogil=True)
def contribution(program, b, codes, indices, values):  # type: ignore[no-untyped-def]
    """Write what one row adds to block b into (indices, values); return how many entries were written.

    codes: (variables,) of the row. indices, values: scratch, at least as long as the block can fill
    (`longest_contribution`). An index may occur more than once.
    """
    weight = 1.0
    if program.block_weight[b] >= 0:
        at, weight = _term(program, program.block_weight[b], codes)
        if at < 0 or weight == 0.0:
            return 0
    offset = program.block_offset[b]
    family = program.block_family[b]
    count = 0
    if family == PLAIN:
        for t in range(program.block_terms[b, 0], program.block_terms[b, 1]):
            at, value = _term(program, t, codes)
            if at >= 0 and value != 0.0:
                indices[count] = offset + at
                values[count] = weight * value
                count += 1
        return count
    if family == MULTINOMIAL:
        return _multinomial(program, b, codes, weight, indices, values)

    y_at, y = _term(program, program.block_response[b], codes)
    if y_at == EXCLUDED:
        return 0
    eta = 0.0
    for t in range(program.block_predictor[b, 0], program.block_predictor[b, 1]):
        at, value = _term(program, t, codes)
        if at == EXCLUDED:
            return 0
        if at >= 0:
            eta += program.beta[program.block_beta[b] + at] * value
    moment = program.block_moment[b]
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
        m = y * eta - (eta if eta > 30.0 else np.log1p(np.exp(eta)))
    else:
        m = y * eta - mu
    m *= weight
    if m == 0.0:
        return 0
    for t in range(program.block_terms[b, 0], program.block_terms[b, 1]):
        at, value = _term(program, t, codes)
        if at >= 0 and value != 0.0:
            indices[count] = offset + at
            values[count] = m * value
            count += 1
    return count


@njit(cache=True, nogil=True)
def _multinomial(program, b, codes, weight, indices, values):  # type: ignore[no-untyped-def]
    """A multinomial block: totals are laid out class by class (pair of classes by pair for the information)."""
    chosen, _ = _term(program, program.block_response[b], codes)
    if chosen < 0:
        return 0
    n_classes = program.block_classes[b]
    eta = np.zeros(n_classes)
    for t in range(program.block_predictor[b, 0], program.block_predictor[b, 1]):
        at, value = _term(program, t, codes)
        if at == EXCLUDED:
            return 0
        if at == ABSENT:
            continue
        for k in range(n_classes):
            eta[k] += program.beta[program.block_beta[b] + k * program.block_predictor_columns[b] + at] * value
    top = max(0.0, eta.max())
    total = np.exp(-top) + np.exp(eta - top).sum()
    mu = np.exp(eta - top) / total
    offset, columns, moment = program.block_offset[b], program.block_columns[b], program.block_moment[b]
    count = 0
    for t in range(program.block_terms[b, 0], program.block_terms[b, 1]):
        at, value = _term(program, t, codes)
        if at < 0 or value == 0.0:
            continue
        if moment == SCORE:
            for k in range(n_classes):
                indices[count] = offset + k * columns + at
                values[count] = weight * value * ((1.0 if chosen == k + 1 else 0.0) - mu[k])
                count += 1
        elif moment == INFORMATION:
            pair = 0
            for k in range(n_classes):
                for j in range(k + 1):
                    indices[count] = offset + pair * columns + at
                    values[count] = weight * value * mu[k] * ((1.0 if j == k else 0.0) - mu[j])
                    count += 1
                    pair += 1
        else:
            m = -top - np.log(total)
            if chosen > 0:
                m += eta[chosen - 1]
            indices[count] = offset + at
            values[count] = weight * value * m
            count += 1
    return count


@njit(cache=True, nogil=True)
def add_totals(program, codes, totals, indices, values):  # type: ignore[no-untyped-def]
    """Add what every row contributes to `totals`. codes: (rows, variables)."""
    for i in range(codes.shape[0]):
        for b in range(program.block_family.shape[0]):
            for k in range(contribution(program, b, codes[i], indices, values)):
                totals[indices[k]] += values[k]


def longest_contribution(program: Program) -> int:
    """How many entries one row can add to the longest block."""
    n_terms = program.block_terms[:, 1] - program.block_terms[:, 0]
    classes = program.block_classes
    copies = np.where(program.block_moment == INFORMATION, classes * (classes + 1) // 2, classes)
    return int(max(1, (n_terms * copies).max(initial=1)))
