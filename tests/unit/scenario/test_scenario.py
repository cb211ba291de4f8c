"""A scenario: what it names, how it reads, and what contradicts itself."""

from __future__ import annotations

import pytest

from divulge.errors import MeasureError, SpecError
from divulge.scenario import EVERY, Scenario


def test_scenario_says_what_is_inferred_from_what() -> None:
    assert Scenario(("AREA", "AGE"), "SEX").describe() == "SEX from AREA and AGE"
    assert Scenario(("AREA",), "SEX").describe() == "SEX from AREA"
    assert Scenario((), "SEX").describe() == "SEX without any key"


def test_open_scenario_names_nothing() -> None:
    assert Scenario().named == ()
    assert Scenario(target="SEX").named == (("target", "SEX"),)


@pytest.mark.parametrize(
    ("scenario", "where"),
    [
        (Scenario((), "t"), "keys"),
        (Scenario(("k", "k"), "t"), "keys"),
        (Scenario(("k", "t"), "t"), "target"),
        (Scenario(("k",), "t", (1, 2)), "key_sizes"),
    ],
    ids=["no key", "key twice", "target is a key", "too many keys"],
)
def test_scenario_that_contradicts_itself_is_refused_with_its_place(scenario: Scenario, where: str) -> None:
    with pytest.raises(MeasureError) as found:
        scenario.check()
    assert found.value.where == where
    with pytest.raises(SpecError) as found_in_spec:
        scenario.check(SpecError, "scenario[1]")
    assert found_in_spec.value.where == f"scenario[1].{where}"


def test_scenario_without_keys_and_open_ones_are_allowed_where_asked_for() -> None:
    assert Scenario((), "t").check(fewest_keys=0).keys == ()
    assert Scenario((EVERY,), EVERY, (3, 6)).check().target == EVERY
