"""Regressions on coded rows by Newton's method (Fisher scoring), without ever building the design matrix.

What can go wrong with a fit is a status in its result, never an exception and never a silent NaN.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.cells import Source, Summary
from divulge.kernels.lowering import IDENTITY, LOGISTIC, MULTINOMIAL, POISSON
from divulge.kernels.moments import Moments, moments, reach

Status = Literal["ok", "separated", "vanished level", "collinear", "not converged", "too few rows"]

_MAX_STEPS = 60
"""Newton steps: a fit that exists takes 4 to 10; a separated one gains one unit of η a step and is found by then."""

_LEFT = 1e-12
"""How far from the maximum a fit may end, in standard errors: some thousand times what rounding does."""

_FIRST_ORDER = 1e-7
"""A step longer than this, in standard errors, is never the last: X'WX is that of its start, so within 1e-6."""

PIVOT = 1e-11
"""A column whose share not explained by earlier ones is below this is collinear: sums of 1e5 rows round at 1e-14."""

_SUSPECT_AFTER = 8
"""Steps after which a fit that still moves is looked at for separation."""

_SEPARATES = 1e-3
"""How far a direction may be from separating exactly (as a share of its reach): what has not yet converged is of that
order after `_SUSPECT_AFTER` steps, since it falls by a factor e a step."""


_TINY = np.finfo(float).tiny

_LEAST = 1e-9
"""Information of a column, as a share of what it has where all outcomes are open, below which it has none: what rows
of a separated level have is far less after some steps. Where every row is separated nothing is left for the others."""

_SETTLING = 25
"""Steps after separation was found: what rows of a separated level add to the others falls by a factor e a step."""


class Fit(NamedTuple):
    """A fitted model. Columns that cannot be estimated are NaN in beta and se, and listed in `columns`.

    A separated coefficient has no finite value: it is −∞ or ∞, and the others are those of the limit (Albert and
    Anderson 1984).
    """

    status: Status
    columns: Integers  # those that the status speaks of, in beta's flat order
    beta: Floats  # (columns,), or (classes − 1, columns) for multinomial
    se: Floats  # the same shape
    information: Floats  # X'WX at beta, not scaled by the variance
    n_rows: int
    weight: float
    loglikelihood: float
    null_loglikelihood: float
    deviance: float
    null_deviance: float  # of a constant alone; of nothing for a linear model without one
    scale: float  # residual variance of a linear model, else 1
    df_residual: int
    steps: int


class _End(NamedTuple):
    """How a fit ended: its status, the columns that this speaks of, and the steps that it took."""

    status: Status
    columns: Integers
    steps: int


class _Climb(NamedTuple):
    """Where Newton's steps led. along: None at the maximum, else the direction in which there may be none."""

    beta: Floats
    state: Moments
    steps: int
    along: Floats | None


class _Likelihoods(NamedTuple):
    """Of a fit and of a constant alone; the fields are those of `Fit`."""

    loglikelihood: float
    null_loglikelihood: float
    deviance: float
    null_deviance: float
    scale: float


@njit(cache=True, nogil=True)
def independent(matrix, floor):  # type: ignore[no-untyped-def]
    """Which columns of a scaled X'WX no combination of earlier ones gives: Cholesky that sets aside vanishing pivots.

    This is the limited pivoting of R's dqrdc2: the first columns of a dependent set stay, the later ones go.
    """
    n = matrix.shape[0]
    factor = np.zeros((n, n))
    keep = np.zeros(n, dtype=np.bool_)
    for j in range(n):
        pivot = matrix[j, j]
        for k in range(j):
            if keep[k]:
                rest = matrix[j, k]
                for m in range(k):
                    rest -= factor[j, m] * factor[k, m]
                factor[j, k] = rest / factor[k, k]
                pivot -= factor[j, k] * factor[j, k]
        if pivot > floor:
            keep[j] = True
            factor[j, j] = np.sqrt(pivot)
    return keep


def solve_scaled(information: Floats, right: Floats) -> Floats | None:
    """X'WX⁻¹ · right by Cholesky on unit diagonals; None where it is not positive definite in double precision."""
    diagonal = np.diagonal(information)
    if not len(diagonal):
        return np.zeros_like(right)
    if not np.isfinite(information).all() or (diagonal <= 0.0).any():
        return None
    root = np.sqrt(diagonal)
    scaled = information / root / root[:, None]
    try:
        factor = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return None
    shape = (-1,) + (1,) * (right.ndim - 1)
    half = np.linalg.solve(factor, right / root.reshape(shape))
    solution: Floats = np.linalg.solve(factor.T, half) / root.reshape(shape)
    return solution


def fit(source: Source, family: int, is_centred: bool = True) -> Fit:
    """Fit a model by maximum likelihood.

    family: IDENTITY, LOGISTIC, POISSON or MULTINOMIAL. is_centred: some combination of columns is 1 in every row, so
    that a linear model's deviance is compared with that about the mean.
    Weights are prior weights (McCullagh & Nelder 1989): they multiply each row's log-likelihood; n counts rows.
    """
    has_rows = source.summary.response > 0.0
    if family == MULTINOMIAL and not has_rows.all() and source.summary.n_rows:
        return _fit_some(source, has_rows, is_centred)
    beta = np.zeros((source.n_classes, source.n_columns))
    state = moments(source, family, beta, family == POISSON)
    keep, status, columns = _estimable(source, state.information)
    if not source.summary.n_rows or source.summary.n_rows < keep.sum():
        ended = _End("too few rows", np.flatnonzero(keep), 0)
        return _result(source, family, keep & False, ended, beta, state, is_centred)
    if family == IDENTITY and source.summary.n_rows == keep.sum():
        # With no row to spare there are coefficients but no residual variance.
        status = "too few rows"
    if family == POISSON:
        started = solve_scaled(state.information[np.ix_(keep, keep)], state.score[keep])
        if started is not None:
            beta.ravel()[keep] = started
        state = moments(source, family, beta)
    climb = _climb(source, family, keep, beta, state)
    if climb.along is not None:
        columns = _separating(source, family, climb.along)
        status = "separated" if len(columns) else "not converged"
        if len(columns) and keep[columns].all():
            climb, keep = _limit(source, family, keep, climb, columns)
    ended = _End(status, columns, climb.steps)
    found = _result(source, family, keep, ended, climb.beta, climb.state, is_centred)
    if status == "separated" and climb.along is not None:
        found.beta.ravel()[columns] = np.copysign(np.inf, climb.along.ravel()[columns])
    return found


def _climb(source: Source, family: int, keep: Mask, beta: Floats, state: Moments) -> _Climb:
    """Newton's steps to the maximum of the likelihood, or as far as they lead."""
    steps, length = 0, np.inf
    while steps < _MAX_STEPS:
        steps += 1
        direction = _newton_step(keep, beta, state)
        if direction is None:
            break
        decrement = max(float(direction.ravel() @ state.score), 0.0)
        before, length = length, decrement**0.5
        # Newton's error squares: what this step leaves is its length² times length / before², once that settles.
        left = length * (length / before) ** 2 if length <= _FIRST_ORDER else np.inf
        if steps > _SUSPECT_AFTER and len(_separating(source, family, direction)):
            return _Climb(beta, state, steps, direction)
        if left <= _LEFT or (family == IDENTITY and steps == 2):
            state = state._replace(loglikelihood=state.loglikelihood + 0.5 * decrement)
            return _Climb(beta + direction, state, steps, None)
        beta, state, has_moved = _move(source, family, beta, direction, state)
        if not has_moved:
            break
    return _Climb(beta, state, steps, np.where(keep, beta.ravel(), 0.0).reshape(beta.shape))


def _newton_step(keep: Mask, beta: Floats, state: Moments) -> Floats | None:
    """X'WX⁻¹ · score, in the shape of beta; 0 for what cannot be estimated."""
    change = solve_scaled(state.information[np.ix_(keep, keep)], state.score[keep])
    if change is None:
        return None
    direction = np.zeros(beta.size)
    direction[keep] = change
    return direction.reshape(beta.shape)


def _limit(source: Source, family: int, keep: Mask, climb: _Climb, endless: Integers) -> tuple[_Climb, Mask]:
    """Where separated rows say nothing any more: Newton steps until the other coefficients no longer change.

    endless: the columns that go on for ever. Returned with the columns that the other rows can say something about;
    the endless ones come last, since of them only sums can be known.
    """
    beta, state = climb.beta, climb.state
    size = np.sqrt(np.maximum(np.diagonal(moments(source, family, np.zeros_like(beta)).information), _TINY))
    kept = keep
    for _ in range(_SETTLING):
        kept = _informed(state.information, size, keep, endless)
        direction = _newton_step(kept, beta, state)
        if direction is None:
            break
        beta, state, has_moved = _move(source, family, beta, direction, state)
        if not has_moved:
            break
    return climb._replace(beta=beta, state=state), _informed(state.information, size, keep, endless)


def _informed(information: Floats, size: Floats, keep: Mask, endless: Integers) -> Mask:
    """The columns about which there is information, and none of which others have already; endless ones come last."""
    last = np.isin(np.arange(len(keep)), endless)
    order = np.concatenate([np.flatnonzero(keep & ~last), np.flatnonzero(keep & last)])
    scaled = (information / size / size[:, None])[np.ix_(order, order)]
    found = np.zeros_like(keep)
    found[order[independent(np.ascontiguousarray(scaled), PIVOT) & (np.diagonal(scaled) > _LEAST)]] = True
    return found


def _fit_some(source: Source, has_rows: Mask, is_centred: bool) -> Fit:
    """A multinomial model some of whose classes nobody is in: these vanish, the others are fitted."""
    n = source.n_columns
    found = np.flatnonzero(np.repeat(has_rows, n))
    shape = source.n_classes, n
    beta, se = np.full(source.n_classes * n, np.nan), np.full(source.n_classes * n, np.nan)
    information = np.zeros((len(beta), len(beta)))
    if not has_rows.any():
        keep = np.zeros(len(beta), dtype=bool)
        fitted = _result(source, MULTINOMIAL, keep, _End("ok", found, 0), *_nothing(source), is_centred)
    else:
        smaller = source.with_classes(has_rows)
        fitted = fit(smaller, LOGISTIC if smaller.n_classes == 1 else MULTINOMIAL, is_centred)
        beta[found], se[found] = fitted.beta.ravel(), fitted.se.ravel()
        information[np.ix_(found, found)] = fitted.information
    status: Status = fitted.status
    columns = found[fitted.columns]
    if status == "ok":
        status, columns = "vanished level", np.flatnonzero(~np.repeat(has_rows, n))
    return fitted._replace(
        status=status, columns=columns, beta=beta.reshape(shape), se=se.reshape(shape), information=information
    )


def _nothing(source: Source) -> tuple[Floats, Moments]:
    """Coefficients of 0 and moments of a model without any class beside the reference."""
    beta = np.zeros((source.n_classes, source.n_columns))
    return beta, Moments(0.0, np.zeros(beta.size), np.zeros((beta.size, beta.size)))


def _move(source: Source, family: int, beta: Floats, direction: Floats, state: Moments) -> tuple[Floats, Moments, bool]:
    """The longest of 1, ½, ¼ … of a Newton step that does not lower the log-likelihood."""
    # A sum over many rows rounds: near the maximum it does not tell better from worse, and Newton's step is right.
    least = state.loglikelihood - 1e-10 * (1.0 + abs(state.loglikelihood))
    for halvings in range(30):  # 2⁻³⁰ of a step is below double precision of the log-likelihood
        tried = beta + direction * 0.5**halvings
        reached = moments(source, family, tried)
        if family == IDENTITY or reached.loglikelihood >= least:
            return tried, reached, True
    return beta, state, False


def _estimable(source: Source, information: Floats) -> tuple[Mask, Status, Integers]:
    """Which coefficients the rows can say anything about; where not all, why, and which not."""
    block = information[: source.n_columns, : source.n_columns]
    size = np.sqrt(np.diagonal(block))
    is_there = size > 0.0
    keep = is_there.copy()
    scaled = block[np.ix_(is_there, is_there)] / size[is_there] / size[is_there, None]
    keep[is_there] = independent(np.ascontiguousarray(scaled), PIVOT)
    whole = np.tile(keep, source.n_classes)
    if not is_there.all():
        return whole, "vanished level", np.flatnonzero(~np.tile(is_there, source.n_classes))
    if not keep.all():
        return whole, "collinear", np.flatnonzero(~whole)
    return whole, "ok", np.zeros(0, dtype=np.int64)


def _separating(source: Source, family: int, direction: Floats) -> Integers:
    """The columns along which the likelihood rises for ever, if the direction separates the rows; else none."""
    furthest, worst = reach(source, family, direction)
    # Along a direction of separation a Newton step moves some η by about 1, however far it has come already.
    if furthest < 0.1 or worst > _SEPARATES * furthest:
        return np.zeros(0, dtype=np.int64)
    moves = np.abs(direction).ravel()
    return np.flatnonzero(moves > 0.01 * moves.max())


def _result(
    source: Source, family: int, keep: Mask, ended: _End, beta: Floats, state: Moments, is_centred: bool
) -> Fit:
    summary = source.summary
    known = keep.copy()
    if ended.status in ("separated", "not converged"):
        known[ended.columns] = False
    df_residual = summary.n_rows - int(keep.sum())
    inside = state.information[np.ix_(keep, keep)]
    inverse = solve_scaled(inside, np.eye(len(inside)))
    likelihoods = _likelihoods(family, summary, state.loglikelihood, df_residual, is_centred)
    se = np.full(beta.size, np.nan)
    if inverse is not None:
        se[keep] = np.sqrt(np.diagonal(inverse) * likelihoods.scale)
    return Fit(
        status=ended.status,
        columns=ended.columns,
        beta=np.where(known, beta.ravel(), np.nan).reshape(beta.shape),
        se=np.where(known, se, np.nan).reshape(beta.shape),
        information=state.information,
        n_rows=summary.n_rows,
        weight=summary.weight,
        **likelihoods._asdict(),
        df_residual=df_residual,
        steps=ended.steps,
    )


def _likelihoods(family: int, summary: Summary, kernel: float, df: int, is_centred: bool) -> _Likelihoods:
    if family == IDENTITY:
        residual = max(summary.within - 2.0 * kernel, 0.0)
        scale = residual / df if df > 0 else np.nan
        total = summary.spread
        if not is_centred and summary.weight:
            total += float(summary.response[0]) ** 2 / summary.weight
        return _Likelihoods(_normal(residual, summary), _normal(summary.spread, summary), residual, total, scale)
    parts = (
        summary.response if family == POISSON else np.append(summary.response, summary.weight - summary.response.sum())
    )
    parts = parts[parts > 0.0]
    null = float((parts * np.log(parts / summary.weight)).sum()) if len(parts) else 0.0
    if family == POISSON:
        null -= float(parts.sum())
        deviances = 2.0 * (summary.entropy - kernel), 2.0 * (summary.entropy - null)
        return _Likelihoods(kernel - summary.log_factorials, null - summary.log_factorials, *deviances, 1.0)
    return _Likelihoods(kernel, null, -2.0 * kernel, -2.0 * null, 1.0)


def _normal(residual: float, summary: Summary) -> float:
    """The normal log-likelihood at its own variance; ∞ for a perfect fit."""
    n = summary.n_rows
    if residual <= 0.0 or n == 0:
        return np.inf
    return -0.5 * n * (np.log(2.0 * np.pi * residual / n) + 1.0) + 0.5 * summary.log_weight
