"""Isolation against the theorems of D'Acquisto et al. and on tables that can be checked by eye."""

from __future__ import annotations

import math

import numpy as np
import pytest

from divulge.errors import SpecError
from divulge.measures import Case, Scenario
from divulge.measures.families.isolation import Isolation, expected_share
from divulge.table import Schema, Table, Variable

SCHEMA = Schema((Variable("k", "numeric", np.arange(1000)), Variable("t", "numeric", np.arange(2))))
SCENARIO = Scenario(("k",), "t")


def table(keys: list[int]) -> Table:
    return Table(SCHEMA, (np.array(keys, dtype=int), np.zeros(len(keys), dtype=int)))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_without_a_release_one_guess_in_e_isolates() -> None:
    assert expected_share(1, 1) == 1.0
    assert expected_share(10**6, 1) == pytest.approx(1 / math.e, abs=1e-6)


def test_many_guesses_isolate_almost_everybody() -> None:
    # Section 3.2: about 20 n guesses isolate 95 % and about 100 n guesses 99 % of n people.
    assert 2000 * expected_share(100, 2000) == pytest.approx(95.2, abs=0.05)
    assert 10_000 * expected_share(100, 10_000) == pytest.approx(99.0, abs=0.05)


def test_isolation_counts_descriptions_that_fit_one_person() -> None:
    # The synthetic rows 1, 2, 3 are unique, 4 is not. One person has 1, two have 2, nobody has 3.
    found = Isolation().estimate(
        Case(table([1, 2, 2, 4, 9]), table([1, 2, 3, 4, 4]), SCENARIO, with_scores=True), rng()
    )
    assert (found["isolation"].numerator, found["isolation"].denominator) == (1, 3)
    assert found["isolation"].scores is not None
    assert found["isolation"].scores.tolist() == [1, 0, 0, 0, 0]
    every = Isolation(predicates="all").estimate(Case(table([1, 2, 2, 4, 9]), table([1, 2, 3, 4, 4]), SCENARIO), rng())
    assert (every["isolation"].numerator, every["isolation"].denominator) == (2, 4)


def test_gain_compares_with_a_holdout_of_equal_size() -> None:
    people, holdout = table([1, 2, 3, 4]), table([1, 2, 2, 9])
    found = Isolation().estimate(Case(people, table([1, 2, 3, 4]), SCENARIO, holdout), rng())["isolation_gain"]
    assert (found.numerator, found.denominator, found.value) == (4, 1, 4.0)
    assert found.interval is not None
    assert found.interval.low < 4.0 < found.interval.high


def test_larger_table_counts_as_a_random_part_of_it() -> None:
    # Of 4 people of whom one has key 1, a random 2 hold them half of the time.
    found = Isolation().estimate(Case(table([1, 7, 8, 9]), table([1]), SCENARIO, table([1, 5])), rng())
    assert found["isolation_gain"].numerator == pytest.approx(0.5)
    assert found["isolation_gain"].denominator == 1.0
    assert "sizes differ" in found["isolation_gain"].caveats[0]


def test_gain_of_a_copy_is_large_and_of_independent_data_about_one() -> None:
    draw = np.random.default_rng(5)
    people, holdout, other = (table(draw.integers(0, 1000, 500).tolist()) for _ in range(3))
    copy = Isolation().estimate(Case(people, people, SCENARIO, holdout), rng())["isolation_gain"]
    apart = Isolation().estimate(Case(people, other, SCENARIO, holdout), rng())["isolation_gain"]
    # A copy's descriptions all isolate; in the holdout about 500 · e^(−1/2)/1000 = 30 % do.
    assert copy.value == pytest.approx(1 / 0.303, rel=0.2)
    assert apart.interval is not None
    assert apart.interval.low < 1.0 < apart.interval.high


def test_gain_without_a_holdout_or_without_isolations_in_it_is_undefined() -> None:
    people, synthetic = table([1, 2]), table([1, 2])
    assert (
        "needs a holdout" in Isolation().estimate(Case(people, synthetic, SCENARIO), rng())["isolation_gain"].caveats[0]
    )
    found = Isolation().estimate(Case(people, synthetic, SCENARIO, table([8, 9])), rng())["isolation_gain"]
    assert np.isnan(found.value)
    assert found.numerator == 2


@pytest.mark.parametrize(("people", "synthetic"), [([], [1]), ([1], []), ([1], [2, 2])])
def test_nothing_to_isolate_is_undefined(people: list[int], synthetic: list[int]) -> None:
    found = Isolation().estimate(Case(table(people), table(synthetic), SCENARIO), rng())["isolation"]
    assert np.isnan(found.value)
    assert found.caveats


def test_isolation_rejects_unknown_predicates() -> None:
    with pytest.raises(SpecError, match="'unique' or 'all' is needed, 'some'"):
        Isolation(predicates="some")  # type: ignore[arg-type]
