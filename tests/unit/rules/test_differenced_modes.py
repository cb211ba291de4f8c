"""Modes that differ by one person tell that person's value, and equal ones do not: all small tables are tried."""

from __future__ import annotations

from itertools import product

import pytest

from divulge.contributions import Case
from divulge.outputs.kinds.mode import Mode
from divulge.rules import Finding
from divulge.rules.differenced_modes import DifferencedModes
from divulge.table import Table
from tests.support.tables import small_table

_OUTPUTS = (Mode(variables=("V",), where="PART != 'other'"), Mode(variables=("V",), where="PART = 'in'"))


def _table(values: tuple[str, ...], n_more: int) -> Table:
    """People with these values, the last of whom the second mode leaves out, after three others whom both leave out."""
    part = ["in"] * (len(values) - n_more) + ["more"] * n_more
    return small_table(V=[*"abc", *values], PART=[*["other"] * 3, *part], WEIGHT=[1] * (len(values) + 3))


def _found(table: Table, *outputs: Mode) -> tuple[tuple[float, ...], list[Finding]]:
    released = [o.publish(o.evaluate(table), table.schema) for o in outputs]
    cases = [Case(i, o, r, table) for i, (o, r) in enumerate(zip(outputs, released, strict=True))]
    return tuple(float(r.values[0]) for r in released), DifferencedModes().find_between(cases)


def test_the_value_of_one_is_told_exactly_where_every_table_with_these_modes_has_it() -> None:
    last: dict[tuple[float, ...], set[str]] = {}
    told: dict[tuple[float, ...], bool] = {}
    for values in product("abc", repeat=4):
        modes, found = _found(_table(values, 1), *_OUTPUTS)
        last.setdefault(modes, set()).add(values[-1])
        told[modes] = bool(found)
        assert all(f.severity.value == "refuse" for f in found)
    assert told == {modes: len(possible) == 1 for modes, possible in last.items()}


@pytest.mark.parametrize(("n_more", "severity"), [(1, ["refuse"]), (2, ["review"]), (3, ["review"]), (4, [])])
def test_of_two_or_three_a_checker_is_asked_and_of_more_nothing_is_said(n_more: int, severity: list[str]) -> None:
    table = _table((*"bbbaa", *"aaaa"[:n_more]), n_more)
    _, found = _found(table, *_OUTPUTS)
    assert [f.severity.value for f in found] == severity


def test_weighted_modes_are_not_compared_with_others() -> None:
    weighted = Mode(variables=("V",), where="PART != 'other'", weights="WEIGHT")
    assert _found(_table(("b", "a", "a"), 1), weighted, _OUTPUTS[1])[1] == []
