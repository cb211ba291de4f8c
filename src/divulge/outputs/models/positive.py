"""What regressions of counts and of positive responses share."""

from __future__ import annotations

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.models.design import response_values
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.table import Variable


def positive_response(formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """A response above 0; rows where it is 0 take no part (`where` says so in the spec)."""
    values = response_values(formula.response, variable, counts)
    known = values[: variable.n_values]
    if np.isnan(known).any() or (known < 0.0).any() or not (known > 0.0).any():
        raise OutputError(
            f"a response above 0 is needed, {formula.response.text!r} has values below 0 or that are no numbers.",
            where="formula",
        )
    return np.where(values > 0.0, values, np.nan)


def count_response(formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """A response of at least 0."""
    values = response_values(formula.response, variable, counts)
    known = values[: variable.n_values]
    if np.isnan(known).any() or (known < 0.0).any():
        raise OutputError(
            f"a response of counts is needed, {formula.response.text!r} has values below 0 or that are no numbers.",
            where="formula",
        )
    return values


def start_at_mean(rows: ModelRows) -> Floats:
    """Coefficients of least squares of log y: near to those of any model with a logarithmic link."""
    root = np.sqrt(rows.weight)
    found, *_ = np.linalg.lstsq(rows.x * root[:, None], np.log(np.maximum(rows.y, 0.1)) * root, rcond=None)
    return np.asarray(found)


def pearson(rows: ModelRows, eta: Floats, n_fitted: int, power: float) -> float:
    """Pearson's X² over its degrees of freedom, for a variance of μ to a power."""
    df = rows.n_rows - n_fitted
    mu = np.exp(eta)
    return float(rows.weight @ ((rows.y - mu) ** 2 / mu**power)) / df if df > 0 else np.nan
