"""Values drawn around means: means are met to the ends of the values, and the marginal is kept where it can be."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.synthesisers.descent.raked import draw_around

ROWS = 20_000


@pytest.mark.parametrize(
    "values", [np.array([-9.0, *range(1, 13)]), np.arange(2.0), np.geomspace(1, 5000, 300)], ids=["gap", "two", "skew"]
)
def test_rows_of_each_mean_have_it_in_expectation(values: np.ndarray) -> None:
    rng = np.random.default_rng(3)  # any seed: the tolerance is for all
    share = rng.dirichlet(np.ones(len(values)))
    middle, width = share @ values, np.ptp(values)
    means = np.repeat(np.clip(middle + width * np.array([-0.2, -0.05, 0.0, 0.1]), values[0], values[-1]), ROWS)
    drawn = values[draw_around(values, share, means, rng)].reshape(4, ROWS)
    # Five standard errors of a mean of so many rows, whatever their spread.
    np.testing.assert_allclose(drawn.mean(axis=1), means[::ROWS], atol=5 * width / np.sqrt(ROWS))


def test_a_group_whose_mean_is_an_end_has_that_value_alone() -> None:
    values, rng = np.array([-9.0, 1.0, 2.0, 30.0]), np.random.default_rng(1)  # any seed: nothing is left to chance
    means = np.repeat([-9.0, 30.0, 40.0], 500)
    places = draw_around(values, np.full(4, 0.25), means, rng).reshape(3, 500)
    assert (places == np.array([[0], [3], [3]])).all()


def test_the_marginal_is_kept_where_means_allow_it() -> None:
    rng = np.random.default_rng(2)  # any seed: the tolerance is for all
    values, share = np.arange(6.0), np.array([0.4, 0.05, 0.05, 0.1, 0.1, 0.3])
    # Half of the rows are low and half are high, with the marginal's mean between.
    means = np.repeat(share @ values + np.array([-1.5, 1.5]), ROWS)
    drawn = np.bincount(draw_around(values, share, means, rng), minlength=6) / (2 * ROWS)
    # Five standard deviations of a share of so many rows.
    np.testing.assert_allclose(drawn, share, atol=5 * 0.5 / np.sqrt(2 * ROWS))


def test_means_that_all_differ_are_met_together() -> None:
    rng = np.random.default_rng(4)  # any seed: the tolerance is for all
    values, share = np.arange(50.0), np.full(50, 0.02)
    means = np.sort(rng.uniform(5, 44, 40_000))
    drawn = values[draw_around(values, share, means, rng)]
    # Ten slices of 4,000 rows: five standard errors, of a spread of at most half the range.
    np.testing.assert_allclose(
        drawn.reshape(10, -1).mean(axis=1), means.reshape(10, -1).mean(axis=1), atol=5 * 25 / np.sqrt(4000)
    )


def test_one_value_is_drawn_by_everybody() -> None:
    found = draw_around(np.array([3.0]), np.ones(1), np.array([1.0, 3.0, 9.0]), np.random.default_rng(0))  # any seed
    assert not found.any()
