"""How a summary of statsmodels writes figures, and formulas from the names that it gives to terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.outputs.output import Output

DECIMALS = 4
"""Of coefficients in a summary of statsmodels."""

SE_DECIMALS = 3
"""Of standard errors there."""

PRINTED: Mapping[str, tuple[str, int]] = {
    "r2": ("decimals", 3),
    "pseudo r2": ("significant", 4),
    "loglik": ("significant", 5),
    "n": ("decimals", 0),
    "adj-r2": ("decimals", 3),
    "f": ("significant", 4),
    "f-p": ("significant", 3),
    "lr-p": ("significant", 4),
    "aic": ("significant", 4),
    "bic": ("significant", 4),
    "df": ("decimals", 0),
    "df-residual": ("decimals", 0),
}

_LEVEL = re.compile(r"\[(T\.|S\.)?[^\[\]]*\]")
INTERCEPTS = frozenset({"const", "Intercept"})


def printed_decimals(statistic: str, value: float) -> int:
    """With how many decimals a summary shows a statistic: r2, pseudo r2, loglik, n, and those that sum up."""
    how, digits = PRINTED[statistic]
    if how == "decimals":
        return digits
    return digits - 1 - (int(np.floor(np.log10(abs(value)))) if value else 0)


def formula_of_terms(response: str, terms: Sequence[str]) -> str:
    """A formula from the names of a model's terms: `y ~ x + C(a)` from const, x, C(a)[T.2], C(a)[T.3]."""
    factors = list(dict.fromkeys(_LEVEL.sub("", term) for term in terms if term not in INTERCEPTS))
    named = [*([] if INTERCEPTS & set(terms) else ["0"]), *(_quoted(factor) for factor in factors)] or ["1"]
    return f"{_quoted(response)} ~ {' + '.join(named)}"


def _quoted(factor: str) -> str:
    """A name that is no word needs backticks; calls, and products of words and calls, do not."""
    part = r"[A-Za-z_][\w.]*(\(.*\))?"
    return factor if re.fullmatch(rf"{part}(:{part})*", factor) else f"`{factor}`"


def coefficient_figures(
    labels: Sequence[str], params: Any, errors: Any, decimals: int, se_decimals: int | None = -1
) -> dict[str, Any]:
    """Coefficients by label as a spec has them, with standard errors where they have decimals (−1: as many)."""
    places = decimals if se_decimals == -1 else se_decimals
    return {
        label: {"coef": f"{value:.{decimals}f}", "se": f"{se:.{places}f}"}
        if places is not None and np.isfinite(se)
        else f"{value:.{decimals}f}"
        for label, value, se in zip(
            labels, np.asarray(params, dtype=float).tolist(), np.asarray(errors, dtype=float).tolist(), strict=True
        )
    }


def without_summaries(output: Output) -> Output:
    """The same regression without R² and log-likelihood, which follow from the data once the coefficients are right to
    more digits than are printed, and which no search reaches in a time that people wait."""
    fields: Any = vars(output)
    left_out = {"r2", "loglik"} & set(fields["statistics"])
    released, decimals = dict(fields["released"]), fields["decimals"]
    kept = [label for label in released if label not in left_out]
    return replace(
        output,
        released={label: released[label] for label in kept},
        decimals=tuple(d for label, d in zip(released, decimals, strict=True) if label not in left_out),
        statistics=tuple(s for s in fields["statistics"] if s not in left_out),  # type: ignore[call-arg]  # regressions
    )
