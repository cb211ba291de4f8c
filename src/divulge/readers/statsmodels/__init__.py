"""Fitted models of statsmodels as outputs, read by their attributes: statsmodels itself is never imported."""

from divulge.readers.statsmodels.figures import (
    DECIMALS,
    INTERCEPTS,
    SE_DECIMALS,
    coefficient_figures,
    formula_of_terms,
    printed_decimals,
    without_summaries,
)
from divulge.readers.statsmodels.fitted import from_statsmodels

__all__ = [
    "DECIMALS",
    "INTERCEPTS",
    "SE_DECIMALS",
    "coefficient_figures",
    "formula_of_terms",
    "from_statsmodels",
    "printed_decimals",
    "without_summaries",
]
