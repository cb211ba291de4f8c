"""Outlier linkage on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import SpecError, UnknownVariableError
from divulge.measures import Case, Scenario
from divulge.measures.families.outliers import Outliers
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("age", "numeric", np.arange(0, 200)),
        Variable("home", "categorical", np.array(["own", "rent"], dtype=object)),
        Variable("t", "categorical", np.array(["no", "yes"], dtype=object)),
    )
)
SCENARIO = Scenario(("age", "home"), "t")


def table(*rows: tuple[int, int, int]) -> Table:
    return Table(SCHEMA, tuple(np.array(c) for c in zip(*rows, strict=True)))


CROWD = tuple((40 + i % 3, i % 2, 0) for i in range(60))  # ages 40–42, so that 150 is far out


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_outlier_is_linked_where_exactly_one_row_is_near() -> None:
    # With 60 people of about 41 and two of 150 and 160, the deviation is about 20.
    people = table(*CROWD, (150, 0, 1), (160, 1, 0))
    synthetic = table((149, 0, 1), (161, 1, 1), (100, 0, 0))
    found = Outliers(window=0.1).estimate(Case(people, synthetic, SCENARIO, with_scores=True), rng())
    assert (found["outlier_linkage"].numerator, found["outlier_linkage"].denominator) == (2, 2)
    # 150 is linked to a row with the right target, 160 to one with the wrong one.
    assert (found["outlier_links_right"].numerator, found["outlier_links_right"].denominator) == (1, 2)
    scores = found["outlier_linkage"].scores
    assert scores is not None
    assert np.isnan(scores[:60]).all()
    assert scores[60:].tolist() == [1.0, 1.0]


def test_two_near_rows_or_another_category_are_no_link() -> None:
    people = table(*CROWD, (150, 0, 1))
    for synthetic in (table((149, 0, 1), (151, 0, 1)), table((150, 1, 1)), table((120, 0, 1))):
        found = Outliers(window=0.1).estimate(Case(people, synthetic, SCENARIO), rng())
        assert (found["outlier_linkage"].numerator, found["outlier_linkage"].denominator) == (0, 1)
        assert np.isnan(found["outlier_links_right"].value)


def test_missing_number_is_near_to_the_same_missing_code_alone() -> None:
    schema = Schema((SCHEMA["age"], Variable("pay", "numeric", np.arange(5), missing=(None, -9)), SCHEMA["t"]))
    people = Table(
        schema, (np.array([40 + i % 3 for i in range(60)] + [150]), np.array([1] * 60 + [5]), np.zeros(61, int))
    )
    for pay, linked in ((5, 1), (6, 0), (2, 0)):
        synthetic = Table(schema, (np.array([150]), np.array([pay]), np.array([0])))
        found = Outliers().estimate(Case(people, synthetic, Scenario(("age", "pay"), "t")), rng())
        assert (found["outlier_linkage"].numerator, found["outlier_linkage"].denominator) == (linked, 1)


def test_window_can_be_given_in_the_keys_own_unit() -> None:
    # recordlinkage's gauss similarity with offset 5 and scale 5 is at least 0.5 up to a distance of 10 years.
    people = table(*CROWD, (150, 0, 1))
    at = {d: Outliers(windows=(("age", 10.0),)).estimate(Case(people, table((150 + d, 0, 1)), SCENARIO), rng())
          for d in (10, 11)}  # fmt: skip
    assert at[10]["outlier_linkage"].value == 1.0
    assert at[11]["outlier_linkage"].value == 0.0


def test_holdout_is_linked_by_the_originals_moments() -> None:
    people = table(*CROWD, (150, 0, 1))
    # By its own moments 130 would be no outlier of the holdout; by those of the original it is.
    holdout = table((130, 0, 0), (135, 0, 0), (41, 0, 0))
    synthetic = table((150, 0, 1), (130, 0, 0))
    found = Outliers(window=0.1).estimate(Case(people, synthetic, SCENARIO, holdout), rng())
    assert found["outlier_linkage"].details["holdout"] == {"outliers": 2, "linked": 1, "share": 0.5}
    assert found["outlier_linkage"].baseline == 0.5
    assert found["outlier_linkage_difference"].value == 0.5
    assert found["outlier_linkage_difference"].interval is not None
    assert found["outlier_linkage_difference"].interval.low < 0 < found["outlier_linkage_difference"].interval.high


def test_without_outliers_numeric_keys_or_holdout_it_is_undefined() -> None:
    found = Outliers().estimate(Case(table(*CROWD), table(*CROWD), SCENARIO), rng())
    assert np.isnan(found["outlier_linkage"].value)
    assert "|z| above 3" in found["outlier_linkage"].caveats[0]
    assert "needs a holdout" in found["outlier_linkage_difference"].caveats[0]
    plain = Outliers().estimate(Case(table(*CROWD), table(*CROWD), Scenario(("home",), "t")), rng())
    assert "numeric" in plain["outlier_linkage"].caveats[0]


@pytest.mark.parametrize("windows", ["age=10,other=2.5", {"age": 10, "other": 2.5}, [("age", 10), ("other", 2.5)]])
def test_windows_may_be_a_text_a_mapping_or_pairs(windows: object) -> None:
    assert Outliers(windows=windows).windows == (("age", 10.0), ("other", 2.5))  # type: ignore[arg-type]


@pytest.mark.parametrize("windows", ["age", "age=far", 3, "age=1=2"])
def test_outliers_rejects_windows_that_are_no_pairs(windows: object) -> None:
    with pytest.raises(SpecError, match=r"age=10,income=2000|a list is needed|2 entries"):
        Outliers(windows=windows)  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"z": 0.0}, {"window": -1.0}, {"windows": (("age", -1.0),)}, {"z": float("nan")}])
def test_outliers_rejects_impossible_settings(settings: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        Outliers(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["ag", "home"])
def test_outliers_rejects_a_window_for_what_is_no_numeric_key(name: str) -> None:
    with pytest.raises(UnknownVariableError, match=name):
        Outliers(windows=((name, 1.0),)).estimate(Case(table(*CROWD), table(*CROWD), SCENARIO), rng())
