"""How a fitted regression predicts its own people: their predictor, and how far each decides it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels import glm, lowering
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.rows import counted, row_weights
from divulge.outputs.mean_curves import COUNTS, IDENTITY, LOGIT, MeanCurve
from divulge.outputs.models.matrix import columns
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Released
from divulge.outputs.stated import Link, Stated, about_number, about_value
from divulge.table import Table

_CURVES = {lowering.IDENTITY: IDENTITY, lowering.LOGISTIC: LOGIT, lowering.POISSON: COUNTS}
"""By the families of the kernels."""

_BLOCK = 50_000
"""Rows of the design that are held at once."""


def model_predictions(
    output: Output, table: Table, model: Model, released: Released, curve: MeanCurve | None = None
) -> Predictions | None:
    """What the printed coefficients say of everybody; None where one is not printed, or it is not known how.

    curve: how means follow from predictors, where it is not by the family that the kernels have.
    """
    curve = _CURVES.get(model.kernel) if curve is None else curve
    beta = released.values[: model.design.n_columns]
    if curve is None or not np.isfinite(beta).all():
        return None
    rows = _counted_rows(output, table, model)
    weight = row_weights(output, table)[rows]
    times = table.times[rows]
    y, eta, moments = np.empty(len(rows)), np.empty(len(rows)), np.zeros((2, len(beta), len(beta)))
    blocks = [slice(at, at + _BLOCK) for at in range(0, len(rows), _BLOCK)]
    for block in blocks:
        x, y[block] = _design_rows(table, model, rows[block])
        eta[block] = x @ beta
        each = times[block] * weight[block] * curve.weight(eta[block])
        moments += [x.T @ (x * (each * of)[:, None]) for of in (1.0, weight[block])]
    inverse = glm.solve_scaled(moments[0], np.eye(len(beta))) if np.isfinite(moments).all() else None
    left = times.sum() - len(beta)
    if inverse is None or (left < 1 and not curve.is_chance):
        return None  # where nothing is left of which an error could be told, rules refuse it
    leverage, estimated = np.empty(len(rows)), np.empty(len(rows))
    for block in blocks:
        x, _ = _design_rows(table, model, rows[block])
        said, slope = x @ inverse, curve.weight(eta[block])
        leverage[block] = weight[block] * slope * (said * x).sum(axis=1)
        estimated[block] = slope * ((said @ moments[1]) * said).sum(axis=1)
    response = model.formula.response.variable
    names = tuple(n for n in model.variables(None) if n != response)
    factor = 1.0
    if curve.is_dispersed:
        mean = curve.mean(eta)
        # Of people as they are: a large weight makes nobody's own value surer.
        factor = float((times * (y - mean) ** 2 / curve.variance(mean)).sum() / left)
    about = response, names, rows, y, eta, np.clip(leverage, 0.0, 1.0)
    return Predictions(*about, curve, np.full(len(rows), np.sqrt(factor)), estimated)


def model_stated(output: Output, table: Table, model: Model, released: Released, is_scored: bool) -> tuple[Stated, ...]:
    """X'y, which the printed coefficients state: X'X b of a linear model, X'μ of one with a canonical link.

    is_scored: whether the model is one of these; else its people and predictors are told, not how precisely.
    """
    name, p = model.formula.response.variable, model.design.n_columns
    rows, weights = _counted_rows(output, table, model), row_weights(output, table)
    inside = np.zeros(table.n_rows, dtype=bool)
    inside[rows] = True
    own = np.nan_to_num(model.y)[table[name]]
    beta, half = released.values[:p], released.half[:p]
    is_known = is_scored and model.n_classes == 1 and bool(np.isfinite(beta).all() and np.isfinite(half).all())
    error, times = np.zeros(p), table.times
    for at in range(0, len(rows) if is_known else 0, _BLOCK):
        x = _design_rows(table, model, rows[at : at + _BLOCK])[0]
        slope = (weights * times)[rows[at : at + _BLOCK]] * _CURVES[model.kernel].slope(x @ beta)
        error += np.abs(x.T * slope) @ np.abs(x) @ half
    link: Link = "other" if not is_known else "linear" if model.kernel == lowering.IDENTITY else "canonical"
    about = name, model.formula.response.text
    if link == "linear" and about[1] == name:
        about = about_number(table, name)
    elif model.kernel == lowering.LOGISTIC:
        about = about_value(name, int(np.nanargmax(model.y)))

    def columns(chosen: Integers) -> Floats:
        found = np.zeros((len(chosen), p))
        has = inside[chosen]
        found[has] = _design_rows(table, model, chosen[has])[0] * weights[chosen[has], None]
        return found

    return (Stated(about, own, inside, columns, error, link, output.weights is not None),)


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


def _design_rows(
    table: Table, model: Model, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The design of these rows, all of which count, and their responses."""
    people = table.select(model.variables(None)).take(rows)
    found, _ = columns(model.design.terms, model.design.n_columns, people)
    return found, model.y[table[model.formula.response.variable][rows]]
