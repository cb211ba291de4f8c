"""Utility against closed forms, statsmodels and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import ks_2samp

from divulge.errors import SpecError
from divulge.measures import Case, Interval, Scenario
from divulge.measures.families.utility import Utility, _hellinger, _interval_overlap
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("a", "numeric", np.arange(100)),
        Variable("b", "categorical", np.array(["x", "y", "z"], dtype=object)),
        Variable("t", "categorical", np.array(["no", "yes"], dtype=object)),
    )
)
SCENARIO = Scenario(("a", "b"), "t")


def drawn(n: int, seed: int, shift: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    return Table(SCHEMA, (rng.integers(0, 80, n) + shift, rng.integers(0, 3, n), rng.integers(0, 2, n)))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def span(low: float, high: float) -> Interval:
    return Interval(low, high, "given")


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        (span(0, 1), span(0, 1), 1.0),
        (span(0, 1), span(2, 3), 0.0),
        (span(0, 1), span(1, 2), 0.0),
        (span(0, 2), span(1, 3), 0.5),
        (span(0, 4), span(1, 2), 0.625),
        (span(1, 1), span(0, 2), 0.5),
        (span(1, 1), span(1, 1), 1.0),
        (span(1, 1), span(2, 2), 0.0),
    ],
    ids=["same", "apart", "touching", "half", "within", "point within", "same point", "other point"],
)
def test_overlap_is_the_mean_common_share_clipped_at_zero(a: Interval, b: Interval, overlap: float) -> None:
    assert _interval_overlap(a, b) == pytest.approx(overlap)
    assert _interval_overlap(b, a) == pytest.approx(overlap)


def test_hellinger_has_its_closed_forms() -> None:
    assert _hellinger(np.array([1, 0]), np.array([0, 5])) == 1.0
    assert _hellinger(np.array([2, 3]), np.array([4, 6])) == pytest.approx(0.0, abs=1e-7)
    assert _hellinger(np.array([1, 0]), np.array([1, 1])) == pytest.approx(math.sqrt(1 - math.sqrt(0.5)))
    assert math.isnan(_hellinger(np.array([0, 0]), np.array([1, 1])))


def test_specks_is_the_distance_of_kolmogorov_and_smirnov_between_the_scores() -> None:
    people, synthetic = drawn(200, 1), drawn(150, 2, shift=15)
    found = Utility().estimate(Case(people, synthetic, SCENARIO, drawn(200, 3)), rng())["SPECKS"]
    both = [
        np.column_stack([t.schema["a"].numbers[t["a"]], t["b"] == 1, t["b"] == 2, t["t"]]) for t in (people, synthetic)
    ]
    labels = np.r_[np.zeros(200), np.ones(150)]
    fit = sm.Logit(labels, sm.add_constant(np.vstack(both).astype(float))).fit(disp=0)
    scores = fit.predict()
    assert found.value == pytest.approx(ks_2samp(scores[:200].round(9), scores[200:].round(9)).statistic, abs=1e-9)
    assert found.baseline is not None
    assert found.baseline < found.value


def test_copy_is_as_near_as_can_be() -> None:
    people = drawn(200, 1)
    found = Utility().estimate(Case(people, people, SCENARIO), rng())
    assert found["CIO"].value == 1.0
    assert found["pMSE"].value == pytest.approx(0.0, abs=1e-12)
    assert found["SPECKS"].value == 0.0
    assert found["pMSE_ratio"].value == pytest.approx(0.0, abs=1e-9)
    assert found["Hellinger"].value == pytest.approx(0.0, abs=1e-7)


def test_shifted_data_are_far() -> None:
    people, shifted = drawn(300, 1), drawn(300, 2, shift=15)
    near, far = (Utility().estimate(Case(people, s, SCENARIO), rng()) for s in (drawn(300, 2), shifted))
    assert far["CIO"].details["by_variable"]["a"] == 0.0
    assert near["CIO"].value > far["CIO"].value
    assert far["pMSE_ratio"].value > 10 > near["pMSE_ratio"].value
    assert far["Hellinger"].value > near["Hellinger"].value


def test_pmse_is_that_of_statsmodels() -> None:
    people, synthetic = drawn(150, 1), drawn(250, 2, shift=5)
    found = Utility().estimate(Case(people, synthetic, SCENARIO), rng())
    columns = [np.concatenate([t[n] for t in (people, synthetic)]) for n in ("a", "b", "t")]
    design = np.column_stack([np.ones(400), columns[0], columns[1] == 1, columns[1] == 2, columns[2]]).astype(float)
    fit = sm.Logit(np.arange(400) >= 150, design).fit(disp=0)
    c = 250 / 400
    pmse = float(((fit.predict() - c) ** 2).mean())
    assert found["pMSE"].value == pytest.approx(pmse, rel=1e-6)
    assert found["pMSE_ratio"].value == pytest.approx(pmse / (4 * (1 - c) ** 2 * c / 400), rel=1e-6)


def test_two_samples_of_one_population_have_twice_the_null_of_correct_synthesis() -> None:
    # Snoke et al. 2018: the null is that of a draw from the fitted model; independent samples differ twice as much.
    ratios = [
        Utility().estimate(Case(drawn(200, 2 * s), drawn(200, 2 * s + 1), SCENARIO), rng())["pMSE_ratio"].value
        for s in range(60)
    ]
    # With 4 columns a ratio is about χ²₄/2: mean 2, deviation √2, so the mean of 60 has a standard error of 0.18.
    assert np.mean(ratios) == pytest.approx(2.0, abs=0.6)


def test_null_of_the_tree_is_that_of_correct_synthesis_too() -> None:
    # Two samples of one population are what permuted labels make, so their ratio is 2 on average here as well.
    ratios = [
        Utility(model="cart", n_permutations=10)
        .estimate(Case(drawn(150, 2 * s), drawn(150, 2 * s + 1), SCENARIO), rng())["pMSE_ratio"]
        .value
        for s in range(12)
    ]
    # A single ratio varies by about 0.3, the mean of twelve by 0.1.
    assert np.mean(ratios) == pytest.approx(2.0, abs=0.4)


def test_tree_says_which_null_it_has_and_finds_what_is_not_linear() -> None:
    # The synthetic a is at the ends, the original's in the middle: the same mean, so a regression sees nothing.
    n = 300
    middle = Table(SCHEMA, (np.random.default_rng(1).integers(35, 65, n), np.zeros(n, int), np.zeros(n, int)))
    a = np.random.default_rng(2).integers(0, 30, n)
    ends = Table(SCHEMA, (np.where(np.arange(n) % 2, a, 99 - a), np.zeros(n, int), np.zeros(n, int)))
    tree, line = (Utility(model=m).estimate(Case(middle, ends, SCENARIO), rng()) for m in ("cart", "logit"))  # type: ignore[arg-type]
    assert line["pMSE_ratio"].value < 5
    assert tree["pMSE"].value == pytest.approx(0.25)
    assert "permutations" in tree["pMSE_ratio"].details["null"]
    assert "correct synthesis" in line["pMSE_ratio"].details["null"]


def test_holdout_stands_beside() -> None:
    found = Utility().estimate(Case(drawn(200, 1), drawn(200, 2, shift=15), SCENARIO, drawn(200, 3)), rng())
    assert found["pMSE"].details["holdout_pMSE"] < found["pMSE"].value
    assert found["Hellinger"].baseline is not None
    assert found["Hellinger"].baseline < found["Hellinger"].value


def test_constant_data_have_no_ratio() -> None:
    same = Table(SCHEMA, (np.full(20, 3), np.zeros(20, int), np.zeros(20, int)))
    found = Utility().estimate(Case(same, same, SCENARIO), rng())
    assert np.isnan(found["pMSE_ratio"].value)
    assert "Nothing varies" in found["pMSE_ratio"].caveats[0]


def test_no_rows_are_undefined() -> None:
    found = Utility().estimate(Case(drawn(5, 1), drawn(5, 2).take(slice(0, 0)), SCENARIO), rng())
    assert all(np.isnan(e.value) and e.caveats for e in found.values())


@pytest.mark.parametrize("settings", [{"model": "svm"}, {"n_permutations": 0}])
def test_utility_rejects_impossible_settings(settings: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        Utility(**settings)  # type: ignore[arg-type]
