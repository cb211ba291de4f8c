"""An extreme held by few: who is found, on tables that can be checked by eye."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.contributions import Case
from divulge.outputs import Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.extremes import Extremes
from divulge.rules import Finding
from divulge.rules.extremes import HeldByFew
from divulge.table import Schema, Table, Variable

AGES = [20, 20, 20, 21, 30, 30, 30, 99]
AREAS = [0, 0, 0, 0, 1, 1, 1, 1]
PEOPLE = Table(
    Schema((Variable("AGE", "numeric", np.arange(120)), Variable("AREA", "categorical", np.array([0, 1])))),
    (np.array(AGES), np.array(AREAS)),
)


def _ask(output: Output, table: Table, fewest: int) -> Finding | None:
    released = output.publish(output.evaluate(table), table.schema)
    found = HeldByFew(fewest=fewest).find(Case(0, output, released, table))
    return found[0] if found else None


def _find(fewest: int = 3, **fields: Any) -> Finding | None:
    return _ask(Extremes(variables=("AGE",), compute=True, decimals=0, **fields), PEOPLE, fewest)


def _rows(found: Finding | None) -> list[int]:
    return [] if found is None else np.flatnonzero(found.people).tolist()


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({"show": ("maximum",)}, [7]),
        ({"show": ("minimum",)}, []),  # three are 20
        ({}, [7]),
        ({"by": ("AREA",)}, [3, 7]),
        ({"by": ("AREA",), "where": "AGE < 99"}, [3]),  # the largest of the second area are three
        ({"fewest": 4}, [0, 1, 2, 7]),
        ({"fewest": 1}, []),
        ({"by": ("AREA",), "suppressed": ("maximum AGE | AREA=1",)}, [3]),
    ],
)
def test_extreme_of_few_people_gives_them_away(fields: dict[str, Any], rows: list[int]) -> None:
    assert _rows(_find(**fields)) == rows


def test_coarse_print_hides_the_largest_among_others() -> None:
    output = Extremes(variables=("AGE",), show=("maximum",), compute=True, base=100)
    assert _rows(_ask(output, PEOPLE, 2)) == [7]  # 50 to 150: nobody else
    assert _ask(output, PEOPLE.take(np.arange(8) < 7), 3) is None  # 0 to 50: all of them


def test_sentence_counts_and_names_no_value() -> None:
    found = _find(by=("AREA",))
    assert found is not None
    assert "2 extremes are the value of fewer than 3 people (2 people in all)" in found.sentence
    assert "99" not in found.sentence


def test_other_kinds_are_not_its_business() -> None:
    output = Crosstab(variables=("AGE", "AREA"), compute=True)
    assert _ask(output, PEOPLE, 10) is None
