"""RAPID of a way to synthesise, over folds."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Cart, Marginals
from divulge.demo import simulated_health
from divulge.errors import MeasureError
from divulge.measures import Scenario
from divulge.measures.attackers.crossvalidation import cross_validated
from divulge.measures.families.rapid import Rapid
from divulge.table import Table

HEALTH = Scenario(("age", "education", "income"), "disease_status")
FAMILY = Rapid(attackers=("cart",))


def test_cart_is_riskier_than_marginals() -> None:
    people = simulated_health(300, kappa=10.0)
    cart, marginals = (
        cross_validated(c.synthesise, people, HEALTH, np.random.default_rng(1), 3, FAMILY, "RAPID_cart")
        for c in (Cart(), Marginals())
    )
    assert cart.name == "RAPID_cart_cv"
    assert cart.value > 0.5 > marginals.value
    assert cart.denominator == 300
    assert len(cart.details["folds"]) == 3
    assert cart.value == pytest.approx(np.mean(cart.details["folds"]))


def test_fold_is_never_in_what_is_synthesised_from() -> None:
    people = simulated_health(50, kappa=1.0)
    seen: list[int] = []

    def remember(original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        seen.append(original.n_rows)
        return Cart().synthesise(original, n_rows, rng)

    cross_validated(remember, people, HEALTH, np.random.default_rng(1), 4, FAMILY, "RAPID_cart")
    assert sorted(seen) == [37, 37, 38, 38]


def test_classes_are_spread_over_the_folds() -> None:
    people = simulated_health(400, kappa=1.0)
    counts: list[list[int]] = []

    def remember(original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        counts.append(original.frequencies("disease_status").tolist())
        return Cart().synthesise(original, n_rows, rng)

    cross_validated(remember, people, HEALTH, np.random.default_rng(1), 5, FAMILY, "RAPID_cart")
    assert np.ptp(counts, axis=0).max() <= 1


@pytest.mark.parametrize("n_folds", [1, 51])
def test_cross_validation_rejects_impossible_folds(n_folds: int) -> None:
    with pytest.raises(MeasureError, match="folds"):
        cross_validated(Cart().synthesise, simulated_health(50), HEALTH, np.random.default_rng(1), n_folds, FAMILY)


def test_cross_validation_rejects_a_measure_that_is_not_computed() -> None:
    with pytest.raises(MeasureError, match="RAPID_gbm"):
        cross_validated(
            Cart().synthesise, simulated_health(50), HEALTH, np.random.default_rng(1), 2, FAMILY, "RAPID_gbm"
        )
