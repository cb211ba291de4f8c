"""Exposure: scores, differences, tests and intervals, against sums that can be done by hand and against scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from divulge.assess.attacks import Attack, Counts, Lookup, windows
from divulge.assess.exposure import Sums, benjamini_hochberg, exposed_rows, mean_over
from divulge.designs import RepeatedHalves, smallest_p
from divulge.table import Schema, Table, Variable


def _table(**columns: list[int]) -> Table:
    variables = tuple(Variable(n, "categorical", np.arange(max(c) + 1)) for n, c in columns.items())
    return Table(Schema(variables), tuple(np.array(c, dtype=np.uint32) for c in columns.values()))


def _marginals(table: Table) -> dict[str, np.ndarray]:
    return {n: table.frequencies(n) / table.n_rows for n in table.names}


def test_score_is_cap_where_the_key_is_found_and_the_marginal_where_not() -> None:
    people = _table(key=[0, 0, 1], target=[0, 1, 0])
    lookup = Lookup.of(Attack(("key",), "target"), people, _marginals(people))
    synthetic = Table(people.schema, (np.array([0, 0, 0]), np.array([0, 0, 1])))
    scores = lookup.scores(lookup.counts(synthetic))[lookup.cell_of_row]
    assert scores == pytest.approx([(2 + 2 / 3) / 4, (1 + 1 / 3) / 4, 2 / 3])


def test_attack_without_keys_looks_at_all_rows() -> None:
    people = _table(key=[0, 0, 1], target=[0, 1, 0])
    lookup = Lookup.of(Attack((), "target"), people, _marginals(people))
    scores = lookup.scores(lookup.counts(people))[lookup.cell_of_row]
    assert scores == pytest.approx([(2 + 2 / 3) / 4, (1 + 1 / 3) / 4, (2 + 2 / 3) / 4])


def test_fine_numbers_are_hit_within_a_tolerance_and_few_ones_exactly() -> None:
    fine = Variable("income", "numeric", np.arange(1000), missing=(None,))
    low, high, tolerance = windows(fine, np.full(1001, 1 / 1001))
    assert tolerance == pytest.approx(0.05 * np.arange(1000).std())
    assert (low[500], high[500]) == (500 - int(tolerance), 500 + int(tolerance))
    assert low[1000] == high[1000] == 1000  # missing is a value of its own
    few = Variable("children", "numeric", np.arange(10))
    assert windows(few, np.full(10, 0.1))[2] is None


def _sums(scores: np.ndarray, inside: np.ndarray) -> Sums:
    """Sums over splits of given scores (rows, splits): each row its own cell, scores as counts of a thousand."""
    n = len(scores)
    people = _table(key=list(range(n)), target=[0] * (n - 1) + [1])
    lookup = Lookup.of(Attack(("key",), "target"), people, {"key": np.ones(n) / n, "target": np.zeros(2)})
    sums = Sums(lookup)
    certain = np.zeros(n, dtype=bool)
    for s in range(scores.shape[1]):
        # 999 rows and the one of the prior make shares of a thousand.
        near = np.round(scores[:, s] * 1000).astype(np.int32)
        sums.add(Counts(near, np.full(n, 999, np.int32), certain), inside[:, s])
    return sums


def _labels(n: int, splits: int, seed: int = 1) -> np.ndarray:
    return np.array([s.rows()[0] for s in RepeatedHalves(splits_wanted=splits).splits(n, seed)]).T


def test_exposure_is_mean_in_less_mean_out() -> None:
    inside = np.array([[True, False], [False, True]])
    sums = _sums(np.array([[0.9, 0.2], [0.5, 0.5]]), inside)
    assert sums.exposures() == pytest.approx([0.7, 0.0])


def test_p_value_is_near_the_exact_permutation_test() -> None:
    rng = np.random.default_rng(3)
    inside = _labels(50, 10)
    scores = np.round(0.4 + 0.1 * rng.normal(size=(50, 10)), 3)
    sums = _sums(scores, inside)
    p = sums.p_values(smallest_p((10,)))
    for row in range(5):
        x, observed = scores[row], scores[row][inside[row]].sum()
        exact = np.mean([x[list(c)].sum() >= observed - 1e-9 for c in combinations(range(10), 5)])
        # Ten splits: the normal is off by a few per cent in the middle.
        assert p[row] == pytest.approx(exact, abs=0.05)


def test_p_value_of_a_constant_difference_is_never_zero() -> None:
    inside = _labels(50, 10)
    sums = _sums(np.where(inside, 0.9, 0.3), inside)
    floor = smallest_p((10,))
    assert (sums.p_values(floor) >= floor).all()
    assert (sums.p_values(floor) < 0.01).all()


def test_score_that_never_changes_says_nothing() -> None:
    inside = _labels(50, 10)
    assert (_sums(np.full((50, 10), 0.25), inside).p_values(1e-9) == 0.5).all()


def test_p_values_are_uniform_where_being_in_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    inside = _labels(4000, 30)
    p = _sums(np.clip(rng.beta(2, 5, size=(4000, 30)), 0, 0.999), inside).p_values(0.0)
    assert stats.kstest(p, "uniform").pvalue > 0.001  # one in a thousand by chance; the seed is fixed


def test_marginal_risk_is_the_mean_exposure_and_is_free_of_who_is_in() -> None:
    rng = np.random.default_rng(7)
    inside = _labels(1000, 20)
    level = rng.uniform(0.1, 0.8, size=(1000, 1))  # people differ a lot: who is in moves every split's contrast
    sums = _sums(level + 0.05 * inside + 0.001 * rng.normal(size=(1000, 20)), inside)
    masks = list(inside.T)
    risk = sums.marginal_risk(masks)
    assert risk.value == pytest.approx(sums.exposures().mean())
    assert risk.low < 0.05 < risk.high + 1e-3
    assert risk.spread < np.std(sums.contrasts) / 10


def test_interval_is_students() -> None:
    values = [0.1, 0.4, 0.2, 0.5]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    found = mean_over(values)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_benjamini_hochberg_is_scipys() -> None:
    p = np.random.default_rng(1).uniform(size=200) ** 3
    assert (benjamini_hochberg(p, 0.05) == (stats.false_discovery_control(p) <= 0.05)).all()


def test_exposed_is_significant_and_large() -> None:
    exposure = np.array([0.3, 0.05, 0.3, 0.0])
    p = np.array([1e-6, 1e-6, 0.5, 0.5])
    found, each = exposed_rows([exposure], [p], delta=0.1, level=0.05)
    assert found.tolist() == each[0].tolist() == [True, False, False, False]


def test_many_attacks_are_paid_for() -> None:
    exposure, p = np.array([0.3, 0.0]), np.array([0.02, 0.9])
    one, _ = exposed_rows([exposure], [p], delta=0.1, level=0.05)
    many, _ = exposed_rows([exposure] + [np.zeros(2)] * 9, [p] + [np.ones(2)] * 9, delta=0.1, level=0.05)
    assert one[0]
    assert not many[0]
