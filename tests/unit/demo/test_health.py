"""The health simulator follows Templ et al. (RAPID, appendix A)."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from divulge.demo.health import simulated_health
from divulge.errors import UsageError


def test_health_is_the_same_bytes_for_the_same_seed() -> None:
    table = simulated_health()
    assert len(table) == 1000
    digest = sha256(b"".join(column.tobytes() for column in table.columns)).hexdigest()
    # Drawn once and written down: another platform or another version of numpy must give these bytes too.
    assert digest[:16] == "208af8894909bc22"


def test_without_dependence_each_variable_has_the_marginal_of_the_paper() -> None:
    frame = simulated_health(20_000, kappa=0.0).to_pandas()
    # At kappa 0: log income is N(10, 1), the score's logit is N(0, 1), schooling is N(0, 1) cut at −0.3 and 0.7,
    # disease has odds 1 : exp(−1.5) : exp(−1.3), gender is a fair coin. Tolerances: about four standard errors.
    age = stats.truncnorm((18 - 45) / 12, (85 - 45) / 12, 45, 12)
    assert frame["age"].mean() + 0.5 == pytest.approx(age.mean(), abs=4 * 12 / 20_000**0.5)
    assert frame["income"].median() == pytest.approx(np.exp(10), rel=0.04)
    assert np.log(frame["income"].clip(lower=250)).std() == pytest.approx(1.0, abs=0.03)
    assert frame["health_score"].median() == pytest.approx(50, abs=1)
    shares = frame["education"].value_counts(normalize=True)
    cuts = np.diff(stats.norm.cdf([-np.inf, -0.3, 0.7, np.inf]))
    assert [shares["0"], shares["1"], shares["2"]] == pytest.approx(cuts, abs=0.014)
    odds = np.exp([0, -1.5, -1.3])
    disease = frame["disease_status"].value_counts(normalize=True)
    assert [disease[d] for d in ("healthy", "diabetic", "hypertensive")] == pytest.approx(odds / odds.sum(), abs=0.014)
    assert (frame["gender"] == "male").mean() == pytest.approx(0.5, abs=0.014)
    assert abs(np.corrcoef(frame["age"], frame["income"])[0, 1]) < 4 / 20_000**0.5


def test_dependence_grows_with_kappa() -> None:
    strength = []
    for kappa in (0.0, 1.0, 10.0):
        frame = simulated_health(5000, kappa=kappa).to_pandas()
        old = frame["age"] >= 60
        ill = frame["disease_status"] != "healthy"
        schooling = frame["education"].astype(float)
        pay, illness = frame["income"].corr(schooling, method="spearman"), ill[old].mean() - ill[~old].mean()
        strength.append((pay, illness, -frame["health_score"].corr(frame["age"])))
    for weaker, stronger in pairwise(strength):
        assert all(a < b for a, b in zip(weaker, stronger, strict=True))


def test_very_strong_dependence_overflows_nothing() -> None:
    assert len(simulated_health(200, kappa=1e6)) == 200


def test_a_single_row_can_be_drawn() -> None:
    assert len(simulated_health(1)) == 1


@pytest.mark.parametrize("kappa", [-0.1, float("inf"), float("nan")])
def test_health_rejects_impossible_kappa(kappa: float) -> None:
    with pytest.raises(UsageError, match="kappa"):
        simulated_health(10, kappa=kappa)
