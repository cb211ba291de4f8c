"""How average marginal effects lower: at coefficients near those of the synthetic people, which were not released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
from scipy.special import expit, ndtr

from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.models.beside import FARTHEST
from divulge.outputs.models.design import Design
from divulge.outputs.models.effects import Covariate, Means, covariates
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Estimate
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.refit import inverted
from divulge.table import Table

_SETTLING = 40
"""Rounds in which coefficients that give the released effects are looked for; they come near in ten."""

_SCALES = (1.0, 1.4, 1.9, 2.6)
"""Steepness of the logistic curves that make up a normal one: within 0.0005 of it together."""


@dataclass(frozen=True, eq=False)
class _Sum:
    """Σ over rows of a function of a predictor: a weighted sum of pieces; the predictor's design and coefficients."""

    pieces: tuple[Piece, ...]
    shares: Floats
    design: Design
    beta: Floats


def _curves(family: str, is_slope: bool) -> tuple[tuple[Piece, ...], Floats]:
    """The mean, or its slope, as a function of the predictor."""
    if family == "poisson":
        return (Piece("exp", {}, parameter=0),), np.ones(1)
    if family == "logistic":
        return (Piece("bump" if is_slope else "sigmoid", {}, parameter=0),), np.ones(1)
    # A normal curve as a sum of logistic ones; its slope is the sum of theirs.
    grid = np.linspace(-5.0, 5.0, 201)
    basis = np.stack([expit(s * grid) - 0.5 for s in _SCALES], axis=1)
    shares = np.linalg.lstsq(basis, ndtr(grid) - 0.5, rcond=None)[0]
    if is_slope:
        return tuple(Piece("bump", {}, s, parameter=0) for s in _SCALES), shares * np.array(_SCALES)
    curves = tuple(Piece("sigmoid", {}, s, parameter=0) for s in _SCALES)
    return (*curves, Piece("one", {}, parameter=0)), np.append(shares, 0.5 * (1.0 - shares.sum()))


def sums_of(
    family: str, model: Model, beta: Floats, known: tuple[Covariate, ...], is_difference: bool
) -> tuple[_Sum, ...]:
    """The sum of slopes; then of every category the sum of means with everybody at its reference, and at each level."""
    design = model.design
    found = [_Sum(*_curves(family, True), design, beta)]
    for covariate in known:
        if covariate.is_number or not is_difference:
            continue
        others = tuple(t for i, t in enumerate(design.terms) if i != covariate.term)
        wider = replace(design, labels=(*design.labels, "level"), terms=(*others, Term.constant(design.n_columns)))
        for shift in (0.0, *beta[list(covariate.columns)].tolist()):
            found.append(_Sum(*_curves(family, False), wider, np.append(beta, shift)))
    return tuple(found)


def near_effects(means: Means, model: Model, rows: ModelRows, effects: Floats, mean: float) -> Floats:
    """Coefficients that give about these effects and this mean among rows."""
    columns = [j for c in covariates(model) for j in c.columns]
    beta, intercept = np.zeros(model.design.n_columns), model.design.intercept
    for _ in range(_SETTLING):
        slope = max(float(np.average(means.slope(rows.x @ beta), weights=rows.weight)), 1e-6)
        beta[columns] = np.clip(np.nan_to_num(effects) / slope, -FARTHEST, FARTHEST)
        if intercept >= 0:
            off = mean - float(np.average(means.mean(rows.x @ beta), weights=rows.weight))
            beta[intercept] += float(np.clip(off / slope, -1.0, 1.0))
    return beta


@dataclass(frozen=True, eq=False)
class EffectResiduals:
    """Effects of a table − released, the number of rows − released where it is a figure, then nothing for the others.

    Totals: the pieces of the score, of the sums (see `sums_of`), and the number of rows. An effect changes with the
    coefficients, H⁻¹ times the score (Hampel 1974), and with the people it is averaged over. beta: where the sums are.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    fitted: Callable[[Table], tuple[Model, ModelRows, Estimate]]
    means: Means
    known: tuple[Covariate, ...]
    is_difference: bool
    released: Floats
    combine: Floats
    sums: tuple[_Sum, ...]
    beta: Floats
    has_n: bool

    @property
    def m(self) -> int:
        return sum(len(c.columns) for c in self.known)

    def errors(self, rows: ModelRows, share: float) -> Floats:
        """About how large standard errors are; only a unit for the discrepancy."""
        inverse, _ = inverted(self.means.curve.information(rows, self.beta, np.zeros(0)) * share)
        slopes = self.means.effect_slopes(rows, self.beta, self.known, self.is_difference)
        return np.sqrt(np.maximum(np.diagonal(slopes @ inverse @ slopes.T), 1e-12))

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        _, rows, fit = self.fitted(table)
        m, (p, n_score) = self.m, self.combine.shape
        residuals = np.zeros(len(self.released))
        jacobian = np.zeros((len(self.released), len(totals)))
        is_fitted = fit.status is Status.OK
        beta = fit.beta if is_fitted else self.beta
        with np.errstate(all="ignore"):
            curvature = self.means.curve.information(rows, beta, np.zeros(0)) if rows.size else np.zeros((p, p))
            inverse, is_lost = inverted(np.nan_to_num(curvature))
        if not is_fitted:
            # A level that no row has, or a perfect fit: as far from what was released as the sums say.
            beta = (
                beta + np.where(is_lost, np.sqrt(np.diagonal(inverse)), 0.0) + inverse @ self.combine @ totals[:n_score]
            )
        if rows.size:
            effects = self.means.average_effects(rows, beta, self.known, self.is_difference)
            slopes = self.means.effect_slopes(rows, beta, self.known, self.is_difference)
            residuals[:m] = np.nan_to_num(effects, nan=1.0) - self.released[:m]
            jacobian[:m, :n_score] = slopes @ inverse @ self.combine
            jacobian[:m, n_score:] = self._averaged(
                beta, effects, max(float(rows.weight.sum()), 1.0), len(totals) - n_score
            )
        if self.has_n:
            residuals[m] = totals[-1] - self.released[m]
            jacobian[m, -1] = 1.0
        return residuals, np.nan_to_num(jacobian)

    def _averaged(self, beta: Floats, effects: Floats, n: float, width: int) -> Floats:
        """Derivatives of the effects in the sums and in the number of rows, coefficients as they are."""
        found = np.zeros((self.m, width))
        found[:, -1] = -effects / n
        starts = np.cumsum([0, *(len(s.pieces) for s in self.sums)])
        spans = [slice(a, b) for a, b in pairwise(starts.tolist())]
        at, effect = 1, 0
        for covariate in self.known:
            is_slope = covariate.is_number or not self.is_difference
            for k, column in enumerate(covariate.columns):
                if is_slope:
                    found[effect, spans[0]] = self.sums[0].shares * beta[column] / n
                else:
                    found[effect, spans[at + 1 + k]] = self.sums[at + 1 + k].shares / n
                    found[effect, spans[at]] = -self.sums[at].shares / n
                effect += 1
            at += 0 if is_slope else 1 + len(covariate.columns)
        return found
