"""One pass over the rows of a regression: X'WX, score and log-likelihood at given coefficients.

Every term of a design has at most one non-zero column a row, so all three add up over pairs of entries (`layout.py`)
and the design matrix is never built. What a fit does with them is in `glm.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats
from divulge.kernels.cells import Source
from divulge.kernels.layout import entries
from divulge.kernels.lowering import IDENTITY, LOGISTIC, MULTINOMIAL, POISSON


class Moments(NamedTuple):
    """Of a log-likelihood: its value (without constants), gradient and expected curvature X'WX."""

    loglikelihood: float
    score: Floats
    information: Floats


@njit(cache=True, nogil=True, inline="always")
def _one(family, is_start, eta, w, y):  # type: ignore[no-untyped-def]
    """(Σ w (y − μ), w dμ/dη, log-likelihood's kernel) of a cell with weight w and sum of responses y."""
    if family == IDENTITY:
        gap, slope = y - w * eta, w
        gain = -0.5 * gap * gap / w
    elif family == LOGISTIC:
        small = np.exp(-abs(eta))
        share = 1.0 / (1.0 + small)
        slope = w * small * share * share
        gap = y - w * (share if eta >= 0.0 else small * share)
        gain = y * eta - w * (max(eta, 0.0) + np.log1p(small))
    elif is_start:
        mu = y / w + 0.1
        slope = w * mu
        gap, gain = slope * np.log(mu) + y - slope, 0.0
    else:
        slope = w * np.exp(eta)
        gap, gain = y - slope, y * eta - slope
    return gap, slope, gain


@njit(cache=True, nogil=True)
def _add_indicators(family, batch, effects, is_start, squares, sums):  # type: ignore[no-untyped-def]
    """The same as `_add_pass` where all entries are indicators and there is one class: the case that must be fast."""
    place, weight, response = batch.place, batch.weight, batch.response
    n_groups, n_entries = place.shape[1], np.uint64(effects.shape[0])
    total = 0.0
    for i in range(place.shape[0]):
        w = weight[i]
        if w == 0.0:
            continue
        eta = 0.0
        for a in range(n_groups):
            eta += effects[place[i, a]]
        gap, slope, gain = _one(family, is_start, eta, w, response[i, 0])
        total += gain
        for a in range(n_groups):
            at = place[i, a]
            sums[at] += gap
            row = np.uint64(at) * n_entries
            for c in range(a, n_groups):
                squares[row + np.uint64(place[i, c])] += slope
    return total


@njit(cache=True, nogil=True)
def _add_pass(layout, family, batch, effects, is_start, squares, sums):  # type: ignore[no-untyped-def]
    """Add Z'DZ and the score of a batch in terms of the layout's entries; return the log-likelihood's kernel.

    effects: (classes, entries), what each entry adds to η. squares: (pairs of classes, entries, entries), of which only
    the places (earlier entry, later entry) are filled. sums: (classes, entries). is_start (Poisson alone): weights and
    working response at μ = mean response + 0.1, so that the first step does not overflow (McCullagh & Nelder 1989,
    2.5). For identity the return is −½ Σ w (ȳ − η)².
    """
    codes, place, weight, response = batch.codes, batch.place, batch.weight, batch.response
    n_classes = effects.shape[0]
    most = layout.offset.shape[0] + layout.own_table.shape[0]
    at = np.empty(most, dtype=np.int64)
    value = np.empty(most)
    eta, mu, gap = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    total = 0.0
    for i in range(codes.shape[0]):
        w = weight[i]
        if w == 0.0:
            continue
        count = entries(layout, codes, place, i, at, value)
        for k in range(n_classes):
            eta[k] = 0.0
            for a in range(count):
                eta[k] += effects[k, at[a]] * value[a]
        if family == MULTINOMIAL:
            top = 0.0
            for k in range(n_classes):
                top = max(top, eta[k])
            below = np.exp(-top)
            for k in range(n_classes):
                mu[k] = np.exp(eta[k] - top)
                below += mu[k]
            total -= w * (top + np.log(below))
            pair = 0
            for k in range(n_classes):
                mu[k] /= below
                total += response[i, k] * eta[k]
                gap[k] = response[i, k] - w * mu[k]
                for a in range(count):
                    sums[k, at[a]] += gap[k] * value[a]
                for j in range(k + 1):
                    slope = w * mu[k] * ((1.0 if j == k else 0.0) - mu[j])
                    for a in range(count):
                        step = slope * value[a]
                        for c in range(a, count):
                            squares[pair, at[a], at[c]] += step * value[c]
                    pair += 1
            continue
        gap[0], slope, gain = _one(family, is_start, eta[0], w, response[i, 0])
        total += gain
        for a in range(count):
            sums[0, at[a]] += gap[0] * value[a]
            step = slope * value[a]
            for c in range(a, count):
                squares[0, at[a], at[c]] += step * value[c]
    return total


@njit(cache=True, nogil=True)
def _fold(squares, weights, whole, k, j):  # type: ignore[no-untyped-def]
    """Add W'(Z'DZ)W to block (k, j) of X'DX; W row by row (`layout.Weights`).

    Of Z'DZ only (earlier entry, later entry) is filled: an entry with itself counts once, others both ways round.
    This is no product of matrices: nearly all of W is zero, and threads would cost more than the work.
    """
    start, column, value = weights.start, weights.column, weights.value
    n = squares.shape[0]
    for a in range(n):
        for c in range(n):
            total = squares[a, c]
            if total == 0.0:
                continue
            for p in range(start[a], start[a + 1]):
                for q in range(start[c], start[c + 1]):
                    whole[k, column[p], j, column[q]] += total * value[p] * value[q]
                    if a != c:
                        whole[k, column[q], j, column[p]] += total * value[p] * value[q]


def moments(source: Source, family: int, beta: Floats, is_start: bool = False) -> Moments:
    """The moments of a model of this family at beta (classes, columns)."""
    n_classes, n_columns = beta.shape
    weights = source.weights
    n_entries = len(weights.start) - 1
    effects = _effects(source, beta)
    squares = np.zeros((n_classes * (n_classes + 1) // 2, n_entries, n_entries))
    sums = np.zeros((n_classes, n_entries))
    has_own = n_classes > 1 or len(source.layout.own_table) > 0
    total = 0.0
    for batch in source:
        if has_own:
            total += _add_pass(source.layout, family, batch, effects, is_start, squares, sums)
        else:
            total += _add_indicators(family, batch, effects[0], is_start, squares.ravel(), sums[0])
    whole = np.zeros((n_classes, n_columns, n_classes, n_columns))
    pair = 0
    for k in range(n_classes):
        for j in range(k + 1):
            _fold(squares[pair], weights, whole, k, j)
            whole[j, :, k, :] = whole[k, :, j, :].T if j < k else whole[k, :, j, :]
            pair += 1
    return Moments(total, _by_column(source, sums).ravel(), whole.reshape(beta.size, beta.size))


def _effects(source: Source, beta: Floats) -> Floats:
    """What each entry of the layout adds to the predictor, (classes, entries)."""
    weights = source.weights
    n_entries = len(weights.start) - 1
    entry = np.repeat(np.arange(n_entries), np.diff(weights.start))
    return np.array([np.bincount(entry, row[weights.column] * weights.value, minlength=n_entries) for row in beta])


def _by_column(source: Source, sums: Floats) -> Floats:
    """Sums over entries (rows, entries) as sums over columns (rows, columns)."""
    weights = source.weights
    entry = np.repeat(np.arange(len(weights.start) - 1), np.diff(weights.start))
    n, column, value = source.n_columns, weights.column, weights.value
    return np.array([np.bincount(column, row[entry] * value, minlength=n) for row in sums])


def information(source: Source, family: int, beta: Floats) -> Floats:
    """X'WX at given coefficients (classes, columns), over the rows of the source."""
    return moments(source, family, np.atleast_2d(beta)).information


@njit(cache=True, nogil=True)
def _reach(layout, family, batch, effects):  # type: ignore[no-untyped-def]
    """(furthest move, worst move the wrong way) of the predictor along a direction, over the cells of a batch.

    A direction separates where it moves no observed class away: for every class with rows in the cell, no other class
    gains on it (Albert & Anderson 1984). A Poisson model drifts where only cells without any count move, and down.
    """
    codes, place, weight, response = batch.codes, batch.place, batch.weight, batch.response
    n_classes = effects.shape[0]
    most = layout.offset.shape[0] + layout.own_table.shape[0]
    at = np.empty(most, dtype=np.int64)
    value = np.empty(most)
    move = np.zeros(n_classes + 1)
    furthest, worst = 0.0, 0.0
    for i in range(codes.shape[0]):
        w = weight[i]
        if w == 0.0:
            continue
        count = entries(layout, codes, place, i, at, value)
        seen = 0.0
        for k in range(n_classes):
            move[k + 1] = 0.0
            for a in range(count):
                move[k + 1] += effects[k, at[a]] * value[a]
            furthest = max(furthest, abs(move[k + 1]))
            seen += response[i, k]
        if family == POISSON:
            worst = max(worst, move[1] if response[i, 0] == 0.0 else abs(move[1]))
            continue
        for k in range(n_classes + 1):
            rows = response[i, k - 1] if k > 0 else w - seen
            if rows > 1e-9 * w:  # w − Σ of classes rounds
                for j in range(n_classes + 1):
                    worst = max(worst, move[j] - move[k])
    return furthest, worst


def reach(source: Source, family: int, direction: Floats) -> tuple[float, float]:
    """(furthest move, worst move the wrong way) along a direction (classes, columns), over all rows."""
    effects = _effects(source, direction)
    furthest, worst = 0.0, 0.0
    for batch in source:
        far, wrong = _reach(source.layout, family, batch, effects)
        furthest, worst = max(furthest, far), max(worst, wrong)
    return furthest, worst


@njit(cache=True, nogil=True)
def _add_bends(layout, family, batch, effects, reaches, sums):  # type: ignore[no-untyped-def]
    """Add Σ w μ''(η) (c'x)² · entry of a batch, for each direction c. reaches, sums: (directions, entries)."""
    codes, place, weight = batch.codes, batch.place, batch.weight
    most = layout.offset.shape[0] + layout.own_table.shape[0]
    at = np.empty(most, dtype=np.int64)
    value = np.empty(most)
    for i in range(place.shape[0]):
        w = weight[i]
        if w == 0.0:
            continue
        count = entries(layout, codes, place, i, at, value)
        eta = 0.0
        for a in range(count):
            eta += effects[at[a]] * value[a]
        if family == LOGISTIC:
            small = np.exp(-abs(eta))
            share = 1.0 / (1.0 + small)
            bend = w * small * share * share * (2.0 * small * share - 1.0) * (1.0 if eta >= 0.0 else -1.0)
        else:
            bend = w * np.exp(eta)
        for j in range(reaches.shape[0]):
            reach = 0.0
            for a in range(count):
                reach += reaches[j, at[a]] * value[a]
            step = bend * reach * reach
            for a in range(count):
                sums[j, at[a]] += step * value[a]


def bends(source: Source, family: int, beta: Floats, directions: Floats) -> Floats:
    """How c'X'WXc changes with each coefficient, for each direction c (a row), at beta (1, columns).

    For models with one predictor: (directions, columns). A linear model's information does not bend.
    """
    sums = np.zeros((len(directions), len(source.weights.start) - 1))
    effects, reaches = _effects(source, beta)[0], _effects(source, directions)
    for batch in source:
        _add_bends(source.layout, family, batch, effects, reaches, sums)
    return _by_column(source, sums)
