"""Maximum likelihood where a row's likelihood depends on one predictor and on a few further parameters (an ordered
logit: thresholds; a negative binomial model: α). A kind says the gradient; curvature follows by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.figures import Status
from divulge.outputs.models.matrix import ModelRows

STEPS = 60
"""A fit that exists takes 4 to 15."""

CLOSE = 1e-16
"""Squared length of a step, in standard errors, after which the next is below rounding (Newton's error squares)."""

ENDLESS = 100.0
"""A predictor with a larger standard error has no end: some rows are separated from the others."""

DIFFERENCE = 6e-6
"""Relative step of central differences: the cube root of rounding, where they are best."""


@dataclass(frozen=True, eq=False)
class Curve:
    """What a kind says of the likelihood of rows: (rows, η, further parameters) in, one number a row out.

    gradient: ∂l/∂η, then ∂l/∂ each further parameter, (rows, 1 + parameters). expected: the mean of −∂²l/∂η² given η
    and the further parameters, for standard errors by the expected information; None: they are by the observed one.
    turns: further parameters so many apart are never both in one row's likelihood, so that curvature in all of them is
    found at once: of thresholds, of which a row has two neighbours, 2. None: any two may be.
    positive: how many of the last further parameters are above 0. is_scaled: η is above 0 and measured in a unit, as
    1/mean is; otherwise it is a logarithm, or curvature is the same everywhere.
    """

    value: Callable[[ModelRows, Floats, Floats], Floats]
    gradient: Callable[[ModelRows, Floats, Floats], Floats]
    expected: Callable[[ModelRows, Floats, Floats], Floats] | None = None
    turns: int | None = None
    positive: int = 0
    is_scaled: bool = False

    def information(self, rows: ModelRows, beta: Floats, extra: Floats) -> Floats:
        """Σ over rows, of coefficients and further parameters."""
        p, k = len(beta), len(extra)
        each = _curvature(self, rows, rows.x @ beta, extra) * rows.weight[:, None, None]
        whole = np.zeros((p + k, p + k))
        whole[:p, :p] = rows.x.T @ (rows.x * each[:, :1, 0])
        whole[:p, p:] = rows.x.T @ each[:, 0, 1:]
        whole[p:, :p] = whole[:p, p:].T
        whole[p:, p:] = each[:, 1:, 1:].sum(axis=0)
        return whole

    def row_scores(self, rows: ModelRows, beta: Floats, extra: Floats) -> Floats:
        """Each row's part of the score, (rows, coefficients + further parameters)."""
        gap = self.gradient(rows, rows.x @ beta, extra) * rows.weight[:, None]
        return np.concatenate([rows.x * gap[:, :1], gap[:, 1:]], axis=1)

    def maximise(self, rows: ModelRows, beta: Floats, extra: Floats) -> Estimate:
        """The maximum of the likelihood from a start, by Newton's steps that never lower it."""
        p, k = len(beta), len(extra)
        keep, status = estimable(rows.x, rows.weight)
        whole = np.append(keep, np.ones(k, dtype=bool))
        nothing = np.zeros((p + k, p + k))
        if rows.n_rows < whole.sum() or rows.n_rows == 0:
            status = Status.TOO_FEW_ROWS if rows.n_rows else Status.EMPTY
            return Estimate(np.full(p, np.nan), np.full(k, np.nan), nothing, whole & False, np.nan, status)
        beta = np.where(keep, beta, 0.0)
        found = _climb(self, rows, beta, extra.astype(float), whole)
        if found is None:
            return Estimate(
                np.full(p, np.nan), np.full(k, np.nan), nothing, whole & False, np.nan, Status.NOT_CONVERGED
            )
        beta, extra, value = found
        curved = _expected_information(self, rows, beta, extra)
        inside = glm.solve_scaled(curved[np.ix_(whole, whole)], np.eye(int(whole.sum())))
        x = rows.x[:, keep]
        if (
            inside is None
            or np.sqrt(((x @ inside[: x.shape[1], : x.shape[1]]) * x).sum(axis=1).max(initial=0.0)) > ENDLESS
        ):
            return Estimate(np.full(p, np.nan), np.full(k, np.nan), nothing, whole & False, np.nan, Status.SEPARATED)
        return Estimate(np.where(keep, beta, np.nan), extra, curved, whole, value, status)


LEAST_SQUARES = Curve(
    lambda rows, eta, extra: -((rows.y - eta) ** 2) / 2.0,
    lambda rows, eta, extra: (rows.y - eta)[:, None],
)
"""As if the variance were 1: the dispersion says what it is."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Coefficients and further parameters. NaN where nothing can be said, with the status that says why.

    information: of all parameters, not scaled by a dispersion; keep: those that were estimated.
    """

    beta: Floats
    extra: Floats
    information: Floats
    keep: Mask
    loglikelihood: float
    status: Status

    @property
    def theta(self) -> Floats:
        return np.append(self.beta, self.extra)

    def inverse(self) -> Floats:
        """The inverse information; NaN for what was not estimated."""
        chosen = np.flatnonzero(self.keep)
        found = np.full(self.information.shape, np.nan)
        inside = glm.solve_scaled(self.information[np.ix_(chosen, chosen)], np.eye(len(chosen)))
        if inside is not None:
            found[np.ix_(chosen, chosen)] = inside
        return found


def _curvature(curve: Curve, rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    """−∂²l of each row in η and the further parameters, (rows, 1 + k, 1 + k)."""
    k = len(extra)
    found = np.zeros((rows.size, 1 + k, 1 + k))
    step = DIFFERENCE * (np.abs(eta) if curve.is_scaled else np.maximum(1.0, np.abs(eta)))
    more, less = curve.gradient(rows, eta + step, extra), curve.gradient(rows, eta - step, extra)
    found[:, :, 0] = (less - more) / (2.0 * step[:, None])
    steps = DIFFERENCE * np.maximum(1e-3, np.abs(extra))
    turns = min(curve.turns or k, k)
    for turn in range(turns):
        together = np.arange(turn, k, turns)
        moved = np.zeros(k)
        moved[together] = steps[together]
        change = curve.gradient(rows, eta, extra - moved) - curve.gradient(rows, eta, extra + moved)
        # A row changes by the one of these that it has.
        has = (change[:, 1 + together] != 0.0) if turns < k else np.ones((rows.size, len(together)), dtype=bool)
        for at, j in enumerate(together.tolist()):
            found[has[:, at], :, 1 + j] = change[has[:, at]] / (2.0 * steps[j])
    return (found + found.transpose(0, 2, 1)) / 2.0


def _expected_information(curve: Curve, rows: ModelRows, beta: Floats, extra: Floats) -> Floats:
    """The same with the expected curvature in η, which in these models has no part in common with the parameters'."""
    whole = curve.information(rows, beta, extra)
    if curve.expected is not None:
        p = len(beta)
        weight = rows.weight * curve.expected(rows, rows.x @ beta, extra)
        whole[:p, :p] = rows.x.T @ (rows.x * weight[:, None])
        whole[:p, p:] = whole[p:, :p] = 0.0
    return whole


def estimable(x: Floats, weight: Floats) -> tuple[Mask, Status]:
    """Which columns the rows can say anything about, and why not the others."""
    square = x.T @ (x * weight[:, None])
    size = np.sqrt(np.diagonal(square))
    keep = size > 0.0
    if keep.any():
        scaled = square[np.ix_(keep, keep)] / size[keep] / size[keep][:, None]
        inside = glm.independent(np.ascontiguousarray(scaled), glm.PIVOT)
        status = Status.OK if keep.all() else Status.VANISHED_LEVEL
        if not inside.all() and status is Status.OK:
            status = Status.COLLINEAR
        keep[keep] = inside
        return keep, status
    return keep, Status.VANISHED_LEVEL if len(keep) else Status.OK


def _climb(
    curve: Curve, rows: ModelRows, beta: Floats, extra: Floats, keep: Mask
) -> tuple[Floats, Floats, float] | None:
    """Parameters and likelihood at the maximum; None where no step leads there."""
    p = len(beta)
    chosen = np.flatnonzero(keep)
    with np.errstate(all="ignore"):
        value = _total(curve, rows, beta, extra)
        for _ in range(STEPS):
            scores = curve.row_scores(rows, beta, extra)
            curved = curve.information(rows, beta, extra)
            score = scores.sum(axis=0)[chosen]
            step = glm.solve_scaled(curved[np.ix_(chosen, chosen)], score)
            if step is None:  # not concave here: the scores' own spread says how far to go (Berndt et al. 1974)
                each = scores[:, chosen] / np.sqrt(rows.counts)[:, None]
                spread = each.T @ each
                step = glm.solve_scaled(spread + 1e-8 * np.diag(np.diagonal(spread)), score)
            if step is None or not np.isfinite(step).all():
                return None
            length = float(step @ score)
            direction = np.zeros(len(keep))
            direction[chosen] = step
            if curve.positive:
                # No more than most of the way to 0, from where the likelihood says nothing any more.
                direction[-curve.positive :] = np.maximum(direction[-curve.positive :], -0.8 * extra[-curve.positive :])
            if length <= CLOSE:
                beta, extra = beta + direction[:p], extra + direction[p:]
                return beta, extra, _total(curve, rows, beta, extra)
            for halvings in range(40):
                tried = beta + direction[:p] * 0.5**halvings, extra + direction[p:] * 0.5**halvings
                reached = _total(curve, rows, *tried)
                if np.isfinite(reached) and reached >= value - 1e-10 * (1.0 + abs(value)):
                    break
            else:
                return None
            beta, extra, value = *tried, reached
    return None


def _total(curve: Curve, rows: ModelRows, beta: Floats, extra: Floats) -> float:
    value = float(rows.weight @ curve.value(rows, rows.x @ beta, extra))
    return value if np.isfinite(value) else -np.inf
