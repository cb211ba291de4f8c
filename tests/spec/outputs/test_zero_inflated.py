"""Zero-inflated regression beside statsmodels, and of one group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.discrete.count_model import ZeroInflatedNegativeBinomialP, ZeroInflatedPoisson

from divulge.demo import cps_extract
from divulge.outputs.kinds.zero_inflated import ZeroInflated
from divulge.table import table_from_frame
from tests.spec.outputs.beside import agree
from tests.spec.outputs.people import drawn, figures

CPS = cps_extract().take(slice(800))


def test_without_covariates_it_gives_the_share_of_zeros_and_the_mean() -> None:
    found = figures(ZeroInflated(formula="Y ~ 1"), drawn("Y\n" + "0\n" * 6 + "1\n2\n3\n4\n3\n1\n"))
    rate, share = np.exp(found["Intercept"]), 1 / (1 + np.exp(-found["inflate"]))
    assert share + (1 - share) * np.exp(-rate) == pytest.approx(0.5)
    assert (1 - share) * rate == pytest.approx(14 / 12)


def test_zero_inflated_poisson_is_that_of_statsmodels() -> None:
    data = CPS.to_pandas()
    x = np.column_stack([np.ones(len(data)), data["age"] / 1.0, (data["sex"] == "Male") * 1.0])
    theirs = ZeroInflatedPoisson(data["weeks_worked"].to_numpy(float), x, inflation="logit").fit(
        disp=0, method="newton", maxiter=200, start_params=[-1.0, 3.5, 0.0, 0.0]
    )
    inflate, *rate = theirs.params
    values = dict(zip(("Intercept", "age", "sex[T.Male]"), rate, strict=True)) | {"inflate": inflate}
    errors = dict(zip(("inflate", "Intercept", "age", "sex[T.Male]"), theirs.bse, strict=True))
    agree(ZeroInflated(formula="weeks_worked ~ age + sex").evaluate(CPS), values, errors)


def test_counts_that_hardly_vary_more_than_poissons_have_their_small_alpha() -> None:
    # Newton's first step leads to an alpha below 0; creeping towards 0 instead, the search once found nothing.
    rng = np.random.default_rng(77)  # any; the figures are those of R's pscl::zeroinfl, to the digits of its search
    n = 420
    x, z = rng.integers(0, 30, n), rng.normal(size=n).round(1)
    group = rng.choice(list("pqrs"), n, p=[0.5, 0.3, 0.15, 0.05])
    rng.choice(["u", "v"], n), rng.integers(1, 8, n), rng.integers(1, 6, n)
    rate = np.exp(0.3 * (0.05 * x + 0.4 * z + (group == "q") * 0.5))
    rng.normal(size=n), rng.random(n)
    counts = rng.poisson(rate)
    y = np.where(rng.random(n) < 0.3, 0, counts)
    table = table_from_frame(pd.DataFrame({"x": x, "z": z, "y": y}))
    found = ZeroInflated(formula="y ~ x + z", counts="negative-binomial").evaluate(table)
    theirs = [0.22840551, 0.00805613, 0.14296975, -0.57373187, 0.01863908]
    assert found.values == pytest.approx(theirs, rel=1e-4)
    assert found.se is not None
    assert found.se[:4] == pytest.approx([0.13574501, 0.00661639, 0.05834902, 0.22876573], rel=1e-3)


def test_zero_inflated_negative_binomial_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(7)  # any: a thousand people, half of whom are 0 anyway
    x = rng.integers(0, 4, 1000)
    counts = rng.negative_binomial(2.0, 2.0 / (2.0 + np.exp(0.6 + 0.3 * x))) * (rng.random(1000) < 0.6)
    table = drawn("X Y\n" + "".join(f"{a} {b}\n" for a, b in zip(x, counts, strict=True)))
    theirs = ZeroInflatedNegativeBinomialP(
        counts.astype(float), np.column_stack([np.ones(1000), x]), inflation="logit"
    ).fit(disp=0, method="newton", maxiter=200, start_params=[-0.4, 0.6, 0.3, 0.5])
    values = dict(zip(("inflate", "Intercept", "X", "alpha"), theirs.params, strict=True))
    errors = dict(zip(("inflate", "Intercept", "X", "alpha"), theirs.bse, strict=True))
    output = ZeroInflated(formula="Y ~ X", counts="negative-binomial")
    agree(output.evaluate(table), values, errors)
    # As the search sees it, the score of the fit is nearly nothing: within what 0s are matched to.
    released = replace(output, decimals=6).publish(output.evaluate(table), table.schema)
    assert np.abs(output.lower(table.schema, released).residuals_at(table)[:4]).max() < 0.01
