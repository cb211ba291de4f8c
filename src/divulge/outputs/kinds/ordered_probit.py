"""Ordered probit: a response with ordered values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr, ndtri

from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.ordered import Ordered, add_thresholds, ends, sides
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.smooth_scores import GRID, nearly
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class OrderedProbit(Ordered):
    """Coefficients and thresholds of an ordered probit model (Aitchison & Silvey 1957): P(y ≤ k) = Φ(cut_k − xb).

    The order of the response's values is that of the schema unless `order` says otherwise.
    """

    kind: ClassVar[str] = "ordered-probit"
    title: ClassVar[str] = "Ordered probit"

    def curve(self) -> Curve:
        return Curve(_value, _gradient, turns=2)

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return np.zeros(rows.x.shape[1]), np.asarray(ndtri(self.shares(rows, n_further)))

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        name, known = model.formula.response.variable, np.isfinite(model.y)
        y = np.nan_to_num(model.y).astype(np.int64)
        centre = float(further.mean())
        # Thresholds that were printed alike are taken a ten-thousandth apart, so that a probability is left.
        cuts = np.maximum.accumulate(further) + 1e-4 * np.arange(len(further))
        top, bottom = (side[np.minimum(y, len(cuts))][:, None] - (GRID + centre) for side in ends(cuts))
        upper, lower = _densities(top, bottom)
        found = list(nearly(name, np.where(known[:, None], lower - upper, np.nan), centre))
        for part, number in zip((upper, -lower), sides(name, y, len(cuts)), strict=True):
            pieces = nearly(name, np.where(known[:, None], part, np.nan), centre)
            found += (replace(piece, chosen=number) for piece in pieces)
        return tuple(found)


def _log_between(top: Floats, bottom: Floats) -> Floats:
    """log(Φ(top) − Φ(bottom)), in the tail where it loses no digits."""
    is_right = top + bottom > 0.0
    high, low = np.where(is_right, -bottom, top), np.where(is_right, -top, bottom)
    return np.asarray(log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high))))


def _densities(top: Floats, bottom: Floats) -> tuple[Floats, Floats]:
    """φ at both thresholds over the probability between them."""
    between = _log_between(top, bottom)
    upper, lower = (np.exp(-0.5 * x * x - 0.5 * np.log(2.0 * np.pi) - between) for x in (top, bottom))
    return upper, lower


def _sides(rows: ModelRows, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
    y = rows.y.astype(np.int64)
    top, bottom = ends(extra)
    return top[y] - eta, bottom[y] - eta


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    if (np.diff(extra) <= 0.0).any():
        return np.full(rows.size, np.nan)
    return _log_between(*_sides(rows, eta, extra))


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    upper, lower = _densities(*_sides(rows, eta, extra))
    return add_thresholds(rows, lower - upper, upper, -lower, len(extra))
