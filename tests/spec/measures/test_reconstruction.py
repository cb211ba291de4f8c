"""The reconstruction curve on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import SpecError
from divulge.measures import Case, Scenario
from divulge.measures.families.reconstruction import Reconstruction
from divulge.table import Schema, Table, Variable

SCHEMA = Schema((Variable("k", "numeric", np.arange(30)), Variable("t", "numeric", np.arange(2))))
SCENARIO = Scenario(("k",), "t")


def table(*keys: int) -> Table:
    return Table(SCHEMA, (np.array(keys, dtype=int), np.zeros(len(keys), dtype=int)))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


PEOPLE = table(1, 1, 1, 1, 2, 3)
MADE = (table(1, 2, 8, 8, 8, 8), table(1, 2, 9), table(1, 7))
"""1 recurs three times and belongs to four people; 2 recurs twice and is unique; 7, 8, 9 are invented, 3 is missed.
8 is made most often, but in one replicate only."""


def test_patterns_are_ranked_by_recurrence() -> None:
    at = {top: Reconstruction(top=top).estimate(Case(PEOPLE, MADE[0], SCENARIO, replicates=MADE), rng())
          for top in (1, 2, 3, 5)}  # fmt: skip
    assert [at[t]["reconstruction"].value for t in (1, 2, 3, 5)] == [1.0, 1.0, pytest.approx(2 / 3), 0.4]
    assert [at[t]["reconstruction_unique"].value for t in (1, 2)] == [0.0, 0.5]
    assert at[1]["reconstruction"].baseline == 0.4


def test_curve_shows_how_many_people_share_what_recurs() -> None:
    held = table(2, 5)
    found = Reconstruction().estimate(Case(PEOPLE, MADE[0], SCENARIO, held, MADE), rng())["reconstruction"]
    first, second = found.details["curve"][:2]
    assert first == {"rank": 1, "present": 1.0, "unique": 0.0, "multiplicity": 4.0, "present_in_holdout": 0.0}
    assert second["multiplicity"] == 2.5
    assert second["present_in_holdout"] == 0.5
    assert found.details["missed_patterns"] == pytest.approx(1 / 3)
    assert found.details["invented_to_real_patterns"] == 1.0
    # 7 and 9 were made once, and nobody has them.
    assert found.details["unique_among_those_made_once"] == 0.0
    assert found.details["multiplicity_correlation"] == pytest.approx(
        np.corrcoef([4, 1, 0, 0, 0], [3, 2, 1, 4, 1])[0, 1]
    )


def test_equally_ranked_patterns_count_in_proportion() -> None:
    found = Reconstruction(top=1).estimate(Case(table(4), table(4, 5), SCENARIO), rng())["reconstruction"]
    assert found.value == 0.5
    assert "one replicate" in found.caveats[0]


def test_reproduction_is_how_often_a_persons_pattern_returns() -> None:
    found = Reconstruction().estimate(Case(PEOPLE, MADE[0], SCENARIO, replicates=MADE, with_scores=True), rng())
    scores = found["reproduction"].scores
    assert scores is not None
    assert scores == pytest.approx([1, 1, 1, 1, 2 / 3, 0])
    assert found["reproduction"].value == pytest.approx(np.mean(scores))
    assert found["reproduction"].details["of_unique_people"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("people", "made"), [((), (1,)), ((1,), ())])
def test_nothing_to_reconstruct_is_undefined(people: tuple[int, ...], made: tuple[int, ...]) -> None:
    found = Reconstruction().estimate(Case(table(*people), table(*made), SCENARIO), rng())
    assert all(np.isnan(e.value) and e.caveats for e in found.values())


def test_reconstruction_rejects_rank_zero() -> None:
    with pytest.raises(SpecError, match="top: a whole number of at least 1"):
        Reconstruction(top=0)
