"""ε of repeated halves: pairs with fair coins, bounds that hold, and words that do not promise.

What must never happen: a bound above the true ε more often than its level says, or people who show in the record.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from divulge.designs import _half_labels, half_pairs
from divulge.measures.audited import audit_pairs
from divulge.measures.epsilon import _gaussian_epsilon

NOBODY = np.zeros(0)


@pytest.mark.parametrize("n_rows", [60, 61])
def test_of_every_pair_one_is_in_and_the_other_out(n_rows: int) -> None:
    labels = _half_labels(n_rows, 5, 2, 10)
    first, second = half_pairs(n_rows, 5, 2)
    assert (labels[first] ^ labels[second]).all()
    assert len(first) == n_rows // 2
    assert len(np.unique(np.concatenate([first, second]))) == 2 * len(first)


@pytest.mark.slow
def test_bound_of_a_gaussian_mechanism_is_below_its_epsilon_and_above_half_of_it() -> None:
    # The noise of a pair's difference is that of μ-GDP with μ = 1: its sign is right by Φ(½) of the time.
    truth = _gaussian_epsilon(1.0, 1e-6)
    rng = np.random.default_rng(1)
    found = [audit_pairs(rng.normal(0.5, 1.0, 3000), NOBODY, NOBODY) for _ in range(200)]
    bounds = np.array([e.lower_bound for e in found])
    assert (bounds <= truth).mean() >= 0.95
    assert np.median(bounds) > truth / 2
    assert (np.array([e.any_mechanism for e in found]) <= truth).all()


def test_nothing_is_found_where_there_is_nothing() -> None:
    rng = np.random.default_rng(1)
    bounds = [audit_pairs(rng.normal(size=500), NOBODY, NOBODY).lower_bound for _ in range(100)]
    assert (np.array(bounds) > 0).mean() <= 0.1  # level 0.05; 10 of 100 happen once in forty runs


def test_scores_that_never_differ_guess_at_nobody() -> None:
    found = audit_pairs(np.zeros(400), np.zeros(200), np.zeros(200))
    assert (found.lower_bound, found.guesses) == (0.0, 0)


def test_guesses_that_are_equally_sure_are_made_together() -> None:
    # Were only right ones among the ties guessed at, anything could be shown.
    gaps = np.concatenate([np.full(500, 0.25), np.full(500, -0.25)])
    assert audit_pairs(gaps, NOBODY, NOBODY).lower_bound == 0


def test_certain_pairs_give_a_bound_and_it_is_said_to_be_one() -> None:
    gaps = np.r_[np.full(100, 0.9), np.zeros(900)]
    found = audit_pairs(gaps, NOBODY, NOBODY)
    assert found.lower_bound > found.any_mechanism > 1
    assert (found.guesses, found.right) == (100, 100)
    assert "lower bound, by this attack" in found.sentence
    assert "no finite ε" in found.sentence


def test_curve_is_never_read_where_single_people_would_show() -> None:
    rng = np.random.default_rng(1)
    found = audit_pairs(rng.normal(size=300), rng.normal(1, 1, 150), rng.normal(size=150))
    assert set(found.tpr) == {"0.1", "0.3"}
    assert all(isinstance(v, int | float | str | dict) for v in dataclasses.asdict(found).values())
