"""Intervals of means over splits: Student's, and better than it where splits are skewed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from divulge.assess.statistics.intervals import mean_over


def test_interval_of_few_splits_is_students() -> None:
    values = [0.1, 0.4, 0.2, 0.5]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    found = mean_over(values)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_interval_of_symmetric_splits_is_students() -> None:
    values = np.concatenate([np.arange(15), -np.arange(15)]) + 3.0
    low, high = stats.t.interval(0.95, 29, 3.0, stats.sem(values))
    assert (mean_over(values).low, mean_over(values).high) == pytest.approx((low, high))


def test_ends_are_where_halls_transformation_is_students_quantile() -> None:
    values = np.random.default_rng(2).exponential(size=30)
    found = mean_over(values)
    k, q = stats.skew(values) / np.sqrt(30), stats.t.ppf(0.975, 29)
    for end, expected in ((found.low, q), (found.high, -q)):
        ratio = (values.mean() - end) / stats.sem(values)
        assert ratio + k * ratio**2 / 3 + k**2 * ratio**3 / 27 + k / 6 == pytest.approx(expected)


@pytest.mark.slow
def test_interval_covers_the_mean_of_skewed_splits_better_than_students() -> None:
    rng = np.random.default_rng(1)
    hits, students = 0, 0
    n_runs = 2000
    for _ in range(n_runs):
        values = rng.chisquare(3, size=30)  # as contrasts of a table with four cells
        found = mean_over(values)
        hits += found.low <= 3 <= found.high
        low, high = stats.t.interval(0.95, 29, values.mean(), stats.sem(values))
        students += low <= 3 <= high
    assert hits > students
    assert hits / n_runs == pytest.approx(0.95, abs=0.015)  # three standard errors of 2,000 runs


def test_splits_that_all_agree_have_no_width() -> None:
    found = mean_over([0.25] * 30)
    assert (found.low, found.value, found.high) == pytest.approx((0.25, 0.25, 0.25))


def test_undefined_splits_are_left_out_and_none_is_undefined() -> None:
    assert mean_over([0.1, np.nan, 0.3]).value == pytest.approx(0.2)
    assert np.isnan(mean_over([np.nan]).value)
    assert np.isnan(mean_over([0.1]).low)
