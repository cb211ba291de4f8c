"""How a fitted regression predicts its own people: their predictor, and how far each decides it."""

from __future__ import annotations

import numpy as np

from divulge.kernels import glm, lowering
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.rows import counted, row_weights
from divulge.outputs.models.behind import design_rows
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.outputs.predictions import ChancePredictions, NumberPredictions, Predictions
from divulge.outputs.released.precision import Released
from divulge.table import Table

_BLOCK = 50_000
"""Rows of the design that are held at once."""


def model_predictions(output: Output, table: Table, model: Model, released: Released) -> Predictions | None:
    """What the printed coefficients say of everybody; None for other families, or where one is not printed."""
    beta = released.values[: model.design.n_columns]
    if model.kernel not in (lowering.IDENTITY, lowering.LOGISTIC) or not np.isfinite(beta).all():
        return None
    rows = _counted_rows(output, table, model)
    weight = row_weights(output, table)[rows]
    y, eta, moments = np.empty(len(rows)), np.empty(len(rows)), np.zeros((len(beta), len(beta)))
    blocks = [slice(at, at + _BLOCK) for at in range(0, len(rows), _BLOCK)]
    for block in blocks:
        x, y[block] = design_rows(table, model, rows[block])
        eta[block] = x @ beta
        moments += x.T @ (x * (weight[block] * _slope(model, eta[block]))[:, None])
    inverse = glm.solve_scaled(moments, np.eye(len(beta)))
    if inverse is None:
        return None
    leverage = np.empty(len(rows))
    for block in blocks:
        x, _ = design_rows(table, model, rows[block])
        leverage[block] = weight[block] * _slope(model, eta[block]) * ((x @ inverse) * x).sum(axis=1)
    response = model.formula.response.variable
    names = tuple(n for n in model.variables(None) if n != response)
    said = response, names, rows, y, eta, np.clip(leverage, 0.0, 1.0)
    if model.kernel == lowering.LOGISTIC:
        return ChancePredictions(*said)
    left = len(rows) - len(beta)
    if left < 1:
        return None  # nothing is left of which an error could be told; rules refuse it
    return NumberPredictions(*said, np.sqrt((weight * (y - eta) ** 2).sum() / left / weight))


def _counted_rows(output: Output, table: Table, model: Model) -> Integers:
    """The rows that the model is fitted to."""
    keep = counted(output, table, model.variables(output.weights))
    keep &= np.isfinite(model.y)[table[model.formula.response.variable]] & (row_weights(output, table) > 0)
    for term in model.design.terms:
        cell = np.zeros(table.n_rows, dtype=np.int64)
        for name, cells in zip(term.variables, term.cells, strict=True):
            cell += cells[table[name]]
        keep &= cell >= 0
    return np.flatnonzero(keep).astype(np.int64)


def _slope(model: Model, eta: Floats) -> Floats:
    """−∂²l/∂η² of each row."""
    if model.kernel == lowering.IDENTITY:
        return np.ones(len(eta))
    chance = 1.0 / (1.0 + np.exp(-np.clip(eta, -ChancePredictions.most, ChancePredictions.most)))
    return np.asarray(chance * (1.0 - chance))
