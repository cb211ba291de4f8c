"""Ordered logit: a response with ordered values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.ordered import Ordered, add_thresholds, ends, sides
from divulge.outputs.models.pieces import Piece
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class OrderedLogit(Ordered):
    """Coefficients and thresholds of a proportional odds model (McCullagh 1980): P(y ≤ k) = 1/(1 + e^(xb − cut_k)).

    The order of the response's values is that of the schema unless `order` says otherwise.
    """

    kind: ClassVar[str] = "ordered-logit"
    title: ClassVar[str] = "Ordered logit"
    ratio: ClassVar[str] = "odds ratio"

    def curve(self) -> Curve:
        return Curve(_value, _gradient, turns=2)

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        share = self.shares(rows, n_further)
        return np.zeros(rows.x.shape[1]), np.log(share / (1.0 - share))

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """Λ(cut_y − η) + Λ(cut_{y−1} − η) − 1; for a threshold 1/(1 − c) − Λ from below, −Λ − c/(1 − c) from above.

        c: e^−(distance of a value's thresholds)."""
        name, known = model.formula.response.variable, np.isfinite(model.y)
        y = np.nan_to_num(model.y).astype(np.int64)
        top, bottom = ends(further)
        same = np.where(known, 1.0, np.nan)
        found = [
            Piece("sigmoid", {name: same}, -1.0, {name: np.where(known, top[np.minimum(y, len(top) - 1)], 0.0)}),
            Piece("sigmoid", {name: same}, -1.0, {name: np.where(known, bottom[np.minimum(y, len(top) - 1)], 0.0)}),
            Piece("one", {name: -same}),
        ]
        # Thresholds that were printed alike are taken a ten-thousandth apart, so that a probability is left.
        gone = np.exp(-np.maximum(top - bottom, 1e-4))
        for cuts, number, constant in zip(
            (top, bottom), sides(name, y, len(further)), (1.0 / (1.0 - gone), -gone / (1.0 - gone)), strict=True
        ):
            at = np.minimum(y, len(further))
            found.append(Piece("sigmoid", {name: -same}, -1.0, {name: np.where(known, cuts[at], 0.0)}, chosen=number))
            found.append(Piece("one", {name: same * constant[at]}, chosen=number))
        return tuple(found)


def _sigmoid(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    if (np.diff(extra) <= 0.0).any():
        return np.full(rows.size, np.nan)
    y = rows.y.astype(np.int64)
    top, bottom = ends(extra)
    return np.log(_sigmoid(top[y] - eta) - _sigmoid(bottom[y] - eta))


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    y = rows.y.astype(np.int64)
    top, bottom = ends(extra)
    upper, lower = _sigmoid(top[y] - eta), _sigmoid(bottom[y] - eta)
    gone = np.exp(-(top - bottom))[y]
    inside = upper + lower - 1.0
    return add_thresholds(rows, inside, 1.0 / (1.0 - gone) - upper, -(lower + gone / (1.0 - gone)), len(extra))
