"""The attack on responses agrees with trying every response, and never claims what is not so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.lattice.families import LINEAR, LOGISTIC, POISSON, Family, refit
from divulge.lattice.released import Released, coefficients, group_mean, printed
from divulge.lattice.responses import recover
from tests.reference.responses import every_solution

SEEDS = st.integers(0, 10**6)
CASES = [
    pytest.param(LINEAR, (0, 1), 10, 3, id="linear probability"),
    pytest.param(LINEAR, (20, 21, 22, 23), 6, 2, id="whole years"),
    pytest.param(LINEAR, (0, 1, 5), 7, 2, id="uneven values"),
    pytest.param(LOGISTIC, (0, 1), 9, 2, id="yes or no"),
    pytest.param(POISSON, (0, 1, 2, 3), 6, 2, id="counts"),
]


def world(family: Family, values: tuple[int, ...], n: int, p: int, seed: int, digits: int):  # type: ignore[no-untyped-def]
    """A released regression and the secret; None where the fit does not exist."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.integers(18, 70, n), rng.normal(0, 3, (n, 2)).round(1)])[:, :p]
    y = rng.choice(np.array(values, dtype=float), n)
    start = np.zeros(p)
    if family is POISSON:
        start[0] = np.log(y.mean() + 0.1)
    beta, converged = refit(family, x, y[None], start)
    if not converged[0] or np.abs(beta).max() > 50:
        return None
    return coefficients(family, x, *printed(beta[0], digits)), y


@pytest.mark.slow
@pytest.mark.parametrize(("family", "values", "n", "p"), CASES)
@given(seed=SEEDS, digits=st.integers(1, 8))
def test_determined_responses_are_those_that_every_solution_shares(
    family: Family, values: tuple[int, ...], n: int, p: int, seed: int, digits: int
) -> None:
    made = world(family, values, n, p, seed, digits)
    if made is None:
        return
    release, secret = made
    found = recover([release], np.array(values), n, seconds=60)
    wanted = every_solution([release], np.array(values, dtype=float), n)
    assert any(np.array_equal(w, secret) for w in wanted)
    assert found.is_complete
    shared = (wanted == wanted[0]).all(axis=0)
    assert np.array_equal(found.determined, shared)
    assert np.array_equal(found.values[shared], secret[shared])


@pytest.mark.slow
@given(seed=SEEDS, digits=st.integers(1, 8))
def test_values_that_data_do_not_show_are_possible_where_a_step_is_given(seed: int, digits: int) -> None:
    release, secret = world(LINEAR, (0, 1, 5), 6, 2, seed, digits)
    found = recover([release], np.array([0, 1, 5]), 6, seconds=60, step=1.0)
    wanted = every_solution([release], np.arange(6.0), 6)
    shared = (wanted == wanted[0]).all(axis=0)
    assert found.is_complete
    assert np.array_equal(found.determined, shared)
    assert np.array_equal(found.values[shared], secret[shared])


@pytest.mark.slow
@pytest.mark.parametrize("digits", [1, 2, 3])
def test_sixteen_people_agree_with_all_65536_responses(digits: int) -> None:
    made = world(LOGISTIC, (0, 1), 16, 3, 5, digits)  # seed: a fit that exists
    assert made is not None
    release, _ = made
    wanted = every_solution([release], np.array([0.0, 1.0]), 16)
    found = recover([release], np.array([0, 1]), 16)
    assert np.array_equal(found.determined, (wanted == wanted[0]).all(axis=0))


@pytest.mark.slow
@given(seed=SEEDS)
def test_several_outputs_on_the_same_people_are_used_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 6, 7).astype(float)
    groups = [np.arange(4), np.arange(2, 7), np.array([0, 6])]
    releases: list[Released] = [
        group_mean(g, *(float(b[0]) for b in printed(np.array([y[g].mean()]), 3)), sd=_around(y[g].std(ddof=1)))
        for g in groups
    ]
    found = recover(releases, np.arange(1, 6), 7, seconds=60)
    wanted = every_solution(releases, np.arange(1.0, 6), 7)
    assert found.is_complete
    assert np.array_equal(found.determined, (wanted == wanted[0]).all(axis=0))


def _around(sd: float) -> tuple[float, float]:
    return round(sd, 1) - 0.05, round(sd, 1) + 0.05


@given(seed=SEEDS, known=st.integers(1, 9))
def test_what_is_known_beforehand_is_used_and_not_claimed(seed: int, known: int) -> None:
    made = world(LINEAR, (0, 1), 10, 3, seed, 2)
    assert made is not None
    release, secret = made
    given_away = np.full(10, np.nan)
    given_away[:known] = secret[:known]
    found = recover([release], np.array([0, 1]), 10, known=given_away)
    wanted = every_solution([release], np.array([0.0, 1.0]), 10)
    wanted = wanted[(wanted[:, :known] == secret[:known]).all(axis=1)]
    assert not found.determined[:known].any()
    assert np.array_equal(found.determined[known:], (wanted == wanted[0]).all(axis=0)[known:])


@given(seed=SEEDS, digits=st.integers(2, 10), n=st.integers(20, 45))
def test_no_claim_about_more_people_is_false(seed: int, digits: int, n: int) -> None:
    made = world(LOGISTIC, (0, 1), n, 4, seed, digits)
    if made is None:
        return
    release, secret = made
    found = recover([release], np.array([0, 1]), n, seconds=1.0)
    assert np.array_equal(found.values[found.determined], secret[found.determined])


def test_out_of_time_is_said_and_nothing_is_claimed() -> None:
    made = world(LOGISTIC, (0, 1), 60, 4, 3, 3)
    assert made is not None
    ticks = iter(range(1000))
    found = recover([made[0]], np.array([0, 1]), 60, seconds=0.5, clock=lambda: float(next(ticks)))
    assert not found.is_complete
    assert not found.determined.any()
    assert "no proof of safety" in found.sentence()


def test_figures_that_nobody_can_have_are_told_apart_from_not_found() -> None:
    release = group_mean(np.arange(5), 0.45, 0.55)  # five people cannot be half yes
    found = recover([release], np.array([0, 1]), 5)
    assert found.is_complete
    assert found.n_solutions == 0
    assert not found.determined.any()
    assert "No responses of these people" in found.sentence()


def test_values_without_a_common_step_are_not_said_to_have_been_looked_through() -> None:
    values = np.log(np.arange(20.0, 40.0))
    rng = np.random.default_rng(1)  # any
    x = np.column_stack([np.ones(10), rng.integers(0, 50, 10)])
    beta, _ = refit(LINEAR, x, rng.choice(values, 10)[None], np.zeros(2))
    found = recover([coefficients(LINEAR, x, *printed(beta[0], 8))], values, 10)
    assert not found.is_complete
    assert not found.determined.any()
