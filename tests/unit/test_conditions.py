"""Conditions and edit rules on a table that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import BrokenRuleError, RuleError, UnknownVariableError
from divulge.table import Condition, EditRule, Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("AGE", "numeric", np.arange(96)),
        Variable(
            "MSTATUS",
            "categorical",
            np.array([1, 2, 3]),
            labels={1: "Single", 2: "Married", 3: "Widowed"},
            missing=(None, -9),
        ),
        Variable("AREA", "categorical", np.array(["East End", "West"], dtype=object)),
    ),
    ("AGE < 16 -> MSTATUS = Single",),
)
#                AGE 3, 20, 15, 17    Single, Married, Married, −9    East End, West, East End, West
TABLE = Table(SCHEMA, (np.array([3, 20, 15, 17]), np.array([0, 1, 1, 4]), np.array([0, 1, 0, 1])))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("AGE >= 17", [1, 3]),
        ("AGE ≤ 3", [0]),
        ("MSTATUS = Married", [1, 2]),
        ("MSTATUS = 2", [1, 2]),
        ("MSTATUS != Married", [0]),  # a missing value is neither equal nor unequal
        ("not MSTATUS = Married", [0]),
        ("MSTATUS is missing", [3]),
        ("MSTATUS is not missing and AGE < 16", [0, 2]),
        ("AREA = East End", [0, 2]),
        ('AREA in ("East End", West) and (AGE = 3 or AGE = 17)', [0, 3]),
        ("MSTATUS not in {Single}", [1, 2]),
        ("MSTATUS = -9", [3]),
        ("AGE > 90 or MSTATUS = Married", [1, 2]),
    ],
)
def test_condition_selects_the_rows_where_it_is_true(text: str, rows: list[int]) -> None:
    assert np.flatnonzero(Condition.parse(text, SCHEMA).selects(TABLE)).tolist() == rows


def test_rule_is_broken_only_where_it_is_false() -> None:
    assert np.flatnonzero(EditRule.parse("AGE < 16 -> MSTATUS = Single", SCHEMA).broken(TABLE)).tolist() == [2]
    assert not EditRule.parse("AGE = 17 → MSTATUS = Single", SCHEMA).broken(TABLE).any()


def test_check_rules_says_how_many_rows_and_never_which() -> None:
    with pytest.raises(BrokenRuleError, match=r"^1 of 4 rows break the edit rule 'AGE < 16 -> MSTATUS = Single'\."):
        TABLE.check_rules()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("AGE >", RuleError, "a value is needed at character 6"),
        ("AGE ! 3", RuleError, "cannot be read"),
        ("(AGE = 3", RuleError, "closing bracket"),
        ("AGE = 3 -> ", RuleError, "something more|variable name is needed"),
        ("AREA < West", RuleError, "compares numbers"),
        ("MSTATUS = Maried", RuleError, "Did you mean 'Married'"),
        ("AEG = 3", UnknownVariableError, "Did you mean 'AGE'"),
    ],
)
def test_condition_rejects_what_it_cannot_read(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Condition.parse(text, SCHEMA)
