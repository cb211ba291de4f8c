"""Average marginal effects: how far the mean response moves with a covariate, over the people that there are.

Of a number it is the mean slope, of a category the mean difference from the reference level (Bartus 2005), or the slope
in its column as if that were a number. Standard errors are by the delta method, covariates as given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve

STEP = 1e-5
"""Of central differences in coefficients, relative: near the cube root of rounding, where they are best."""


@dataclass(frozen=True, eq=False)
class Means:
    """A model's mean as a function of its predictor, the slope of it, and the likelihood of a row."""

    mean: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curve: Curve

    def average_effects(
        self, rows: ModelRows, beta: Floats, known: tuple[Covariate, ...], is_difference: bool
    ) -> Floats:
        """One effect for each column of the covariates, in their order."""
        eta = rows.x @ beta
        total = float(rows.weight.sum())
        slope = float(rows.weight @ self.slope(eta)) / total
        found: list[float] = []
        for covariate in known:
            columns = list(covariate.columns)
            if covariate.is_number or not is_difference:
                found += (slope * beta[columns]).tolist()
                continue
            without = eta - rows.x[:, columns] @ beta[columns]
            reference = float(rows.weight @ self.mean(without))
            found += [(float(rows.weight @ self.mean(without + beta[j])) - reference) / total for j in columns]
        return np.array(found)

    def effect_slopes(self, rows: ModelRows, beta: Floats, known: tuple[Covariate, ...], is_difference: bool) -> Floats:
        """Derivatives of the effects in the coefficients, (effects, coefficients)."""
        columns = []
        for j in range(len(beta)):
            step = STEP * max(1.0 / max(float(np.abs(rows.x[:, j]).max(initial=0.0)), 1e-12), 1e-12)
            ends = []
            for sign in (1.0, -1.0):
                moved = beta.copy()
                moved[j] += sign * step
                ends.append(self.average_effects(rows, moved, known, is_difference))
            columns.append((ends[0] - ends[1]) / (2.0 * step))
        return np.stack(columns, axis=1)


def _logistic_slope(eta: Floats) -> Floats:
    return np.asarray(expit(eta) * expit(-eta))


LOGISTIC = Means(
    lambda eta: np.asarray(expit(eta)),
    _logistic_slope,
    Curve(
        lambda rows, eta, extra: np.where(rows.y > 0.5, log_expit(eta), log_expit(-eta)),
        lambda rows, eta, extra: (rows.y - expit(eta))[:, None],
    ),
)
POISSON = Means(
    np.exp,
    np.exp,
    Curve(
        lambda rows, eta, extra: rows.y * eta - np.exp(eta),
        lambda rows, eta, extra: (rows.y - np.exp(eta))[:, None],
    ),
)


@dataclass(frozen=True)
class Covariate:
    """A covariate of a model: its columns, and the term among those of the design. is_number: one column, a slope."""

    term: int
    columns: tuple[int, ...]
    is_number: bool


def covariates(model: Model) -> tuple[Covariate, ...]:
    """The covariates of a model with main effects alone; an error where it has others."""
    for term in model.formula.terms:
        plain = len(term) == 1 and not term[0].is_sum and (term[0].is_categorical or term[0].text == term[0].variable)
        if term and not plain:
            named = ":".join(factor.text for factor in term)
            raise OutputError(
                f"marginal effects of `{named}` are not computed.",
                where="formula",
                hint="They are of covariates as they are and of categories, without interactions and functions.",
            )
    found = []
    for number, held in enumerate(model.design.terms):
        columns = tuple(sorted({int(i) for i in held.index if i >= 0}))
        if held.variables:
            found.append(Covariate(number, columns, held.factors[0] is not None))
    if not found:
        raise OutputError("at least one covariate is needed.", where="formula")
    return tuple(found)
