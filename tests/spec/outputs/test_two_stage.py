"""Two-stage least squares beside statsmodels; with one instrument of two values it is a ratio of differences."""

from __future__ import annotations

import numpy as np
import patsy
import pytest
from statsmodels.sandbox.regression.gmm import IV2SLS

from divulge.errors import OutputError
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.two_stage import TwoStage
from tests.spec.outputs.beside import CENSUS, agree, frame
from tests.support.tables import small_table

FIELDS = {"formula": "AGE ~ LTILL + SEX", "instruments": "SEX + C(MSTATUS)"}


def test_instrument_of_two_values_gives_the_ratio_of_differences() -> None:
    # Wald 1940: y rises by 6 where x rises by 2.
    table = small_table(x=[0, 2, 2, 4], y=[1, 3, 7, 9], z=[0, 0, 1, 1])
    found = TwoStage(formula="y ~ x", instruments="z").evaluate(table)
    assert found.values[1] == pytest.approx(3.0)


@pytest.mark.parametrize("scale", ["n", "n-k"])
def test_two_stage_is_that_of_statsmodels(scale: str) -> None:
    y, x = patsy.dmatrices("AGE ~ LTILL + SEX", frame(), return_type="dataframe")
    z = patsy.dmatrix("SEX + C(MSTATUS)", frame(), return_type="dataframe")
    theirs = IV2SLS(y.to_numpy().ravel(), x.to_numpy(), z.to_numpy()).fit()
    factor = 1.0 if scale == "n-k" else np.sqrt((len(y) - x.shape[1]) / len(y))
    found = TwoStage(**FIELDS, scale=scale).evaluate(CENSUS)  # type: ignore[arg-type]
    labels = found.labels
    agree(
        found,
        dict(zip(labels, theirs.params, strict=True)),
        dict(zip(labels, theirs.bse * factor, strict=True)),
    )


def test_covariates_that_are_their_own_instruments_are_least_squares() -> None:
    found = TwoStage(formula="AGE ~ LTILL + SEX", instruments="LTILL + SEX", errors="HC1").evaluate(CENSUS)
    plain = Linear(formula="AGE ~ LTILL + SEX", errors="HC1").evaluate(CENSUS)
    assert found.values == pytest.approx(plain.values)
    assert found.se == pytest.approx(plain.se)


def test_fewer_instruments_than_coefficients_are_refused() -> None:
    with pytest.raises(OutputError, match="as many instruments"):
        TwoStage(formula="AGE ~ LTILL + SEX", instruments="SEX").check(CENSUS.schema)
