"""Exposure: scores, differences, tests and intervals, against sums that can be done by hand and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from divulge.assess.statistics.exposure import (
    Exposed,
    _adjusted_p,
    _benjamini_hochberg,
    confirm,
    difference_error,
    find_exposed,
)
from divulge.assess.statistics.intervals import mean_over
from divulge.designs import BLOCK, smallest_p
from divulge.scenario import Lookup, Scenario
from divulge.scenario.score import _windows
from divulge.table import Schema, Table, Variable
from tests.support.scores import labels_of, sums_of


def _table(**columns: list[int]) -> Table:
    variables = tuple(Variable(n, "categorical", np.arange(max(c) + 1)) for n, c in columns.items())
    return Table(Schema(variables), tuple(np.array(c, dtype=np.uint32) for c in columns.values()))


def _marginals(table: Table) -> dict[str, np.ndarray]:
    return {n: table.frequencies(n) / table.n_rows for n in table.names}


def test_score_is_cap_where_the_key_is_found_and_the_marginal_where_not() -> None:
    people = _table(key=[0, 0, 1], target=[0, 1, 0])
    lookup = Lookup.of(Scenario(("key",), "target"), people, _marginals(people))
    synthetic = Table(people.schema, (np.array([0, 0, 0]), np.array([0, 0, 1])))
    scores = lookup.scores(lookup.counts(synthetic))[lookup.cell_of_row]
    assert scores == pytest.approx([(2 + 2 / 3) / 4, (1 + 1 / 3) / 4, 2 / 3])


def test_attack_without_keys_looks_at_all_rows() -> None:
    people = _table(key=[0, 0, 1], target=[0, 1, 0])
    lookup = Lookup.of(Scenario((), "target"), people, _marginals(people))
    scores = lookup.scores(lookup.counts(people))[lookup.cell_of_row]
    assert scores == pytest.approx([(2 + 2 / 3) / 4, (1 + 1 / 3) / 4, (2 + 2 / 3) / 4])


def test_fine_numbers_are_hit_within_a_tolerance_and_few_ones_exactly() -> None:
    fine = Variable("income", "numeric", np.arange(1000), missing=(None,))
    low, high, tolerance = _windows(fine, np.full(1001, 1 / 1001))
    assert tolerance == pytest.approx(0.05 * np.arange(1000).std())
    assert (low[100], high[100]) == (100 - int(tolerance), 100 + int(tolerance))
    assert low[1000] == high[1000] == 1000  # missing is a value of its own
    few = Variable("children", "numeric", np.arange(10))
    assert _windows(few, np.full(10, 0.1))[2] is None


def test_value_within_a_tenth_of_itself_is_near_but_never_half_of_the_range() -> None:
    wages = Variable("WAGE", "numeric", np.arange(0, 1001))
    low, high, _ = _windows(wages, np.full(1001, 1 / 1001))
    # A twentieth of the spread is 14, a tenth of 400 is 40, a quarter of the spread is 72.
    assert (high - low)[[100, 400, 900]].tolist() == [28, 80, 144]
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    years = Variable("BORN", "numeric", np.arange(1920, 2011))
    low, high, _ = _windows(years, np.full(91, 1 / 91))
    assert int((high - low).max()) == 12


def test_exposure_is_mean_in_less_mean_out() -> None:
    inside = np.array([[True, False], [False, True]])
    sums = sums_of(np.array([[0.9, 0.2], [0.5, 0.5]]), inside)
    assert sums.exposures() == pytest.approx([0.7, 0.0])


def _p_values(scores: np.ndarray, inside: np.ndarray, delta: float = -np.inf) -> np.ndarray:
    blocks = [s // BLOCK for s in range(scores.shape[1])]
    return sums_of(scores, inside).p_values(list(inside.T), blocks, delta)


def test_p_value_of_a_constant_difference_is_one_over_the_arrangements() -> None:
    inside = labels_of(50, 20)
    assert _p_values(np.where(inside, 0.9, 0.3), inside) == pytest.approx(smallest_p((10, 10)))
    assert _p_values(np.where(inside, 0.3, 0.9), inside) == pytest.approx(1.0)


def test_p_value_is_that_of_scipys_permutation_test() -> None:
    inside = labels_of(50, 10)
    scores = np.random.default_rng(3).integers(0, 41, size=(50, 10)) / 41  # on the grid, so that nothing is rounded
    scores[:, :2] = 0.0, 40 / 41
    p = _p_values(scores, inside)
    for row in range(5):
        groups = scores[row][inside[row]], scores[row][~inside[row]]
        exact = stats.permutation_test(groups, lambda a, b: a.mean() - b.mean(), alternative="greater")
        assert p[row] == pytest.approx(exact.pvalue)


def test_score_that_never_changes_says_nothing() -> None:
    inside = labels_of(50, 10)
    sums = sums_of(np.full((50, 10), 0.25), inside)
    assert (_p_values(np.full((50, 10), 0.25), inside) == 1.0).all()
    assert not sums.can_exceed(1e-6).any()


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["smooth", "skewed", "two values", "rarely found", "who else is in"])
def test_p_values_are_valid_where_being_in_changes_nothing(shape: str) -> None:
    n, rng = 4000, np.random.default_rng(5)
    inside = labels_of(n, 30)
    scores = {
        "smooth": rng.beta(2, 5, size=(n, 30)),
        "skewed": rng.beta(0.1, 3, size=(n, 30)),
        "two values": np.where(rng.random((n, 30)) < 0.5, 0.6, 0.2),
        "rarely found": np.where(rng.random((n, 30)) < 0.05, 0.6, 0.2),
        # The score moves with somebody else's labels, balanced like one's own.
        "who else is in": 0.3 + 0.3 * np.roll(inside, 1, axis=0) + 0.02 * rng.random((n, 30)),
    }[shape]
    p = _p_values(np.clip(scores, 0, 0.999), inside)
    # P(p ≤ u) ≤ u for every u; 0.001: one in a thousand by chance, and the seed is fixed.
    assert stats.kstest(p, "uniform", alternative="greater").pvalue > 0.001
    if shape == "smooth":  # with so many values hardly anything is lost by ties
        assert stats.kstest(p, "uniform").pvalue > 0.001


def test_few_values_do_not_make_p_values_too_small_in_the_tail() -> None:
    n, rng = 20_000, np.random.default_rng(8)
    inside = labels_of(n, 30)
    p = _p_values(np.where(rng.random((n, 30)) < 0.1, 0.6, 0.2), inside)
    for level in (0.05, 0.01, 0.001):
        assert stats.binomtest(int((p <= level).sum()), n, level, alternative="greater").pvalue > 0.001


def test_nobody_who_could_exceed_is_left_out() -> None:
    rng = np.random.default_rng(9)
    inside = labels_of(500, 10)
    sums = sums_of(np.round(rng.beta(0.5, 0.5, size=(500, 10)) * 0.6, 3), inside)
    for delta in (0.05, 0.1, 0.3):
        assert (sums.can_exceed(delta) >= (sums.exposures() > delta)).all()
    exact = sums_of(np.where(inside, 0.5, 0.3), inside)
    assert exact.can_exceed(0.1999).all()
    assert not exact.can_exceed(0.2001).any()


def test_marginal_risk_is_the_mean_exposure_and_is_free_of_who_is_in() -> None:
    rng = np.random.default_rng(7)
    inside = labels_of(1000, 20)
    level = rng.uniform(0.1, 0.8, size=(1000, 1))  # people differ a lot: who is in moves every split's contrast
    sums = sums_of(level + 0.05 * inside + 0.001 * rng.normal(size=(1000, 20)), inside)
    masks = list(inside.T)
    risk = sums.marginal_risk(masks)
    assert risk.value == pytest.approx(sums.exposures().mean())
    assert risk.low < 0.05 < risk.high + 1e-3
    assert risk.spread < np.std(sums.contrasts) / 10


def test_benjamini_hochberg_is_scipys() -> None:
    p = np.random.default_rng(1).uniform(size=200) ** 3
    assert (_benjamini_hochberg(p, 0.05) == (stats.false_discovery_control(p) <= 0.05)).all()
    np.testing.assert_allclose(_adjusted_p(p), stats.false_discovery_control(p))
    assert len(_adjusted_p(np.zeros(0))) == 0


def _found(*scores: np.ndarray, inside: np.ndarray, delta: float = 0.1) -> Exposed:
    sums = [sums_of(one, inside) for one in scores]
    blocks = [s // BLOCK for s in range(inside.shape[1])]
    return find_exposed(sums, list(inside.T), blocks, delta, 0.05)


def test_exposed_is_significant_and_large() -> None:
    inside, rng = labels_of(200, 20), np.random.default_rng(4)
    scores = rng.uniform(0.1, 0.5, size=(200, 20))
    scores[0] = np.where(inside[0], 0.7, 0.3)
    scores[1] = np.where(inside[1], 0.35, 0.3)  # as certain, and small
    found = _found(scores, inside=inside)
    assert np.flatnonzero(found.by_any).tolist() == np.flatnonzero(found.by_each[0]).tolist() == [0]
    assert found.p_values[0][0] == pytest.approx(smallest_p((10, 10)))
    assert found.p_values[0][1] == 1.0


def test_people_whose_scores_hardly_vary_are_not_tested() -> None:
    inside, rng = labels_of(2000, 20), np.random.default_rng(4)
    scores = 0.3 + 0.01 * rng.random((2000, 20))
    scores[0] = np.where(inside[0], 0.7, 0.3)
    found = _found(scores, inside=inside)
    # 1/63,504 would not be found among 2,000 tests with another one in its way.
    assert (found.n_tested, np.flatnonzero(found.by_any).tolist()) == (1, [0])


def test_many_attacks_are_paid_for() -> None:
    inside, rng = labels_of(60, 10), np.random.default_rng(4)
    scores = np.full((60, 10), 0.3)
    scores[0] = np.where(inside[0], 0.7, 0.3)  # 1/252
    noise = [rng.uniform(0.1, 0.9, size=(60, 10)) for _ in range(15)]
    for one in noise:
        one[0] = np.where(inside[0], one[0].min(), one[0].max())  # the others speak against it
    assert _found(scores, inside=inside).by_any[0]
    many = _found(scores, *noise, inside=inside)
    assert (many.n_lookups, bool(many.by_any[0])) == (16, False)
    # Nor by the one attack alone: an output was refused for somebody whom no second look had confirmed.
    assert not np.any(many.by_each)


def test_false_discoveries_among_noise_are_rare() -> None:
    discoveries = []
    for seed in range(40):
        inside, rng = labels_of(300, 20, seed), np.random.default_rng(seed)
        scores = np.where(rng.random((300, 20)) < 0.4, 0.65, 0.3)
        scores[:5] = np.where(inside[:5], 0.65, 0.3)
        found = _found(scores, inside=inside).by_any
        assert found[:5].all()
        discoveries.append(found[5:].sum() / found.sum())
    assert np.mean(discoveries) <= 0.05


def test_only_those_who_are_exposed_again_stay_exposed() -> None:
    inside, rng = labels_of(200, 20), np.random.default_rng(4)
    blocks = [s // BLOCK for s in range(20)]
    scores = rng.uniform(0.1, 0.5, size=(200, 20))
    scores[:2] = np.where(inside[:2], 0.7, 0.3)
    found = _found(scores, inside=inside)
    assert np.flatnonzero(found.by_any).tolist() == [0, 1]
    later = labels_of(200, 20, seed=2)
    again = rng.uniform(0.1, 0.5, size=(200, 20))
    again[0] = np.where(later[0], 0.7, 0.3)  # the first is so again, the second was so by chance
    kept = confirm(found, [sums_of(again, later)], list(later.T), blocks, 0.1, 0.05)
    assert np.flatnonzero(kept.by_any).tolist() == np.flatnonzero(kept.by_each[0]).tolist() == [0]
    assert kept.p_values is found.p_values


def test_people_are_looked_at_again_under_the_attack_that_showed_them() -> None:
    inside, later = labels_of(100, 20), labels_of(100, 20, seed=2)
    blocks = [s // BLOCK for s in range(20)]
    flat = np.full((100, 20), 0.3)
    shown, again = flat.copy(), flat.copy()
    shown[0], again[0] = np.where(inside[0], 0.7, 0.3), np.where(later[0], 0.7, 0.3)
    found = _found(flat, shown, inside=inside)
    masks = list(later.T)
    assert confirm(found, [sums_of(flat, later), sums_of(again, later)], masks, blocks, 0.1, 0.05).by_any[0]
    assert not confirm(found, [sums_of(again, later), sums_of(flat, later)], masks, blocks, 0.1, 0.05).by_any[0]


def test_somebody_missed_at_first_is_found_by_both_looks_where_another_is_exposed() -> None:
    inside, later = labels_of(300, 30), labels_of(300, 30, seed=2)
    blocks = [s // BLOCK for s in range(30)]
    n_runs, missed, found_later, others = 20, 0, 0, 0
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)

        def scores(labels: np.ndarray, rng: np.random.Generator = rng) -> np.ndarray:
            made = 0.4 + rng.normal(0, 0.15, labels.shape)
            for person, gain in ((0, 0.5), (1, 0.2)):
                made[person] += gain * labels[person]
            return np.clip(made, 0, 1)

        first = _found(scores(inside), inside=inside)
        both = confirm(first, [sums_of(scores(later), later)], list(later.T), blocks, 0.1, 0.05)
        assert both.by_any[0]
        missed += not first.by_any[1]
        found_later += not first.by_any[1] and both.by_any[1]
        others += int(both.by_any[2:].sum())
        assert both.by_each[0][1] == both.by_any[1]
    assert missed >= 5
    assert found_later >= 0.5 * missed
    # One false discovery in twenty would be two or three.
    assert others <= 3


def _passes(rng: np.random.Generator, n_now: int, n_then: int) -> tuple[dict[int, float], dict[int, float]]:
    """Two passes over the same splits, which move both: 0.3 is the truth of the first, 0.1 that of the second."""
    common = rng.normal(0, 0.05, max(n_now, n_then))
    now, then = 0.3 + common + rng.normal(0, 0.02, len(common)), 0.1 + common + rng.normal(0, 0.02, len(common))
    return dict(enumerate(now[:n_now])), dict(enumerate(then[:n_then]))


@pytest.mark.slow
@pytest.mark.parametrize(("n_now", "n_then"), [(30, 30), (30, 20), (10, 30)])
def test_interval_of_a_difference_of_passes_covers_it(n_now: int, n_then: int) -> None:
    rng = np.random.default_rng(3)
    hits, n_runs = 0, 2000
    for _ in range(n_runs):
        now, then = _passes(rng, n_now, n_then)
        means = mean_over(list(now.values())), mean_over(list(then.values()))
        below, above = difference_error(means[0], now, means[1], then)
        found = means[0].value - means[1].value
        hits += found - below <= 0.2 <= found + above
    # Labels that are balanced within blocks widen it by a fortieth or less, which these draws have not.
    assert 0.94 <= hits / n_runs <= 0.975


def test_same_splits_make_the_interval_of_a_difference_narrower() -> None:
    now, then = _passes(np.random.default_rng(4), 30, 30)
    means = mean_over(list(now.values())), mean_over(list(then.values()))
    below, _ = difference_error(means[0], now, means[1], then)
    apart, _ = difference_error(means[0], now, means[1], {k + 30: v for k, v in then.items()})
    assert apart == pytest.approx(np.hypot(means[0].half_width, means[1].half_width))
    assert below < apart / 2
