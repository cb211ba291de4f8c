"""Changes that bring every figure into its printed interval."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.lattice.changes import both_ways, choose_changes, rows_to_change


@pytest.mark.parametrize(
    ("n", "d", "scale"),
    [(60, 2, 100.0), (120, 4, 20.0), (400, 5, 10.0)],
    ids=["two means", "four figures", "many rows"],
)
def test_chosen_changes_bring_every_figure_inside(n: int, d: int, scale: float) -> None:
    rng = np.random.default_rng(8)  # any
    for _ in range(5):
        shifts = rng.normal(0, scale, (n, d))
        errors = rng.normal(0, 3 * scale, d)
        choice = choose_changes(shifts, errors, rng)
        assert choice is not None
        assert set(choice.times.tolist()) <= {0, 1}
        assert np.abs(errors + choice.times @ shifts).max() <= 1 + 1e-6  # half units; refits look again
        assert choice.worst == pytest.approx(np.abs(errors + choice.times @ shifts).max(), abs=1e-6)


def test_steps_of_a_numeric_response_reach_eight_digits() -> None:
    rng = np.random.default_rng(9)  # any
    shifts = rng.normal(0, 1e6, (100, 10))
    spans = np.full(100, 60)
    errors = rng.normal(0, 2e6, 10) - 30 * shifts.sum(axis=0)  # all rows stand thirty steps below where they are now
    choice = choose_changes(shifts, errors, rng, spans)
    assert choice is not None
    assert choice.times.min() >= 0
    assert (choice.times <= spans).all()
    assert np.abs(errors + choice.times @ shifts).max() <= 1 + 1e-6  # half units


def test_figures_that_must_stay_do() -> None:
    rng = np.random.default_rng(10)  # any
    counts = rng.choice([-1.0, 1.0], (100, 2))
    shifts = np.hstack([rng.normal(0, 30, (100, 3)), 2 * counts])  # a count may be off by half of one
    errors = np.concatenate([rng.normal(0, 60, 3), [0.0, 0.0]])
    choice = choose_changes(shifts, errors, rng)
    assert choice is not None
    assert (choice.times @ counts == 0).all()


def test_nothing_is_done_where_all_is_inside_and_none_where_nothing_can_be() -> None:
    rng = np.random.default_rng(1)  # unused
    inside = choose_changes(np.ones((5, 2)), np.array([0.5, -1.0]), rng)
    assert inside is not None
    assert not inside.times.any()
    assert choose_changes(np.ones((5, 2)), np.array([9.0, 9.0]), rng) is None
    assert choose_changes(np.zeros((5, 1)), np.array([2.0]), rng) is None
    assert choose_changes(np.full((8, 1), 10.0), np.array([5.0]), rng) is None


def test_rows_with_much_leverage_are_chosen_and_the_others_too() -> None:
    rng = np.random.default_rng(5)  # any
    leverage = np.full(1000, 0.001)
    leverage[:10] = 1.0
    chosen = np.concatenate([rows_to_change(leverage, 100, rng) for _ in range(50)])
    assert len(np.unique(rows_to_change(leverage, 100, rng))) == 100
    assert (chosen < 10).sum() > 450  # each of the ten nearly every time
    assert len(np.unique(chosen)) > 900
    assert rows_to_change(leverage, 2000, rng).tolist() == list(range(1000))
    assert not rows_to_change(leverage, 0, rng).size  # few rows shared out over many columns leave one none


def test_figures_that_are_far_from_their_intervals_are_brought_near_first() -> None:
    # Of six hundred changes most are small, some hundred times as large; twelve figures are a hundred half units away.
    rng = np.random.default_rng(10)  # any
    shifts = rng.normal(0, 1, (600, 12)) * np.exp(rng.normal(0, 2, (600, 1)))
    errors = rng.normal(0, 100, 12)
    choice = choose_changes(shifts, errors, rng)
    assert choice is not None
    assert np.abs(errors + choice.times @ shifts).max() <= 1 + 1e-6  # half units


def test_many_changes_one_way_are_made_up_for_by_the_few_the_other_way() -> None:
    # Of six hundred people twelve have the outcome: where lattices were drawn evenly, two of these eight were solved.
    found = 0
    for seed in range(8):  # any seeds
        rng = np.random.default_rng(seed)
        x = np.column_stack([rng.uniform(0.8, 1.2, 600), rng.normal(0, 1, (600, 3))])
        shifts = 40 * x * np.where(np.arange(600) < 12, -1.0, 1.0)[:, None]
        found += choose_changes(shifts, rng.normal(0, 20, 4), rng) is not None
        weights = both_ways(shifts)
        assert weights[:12].sum() == pytest.approx(weights[12:].sum())
    assert found >= 5
