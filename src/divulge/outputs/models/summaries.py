"""Figures that sum up a fit and are printed once below it: AIC, F, adjusted R², degrees of freedom, mean response.

All follow from R², the likelihood and the number of rows but for their last digits: they are held, compared with the
data and shown, and no search is held to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.special import chdtrc, fdtrc

from divulge.kernels.arrays import Floats
from divulge.outputs.models.matrix import model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.table import Table

Published = Literal[
    "se",
    "r2",
    "loglik",
    "n",
    "t",
    "p",
    "interval",
    "ratio",
    "ratio-interval",
    "adj-r2",
    "f",
    "f-p",
    "lr",
    "lr-p",
    "aic",
    "bic",
    "df",
    "df-residual",
    "mean",
]
"""What may be published beside coefficients; the last ten sum up the fit."""

LABELS: dict[str, str] = {
    "adj-r2": "adjusted r2",
    "f": "F",
    "f-p": "p of F",
    "lr": "LR chi2",
    "lr-p": "p of LR chi2",
    "loglik": "loglik",
    "aic": "AIC",
    "bic": "BIC",
    "df": "df of the model",
    "df-residual": "df of residuals",
    "mean": "mean of the response",
}
"""What each is called among the figures. A likelihood that the search is held to is none of these."""

OF_LINEAR = ("adj-r2", "f", "f-p", "aic", "bic", "df", "df-residual", "mean")
OF_LIKELIHOODS = ("lr", "lr-p", "aic", "bic", "df", "df-residual", "mean")

CODES: dict[str, str] = {
    "adj-r2": "model.rsquared_adj",
    "f": "model.fvalue",
    "f-p": "model.f_pvalue",
    "lr": "model.llr",
    "lr-p": "model.llr_pvalue",
    "loglik": "model.llf",
    "aic": "model.aic",
    "bic": "model.bic",
    "df": "model.df_model",
    "df-residual": "model.df_resid",
    "mean": "model.model.endog.mean()",
}
"""What statsmodels calls them."""

_OTHERWISE = {
    "adj.r-squared": "adj-r2",
    "adjustedr-squared": "adj-r2",
    "adjustedr²": "adj-r2",
    "adjr2": "adj-r2",
    "f-statistic": "f",
    "fstatistic": "f",
    "prob(f-statistic)": "f-p",
    "prob>f": "f-p",
    "lrchi2": "lr",
    "prob>chi2": "lr-p",
    "llrp-value": "lr-p",
    "dfmodel": "df",
    "dfresiduals": "df-residual",
    "meandependentvar": "mean",
}
"""What programs call them, without spaces."""


def label_of(text: str, names: Sequence[str]) -> str | None:
    """The label that a text names, of the summaries that are published; None where it names none."""
    plain = "".join(text.split()).casefold()
    for name in names:
        if plain in (name, "".join(LABELS[name].split()).casefold()) or _OTHERWISE.get(plain) == name:
            return LABELS[name]
    return None


def range_of_summary(name: str) -> tuple[float, float]:
    """Between which it lies."""
    if name in ("f-p", "lr-p"):
        return 0.0, 1.0
    if name == "adj-r2":
        return -np.inf, 1.0
    return (0.0, np.inf) if name in ("f", "lr", "df", "df-residual") else (-np.inf, np.inf)


def summaries(
    names: Sequence[str], n: float, k: float, r2: float, loglik: float, mean: float, n_parameters: float
) -> Floats:
    """The figures of a fit with k coefficients to n rows. n_parameters: as AIC (Akaike 1974) and BIC (Schwarz 1978)
    count them; some programs count the variance of a linear model, too."""
    df, left = k - 1.0, n - k
    with np.errstate(all="ignore"):
        f = np.divide(r2 / df, (1.0 - r2) / left) if df > 0 and left > 0 and r2 < 1.0 else np.nan
        lr = 2.0 * loglik * r2 / (r2 - 1.0) if r2 < 1.0 else np.nan  # McFadden's R² is 1 − l/l₀
        found = {
            "adj-r2": 1.0 - (1.0 - r2) * (n - 1.0) / left if left > 0 else np.nan,
            "f": f,
            "f-p": fdtrc(df, left, f) if np.isfinite(f) else np.nan,
            "lr": lr,
            "lr-p": chdtrc(df, lr) if df > 0 and lr >= 0.0 else np.nan,
            "loglik": loglik,
            "aic": 2.0 * n_parameters - 2.0 * loglik,
            "bic": np.log(max(n, 1.0)) * n_parameters - 2.0 * loglik,
            "df": df,
            "df-residual": left,
            "mean": mean,
        }
    return np.array([found[name] for name in names], dtype=float)


def mean_response(output: Output, model: Model, table: Table) -> float:
    """The mean of the response over the rows that the model is fitted to."""
    rows = model_rows(output, model, table)
    return float(np.average(rows.y, weights=rows.weight)) if rows.size else np.nan
