"""Models of statsmodels beside ours, label by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from divulge.demo import simulated_census
from divulge.outputs import Figures
from divulge.table import Table
from tests.reference.models_of_r import VALUES

CENSUS = simulated_census(1500)


def frame(table: Table = CENSUS) -> pd.DataFrame:
    """Categories with all their levels, in the schema's order; HOME and ILL are 0 and 1, STATUS counts from 0."""
    data = table.to_pandas()
    for variable in table.schema:
        if variable.kind == "categorical":
            data[variable.name] = pd.Categorical(data[variable.name], categories=variable.texts)
    return data.assign(
        HOME=data["TENURE"].cat.codes, ILL=(data["LTILL"].cat.codes == 0) * 1, STATUS=data["MSTATUS"].cat.codes
    )


def agree(figures: Figures, values: Mapping[str, float], errors: Mapping[str, float] | None = None) -> None:
    """To 1e-6, the aim for every model; theirs are fitted until they no longer change."""
    ours = dict(zip(figures.labels, figures.values, strict=True))
    assert set(values) <= set(ours)
    np.testing.assert_allclose([ours[k] for k in values], list(values.values()), rtol=1e-6, atol=1e-8)
    if errors is not None:
        assert figures.se is not None
        se = dict(zip(figures.labels, figures.se, strict=True))
        np.testing.assert_allclose([se[k] for k in errors], list(errors.values()), rtol=1e-5)


def of(result: Any, rename: Mapping[str, str] | None = None) -> tuple[dict[str, float], dict[str, float]]:
    """Coefficients and standard errors by our labels."""
    names = [(rename or {}).get(str(n), str(n)) for n in result.model.exog_names]
    params, bse = np.asarray(result.params), np.asarray(result.bse)
    return dict(zip(names, params, strict=False)), dict(zip(names, bse, strict=False))


FEW = CENSUS.take(slice(400))
"""Those that R was given (tests/reference/models.R)."""


def small_frame() -> pd.DataFrame:
    return frame(FEW)


def levelled_frame() -> pd.DataFrame:
    """Twelve groups of fifteen with lines of their own; whole numbers by a rule, so that any program has the same."""
    k = np.arange(180)
    g, x = k // 15, k % 15
    off = (k * 7919 % 101 - 50) / 10.0  # scattered, without a seed
    y = np.round(20 + 2 * x + (g * 5 % 12 - 6) * 3.0 + (g * 7 % 12 - 5.5) * 0.4 * x + off)
    return pd.DataFrame({"y": y.astype(int), "x": x, "g": [f"g{i:02d}" for i in g]})


def agree_with_r(figures: Figures, name: str, rtol: float = 1e-6) -> None:
    """Coefficients and standard errors, in R's order, which is ours for main effects."""
    values, errors = VALUES[name]
    np.testing.assert_allclose(figures.values[: len(values)], values, rtol=rtol)
    assert figures.se is not None
    known = np.isfinite(errors)
    np.testing.assert_allclose(figures.se[: len(errors)][known], np.array(errors)[known], rtol=10 * rtol)
