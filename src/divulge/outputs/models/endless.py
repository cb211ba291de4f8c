"""Estimates without a finite value as programs print them: all mean "no positives (or no negatives) here".

Where nobody of a level has the outcome, the likelihood rises for ever as its coefficient falls (Albert & Anderson
1984), and each program stops somewhere else. R's `glm` prints −17.6 with a standard error of 1,075; SAS −12 with some
hundreds; statsmodels −21 to −40 with 10⁴ to 10⁸, or nan. Stata leaves the level out, and its people with it, and says
"predicts failure perfectly", "(omitted)" or "(empty)".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.models.model import Model
from divulge.outputs.released.precision import FAR, Released

FROM, TIMES = 5.0, 10.0
"""A coefficient of a level that is at least so far from 0, with a standard error so many times as large, has no finite
value: a finite one so far out has an error of its own size at most (a level of n people has e^b below n)."""

ALONE = 15.0
"""Without a standard error: odds of e¹⁵, one in three million, need more people than a level has."""

FAILS = ("-inf", "−inf", "-∞", "−∞", "-infinity", "predicts failure perfectly")
SUCCEEDS = ("inf", "+inf", "∞", "+∞", "infinity", "predicts success perfectly")
LEFT_OUT = ("omitted", "(omitted)", "empty", "(empty)", ".", "nan")
"""What stands in place of a number: nobody, everybody, and what does not say which of the two."""


def endless_value(text: str) -> float | None:
    """−∞, ∞, or NaN where a level was left out and nothing is said of it; None where the text is something else."""
    said = " ".join(text.casefold().split())
    if said in FAILS:
        return -np.inf
    if said in SUCCEEDS:
        return np.inf
    return np.nan if said in LEFT_OUT else None


def as_endless(released: Released, model: Model, *, is_ratio: bool) -> Released:
    """The same with coefficients of levels that ran away as −∞ or ∞, without a standard error."""
    n = model.n_coefficients
    with np.errstate(divide="ignore", invalid="ignore"):
        beta = np.log(released.values[:n]) if is_ratio else released.values[:n]
        se = np.full(n, np.nan) if released.se is None else released.se[:n] / (released.values[:n] if is_ratio else 1.0)
        far = np.abs(beta)
        away = np.isfinite(beta) & np.where(np.isnan(se), far >= ALONE, (far >= FROM) & (se >= TIMES * far))
    away &= np.tile(_are_levels(model), model.n_classes)
    if not away.any():
        return released
    gone = np.zeros(len(released.values), dtype=bool)
    gone[:n] = away
    up = gone.copy()
    up[:n] &= beta > 0
    ends = (0.0, np.exp(FAR), np.exp(-FAR)) if is_ratio else (-np.inf, FAR, -FAR)
    return replace(
        released,
        values=np.where(gone, np.where(up, np.inf, ends[0]), released.values),
        low=np.where(gone, np.where(up, ends[1], ends[0]), released.low),
        high=np.where(gone, np.where(up, np.inf, ends[2]), released.high),
        se=None if released.se is None else np.where(gone, np.nan, released.se),
    )


def _are_levels(model: Model) -> Mask:
    """Which columns are 0 or 1 for everybody: levels, and numeric variables that are so themselves."""
    found = np.zeros(model.design.n_columns, dtype=bool)
    for term in model.design.terms:
        numbers = [f for f in term.factors if f is not None]
        is_level = bool(np.isin(term.scale, (0.0, 1.0)).all()) and all(map(_is_yes_or_no, numbers))
        columns = np.unique(term.index[term.index >= 0])
        found[columns] = is_level and bool(term.variables)
    return found


def _is_yes_or_no(factor: Floats) -> bool:
    return bool(np.isin(factor, (0.0, 1.0)).all())
