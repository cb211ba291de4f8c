"""Negative binomial regression beside statsmodels, and on groups."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.outputs.kinds.negative_binomial import NegativeBinomial
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS, FEW, agree, agree_with_r, frame


def test_coefficients_of_groups_are_logs_of_ratios_of_means() -> None:
    found = NegativeBinomial(formula="AGE ~ SEX").evaluate(CENSUS)
    data = frame()
    mean = [data.loc[data["SEX"] == s, "AGE"].mean() for s in CENSUS.schema["SEX"].texts[:2]]
    assert found.values[:2] == pytest.approx([np.log(mean[0]), np.log(mean[1] / mean[0])])


def test_negative_binomial_is_that_of_statsmodels() -> None:
    theirs = smf.negativebinomial("AGE ~ SEX + LTILL", frame()).fit(disp=0, method="newton", maxiter=200, tol=1e-12)
    agree(NegativeBinomial(formula="AGE ~ SEX + LTILL").evaluate(CENSUS), dict(theirs.params), dict(theirs.bse))


def test_expected_information_leaves_alpha_out_of_the_errors() -> None:
    found = NegativeBinomial(formula="AGE ~ SEX", information="expected").evaluate(CENSUS)
    data = frame()
    alpha = found.values[2]
    # The variance of a log mean is (1/μ + α)/n.
    parts = [data.loc[data["SEX"] == s, "AGE"] for s in CENSUS.schema["SEX"].texts[:2]]
    variance = [(1 / part.mean() + alpha) / len(part) for part in parts]
    assert found.se is not None
    assert found.se[:2] == pytest.approx(np.sqrt([variance[0], sum(variance)]), rel=1e-6)  # sums of few thousand rows


def test_negative_binomial_is_that_of_r() -> None:
    found = NegativeBinomial(formula="AGE ~ SEX + TENURE", information="expected").evaluate(FEW)
    agree_with_r(found, "negative-binomial")
    assert 1 / found.values[3] == pytest.approx(VALUES["negative-binomial theta"][0][0], rel=1e-6)  # R prints θ = 1/α
