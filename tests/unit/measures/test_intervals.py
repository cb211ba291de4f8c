"""Intervals and tests beside statsmodels and scipy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from divulge.errors import MeasureError
from divulge.measures import Interval, measure
from divulge.measures.intervals import clopper_pearson, difference, normal, ratio_standard_error, wilson

CASES = [(0, 7), (3, 7), (7, 7), (450, 1000), (1, 5000)]


@pytest.mark.parametrize(("successes", "n"), CASES)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_share_intervals_are_those_of_statsmodels(successes: int, n: int, level: float) -> None:
    for made, method in ((wilson, "wilson"), (clopper_pearson, "beta")):
        found = made(successes, n, level)
        low, high = proportion_confint(successes, n, 1 - level, method)
        assert found is not None
        assert (found.low, found.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


@pytest.mark.parametrize(("a", "b"), [((3, 7), (450, 1000)), ((0, 9), (9, 9)), ((20, 60), (12, 80))])
def test_difference_of_shares_is_newcombes(a: tuple[int, int], b: tuple[int, int]) -> None:
    found = difference(a[0] / a[1], wilson(*a), b[0] / b[1], wilson(*b))
    low, high = confint_proportions_2indep(*a, *b, method="newcomb", compare="diff")
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_difference_of_normal_intervals_is_the_unpaired_normal_one() -> None:
    found = difference(0.5, normal(0.5, 0.03), 0.4, normal(0.4, 0.04))
    assert found is not None
    assert (found.low, found.high) == pytest.approx(normal_bounds(0.1, 0.05))


def normal_bounds(value: float, error: float) -> tuple[float, float]:
    low, high = stats.norm.interval(0.95, value, error)
    return float(low), float(high)


def test_no_interval_without_trials_or_for_what_is_undefined() -> None:
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    assert normal(math.nan, 1) is None
    assert difference(0.5, None, 0.4, wilson(4, 10)) is None


def test_intervals_reject_levels_that_differ_or_make_no_sense() -> None:
    with pytest.raises(MeasureError, match="between 0 and 1"):
        wilson(1, 2, 95)
    with pytest.raises(MeasureError, match="cannot be combined"):
        difference(0, Interval(0, 1, "wilson", 0.9), 0, Interval(0, 1, "wilson", 0.95))


def test_standard_error_of_a_mean_is_the_usual_one() -> None:
    x = np.array([0.1, 0.5, 0.5, 0.9])
    found = ratio_standard_error(4, float(x @ x), float(x.sum()), 4, float(x.sum()), 4)
    assert found == pytest.approx(float(stats.sem(x)))
    assert math.isnan(ratio_standard_error(1, 1, 1, 1, 1, 1))


def test_holdout_is_contrasted_with_welchs_test_and_the_anonymeter_ratio() -> None:
    rng = np.random.default_rng(8)
    data = pd.DataFrame({"k": rng.integers(0, 60, 300), "t": rng.integers(0, 3, 300)})
    people, held = data.iloc[:200], data.iloc[200:]
    found = measure(people, people.iloc[:150], ["k"], "t", holdout=held, with_scores=True)
    contrast = found.difference["DCAP"][0]
    a, b = found["DCAP"].scores, found.holdout["DCAP"][0].scores
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert contrast.welch is not None
    assert (contrast.welch.t, contrast.welch.p) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    assert contrast.welch.degrees_of_freedom == pytest.approx(expected.df)
    assert contrast.value == pytest.approx(float(a.mean() - b.mean()))  # type: ignore[union-attr]
    assert contrast.anonymeter == pytest.approx(contrast.value / (1 - contrast.holdout))
    assert contrast.interval is not None
    assert contrast.interval.low < contrast.value < contrast.interval.high


def test_contrast_says_what_it_does_not_compare() -> None:
    people = pd.DataFrame({"k": ["a", "b", "c"], "t": ["x", "y", "x"]})
    found = measure(people, people, ["k"], "t", holdout=people.iloc[:2])
    assert "3 are compared with 2" in found.difference["UiO"][0].caveats[0]
    assert "synthetic data alone" in found.difference["UiS"][0].caveats[0]
    assert found.difference["UiS"][0].value == 0
    assert math.isnan(found.difference["max_denom"][0].anonymeter)
    assert found.difference["DCAP"][0].caveats == ()
