"""What makes no sense is refused in words; what these data leave undefined is NaN (see tests/spec)."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from divulge.errors import DivulgeError, MeasureError, MissingColumnsError, SpecError, UnknownVariableError
from divulge.measures import Exclusions, Scenario, measure
from divulge.measures.run import _prepare, measure_tables
from divulge.table import table_from_frame

CANARY = "Zebedee4711"
PEOPLE = pd.DataFrame({"age": [1, 2], "sex": ["f", CANARY], "home": ["own", CANARY]})


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"keys": ["age", "home"]}, MeasureError, "both a key and the target"),
        ({"keys": ["age", "age"]}, MeasureError, "more than once"),
        ({"keys": []}, MeasureError, "at least one key"),
        ({"keys": ["agee"]}, UnknownVariableError, "Did you mean 'age'"),
        ({"target": "hom"}, UnknownVariableError, "Did you mean 'home'"),
        ({"synthetic": PEOPLE.drop(columns="age")}, MissingColumnsError, "the synthetic table has no column 'age'"),
        ({"synthetic": [PEOPLE, PEOPLE[["age"]]]}, MissingColumnsError, r"synthetic \(2 of 2\) table has no column"),
        ({"holdout": PEOPLE[["age", "sex"]]}, MissingColumnsError, "the holdout table has no column 'home'"),
        ({"synthetic": []}, MeasureError, "at least one synthetic table"),
        ({"key_sizes": (1, 3)}, MeasureError, "do not fit 2 keys"),
        ({"key_sizes": (2, 1)}, MeasureError, "do not fit 2 keys"),
        ({"measures": ["TCAPP"]}, SpecError, "Did you mean 'TCAP'"),
        ({"settings": {"tcapp": {}}}, SpecError, "Did you mean 'tcap'"),
        ({"settings": {"tcap": {"taw": 1}}}, SpecError, "Did you mean 'tau'"),
        ({"settings": {"tcap": {"tau": "high"}}}, SpecError, "a number .* is needed, 'high' is given"),
        ({"settings": {"tcap": {"tau": 0}}}, SpecError, "above 0 and at most 1"),
        ({"settings": {"tcap": {"tau": 1.01}}}, SpecError, "above 0 and at most 1"),
        ({"settings": {"suda": {"sampling_fraction": 0}}}, SpecError, "between 0 and 1"),
        ({"settings": {"suda": {"largest": -1}}}, SpecError, "at least"),
        ({"settings": {"kolb": {"naive": 90}}}, SpecError, "at most 1"),
        ({"settings": {"msu_overlap": {"largest": 0}}}, SpecError, "at least"),
        ({"settings": {"subsets": {"top": 0}}}, SpecError, "at most 1"),
        ({"exclusions": Exclusions((("age", "1"),))}, MeasureError, "'age' is not a target"),
        ({"exclusions": Exclusions((("home", "own!"),))}, MeasureError, "has no level 'own!'"),
        ({"exclusions": Exclusions((("home", None),))}, MeasureError, "has no missing value"),
        ({"exclusions": Exclusions(missing=("shoe size",))}, MeasureError, "not a key or a target"),
        ({"exclusions": Exclusions(pairs=(("home", "own", "age", "1"),))}, MeasureError, "'home' is not a key"),
        ({"exclusions": Exclusions(pairs=(("age", "9", "home", "own"),))}, MeasureError, "has no level '9'"),
    ],
    ids=lambda v: str(next(iter(v))) if isinstance(v, dict) else None,
)
def test_measure_rejects(changes: dict[str, Any], error: type[DivulgeError], says: str) -> None:
    given = {"original": PEOPLE, "synthetic": PEOPLE, "keys": ["age", "sex"], "target": "home", **changes}
    with pytest.raises(error, match=says) as raised:
        measure(**given)
    assert CANARY not in str(raised.value)


def test_exclusions_reject_a_negative_limit() -> None:
    with pytest.raises(MeasureError, match="at least 1"):
        Exclusions(denominator_limit=-1)


def test_measures_need_a_target() -> None:
    table = table_from_frame(PEOPLE)
    with pytest.raises(MeasureError, match="at least one target"):
        measure_tables(table, [table], ["age"], [], [])


def test_tables_without_a_common_column_are_refused() -> None:
    other = table_from_frame(pd.DataFrame({"weight": [70, 80]}))
    with pytest.raises(MissingColumnsError, match="no column in common"):
        _prepare(table_from_frame(PEOPLE), [other], None, None)


def test_more_keys_than_can_be_searched_are_refused() -> None:
    wide = pd.DataFrame({f"k{i}": [0, 1] for i in range(21)} | {"t": ["x", "y"]})
    with pytest.raises(MeasureError, match="at most 20 keys"):
        measure(wide, wide, [f"k{i}" for i in range(21)], "t", measures=["SUDA"])


def test_more_key_combinations_than_integers_are_counted_all_the_same() -> None:
    # 12 keys of 64 values: 2⁷² combinations.
    wide = pd.DataFrame({f"k{i}": [(7 * i + j) % 64 for j in range(64)] for i in range(12)})
    wide["t"] = [j % 5 for j in range(64)]
    found = measure(wide, wide, [f"k{i}" for i in range(12)], "t")
    assert found["repU"].value == found["DiSCO"].value == 1


def test_no_holdout_no_attack_on_it() -> None:
    from divulge.measures import Case

    table = table_from_frame(PEOPLE)
    with pytest.raises(MeasureError, match="no holdout"):
        Case(table, table, Scenario(("age",), "home")).for_holdout()


def test_older_names_of_families_are_understood() -> None:
    for old, new in {"raab": "identity", "kolb": "group_disclosure"}.items():
        found = [measure(PEOPLE, PEOPLE, ["age"], "home", measures=[name]).measures for name in (old, new)]
        assert found[0]
        assert list(found[0]) == list(found[1])
