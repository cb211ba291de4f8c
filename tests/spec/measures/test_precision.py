"""Precision improvement on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import SpecError
from divulge.measures import Case, Exclusions, Scenario
from divulge.measures.families.unique_matches import UniqueMatches
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("k", "categorical", np.array([f"k{i}" for i in range(12)], dtype=object)),
        Variable("t", "categorical", np.array(["no", "yes"], dtype=object)),
    )
)
SCENARIO = Scenario(("k",), "t")


def table(k: list[int], t: list[int]) -> Table:
    return Table(SCHEMA, (np.array(k, dtype=int), np.array(t, dtype=int)))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


PEOPLE = table([0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 1, 1, 1, 1])


def test_improvement_is_the_papers_ratio_on_the_same_people() -> None:
    # Keys 0–3 and 4, 5 occur once in the synthetic data: six guesses, of which five are right (5 says no, wrongly).
    synthetic = table([0, 1, 2, 3, 4, 5, 6, 6], [0, 0, 0, 0, 1, 0, 1, 1])
    # The holdout says no to everybody, so the baseline is right about the four of the six who are no.
    holdout = table([8, 9, 10, 11], [0, 0, 0, 0])
    found = UniqueMatches().estimate(Case(PEOPLE, synthetic, SCENARIO, holdout, with_scores=True), rng())
    assert found["PI_coverage"].value == 6 / 8
    assert found["PI_precision"].value == pytest.approx(5 / 6)
    assert found["PI_precision"].baseline == pytest.approx(4 / 6)
    assert found["PI"].value == pytest.approx((5 / 6 - 4 / 6) / (1 - 4 / 6))
    # The baseline is wrong about two of the six, and the attack about one less.
    assert (found["PI"].numerator, found["PI"].denominator) == (1, 2)
    scores = found["PI_precision"].scores
    assert scores is not None
    assert np.array_equal(scores, [1, 1, 1, 1, 1, 0, np.nan, np.nan], equal_nan=True)


def test_holdout_is_attacked_too_and_anonymeters_ratio_given() -> None:
    synthetic = table([0, 1, 8, 9], [0, 0, 0, 1])
    holdout = table([8, 9, 10], [0, 0, 1])
    beside = UniqueMatches().estimate(Case(PEOPLE, synthetic, SCENARIO, holdout), rng())["PI"].details["holdout"]
    assert beside["attack"] == 0.5
    assert beside["coverage"] == pytest.approx(2 / 3)
    assert beside["anonymeter"] == pytest.approx((1.0 - 0.5) / (1 - 0.5))


def test_without_any_unique_match_it_is_undefined() -> None:
    found = UniqueMatches().estimate(Case(PEOPLE, table([9, 10], [0, 1]), SCENARIO), rng())
    assert np.isnan(found["PI"].value)
    assert "never guesses" in found["PI"].caveats[0]
    assert found["PI_coverage"].value == 0.0


def test_where_the_baseline_is_always_right_it_is_undefined() -> None:
    people = table([0, 1, 2], [0, 0, 0])
    found = UniqueMatches().estimate(Case(people, table([0, 1], [0, 1]), SCENARIO, table([5], [0])), rng())
    assert np.isnan(found["PI"].value)
    assert "right about everybody" in found["PI"].caveats[0]
    assert found["PI_precision"].value == 0.5


def test_without_a_holdout_the_baseline_comes_from_other_people() -> None:
    # 40 people in two groups that determine the target: a model fitted to four fifths knows the others.
    people = table([0, 1] * 20, [0, 1] * 20)
    found = UniqueMatches(strength=1.0).estimate(Case(people, table([0, 1], [0, 0]), SCENARIO), rng())
    assert found["PI"].details["base"] == 1.0
    assert "folds" in found["PI"].details["base_from"]


def test_baseline_never_learns_from_the_person_it_guesses_about() -> None:
    # Everybody has a key of their own, so a model knows about a person only what it saw of that person.
    people = table(list(range(12)), [0, 1] * 6)
    found = UniqueMatches(strength=1000.0).estimate(Case(people, people, SCENARIO), rng())
    assert found["PI_precision"].value == 1.0
    assert found["PI"].details["base"] < 0.75


def test_numbers_are_right_within_the_tolerance() -> None:
    schema = Schema((SCHEMA["k"], Variable("t", "numeric", np.array([0, 100, 104, 106, 200]), missing=(None,))))
    people = Table(schema, (np.array([0, 1, 2, 3]), np.array([1, 1, 5, 0])))
    synthetic = Table(schema, (np.array([0, 1, 2, 3]), np.array([2, 3, 5, 1])))
    found = UniqueMatches(tolerance=0.05).estimate(Case(people, synthetic, SCENARIO, with_scores=True), rng())
    scores = found["PI_precision"].scores
    assert scores is not None
    # 104 for 100 is near, 106 is not; missing for missing is right; 100 for 0 is not.
    assert scores.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_exclusions_that_are_not_applied_are_mentioned() -> None:
    out = Exclusions(target_levels=(("t", "yes"),))
    found = UniqueMatches().estimate(Case(PEOPLE, PEOPLE, SCENARIO, exclusions=out), rng())
    assert any("Exclusions" in c for c in found["PI"].caveats)


@pytest.mark.parametrize("settings", [{"tolerance": -1.0}, {"strength": 0.0}, {"tolerance": float("nan")}])
def test_precision_rejects_impossible_settings(settings: dict[str, float]) -> None:
    with pytest.raises(SpecError):
        UniqueMatches(**settings)
