"""Crosstabs on a table of eight people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import read_released
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("SEX", "categorical", np.array(["f", "m"])),
        Variable("RENTS", "categorical", np.array(["no", "yes"]), missing=(None,)),
        Variable("AGE", "numeric", np.array([10, 20, 30])),
    )
)
#                        f, f, f, f, m, m, m, m
TABLE = Table(
    SCHEMA,
    (
        np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.uint8),
        np.array([0, 0, 0, 1, 0, 1, 1, 2], dtype=np.uint8),  # the last man's is missing
        np.array([0, 1, 1, 1, 2, 2, 2, 2], dtype=np.uint8),
    ),
)


def figures(**fields: object) -> dict[str, float]:
    output = Crosstab(variables=("SEX", "RENTS"), **fields)  # type: ignore[arg-type]
    computed = output.evaluate(TABLE)
    return dict(zip(computed.labels, computed.values.tolist(), strict=True))


def test_counts_leave_out_missing_values() -> None:
    assert figures() == {
        "SEX=f & RENTS=no": 3,
        "SEX=f & RENTS=yes": 1,
        "SEX=m & RENTS=no": 1,
        "SEX=m & RENTS=yes": 2,
    }


def test_missing_values_may_be_a_category() -> None:
    assert figures(missing="include")["SEX=m & RENTS=missing"] == 1


def test_margins_follow_the_cells() -> None:
    shown = list(figures(margins=True).items())[4:]
    assert shown == [("SEX=f", 4), ("SEX=m", 3), ("RENTS=no", 4), ("RENTS=yes", 3), ("total", 7)]


def test_row_percentages_add_to_100_within_the_first_variable() -> None:
    assert list(figures(statistic="row percentages").values()) == pytest.approx([75, 25, 100 / 3, 200 / 3])


def test_column_proportions_add_to_1_within_the_last_variable() -> None:
    assert list(figures(statistic="column proportions").values()) == pytest.approx([3 / 4, 1 / 3, 1 / 4, 2 / 3])


def test_weights_are_added_up() -> None:
    assert list(figures(weights="AGE").values()) == [10 + 20 + 20, 20, 30, 60]


def test_where_takes_a_subpopulation() -> None:
    assert list(figures(where="AGE < 30").values()) == [3, 1, 0, 0]


def test_crosstab_rejects_unknown_variable_with_the_nearest_name() -> None:
    with pytest.raises(UnknownVariableError, match=r"variables\[1\].*Did you mean 'RENTS'"):
        Crosstab(variables=("SEX", "RENT")).check(SCHEMA)


def test_crosstab_rejects_margins_of_row_shares() -> None:
    with pytest.raises(OutputError, match="have no margins"):
        Crosstab(variables=("SEX", "RENTS"), statistic="row percentages", margins=True)


def test_crosstab_rejects_a_variable_named_twice() -> None:
    with pytest.raises(OutputError, match="different variables"):
        Crosstab(variables=("SEX", "SEX"))


@pytest.mark.parametrize(
    ("fields", "values", "message"),
    [
        ({"margins": True}, [3, 1, 1, 2, 4, 3, 4, 4, 7], "'RENTS=yes' cannot be the sum of its cells"),
        (
            {"margins": True, "statistic": "proportions", "decimals": 2},
            [0.4, 0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.4, 1],
            "'RENTS=no' cannot be",
        ),
        ({"statistic": "percentages"}, [40, 10, 20, 10], "do not add to 100"),
        ({"statistic": "row proportions"}, [0.7, 0.3, 0.3, 0.3], "do not add to 1"),
        ({"missing": "include"}, [3, 1, 0, 1, 2, 0], "do not add to 8, the number of rows"),
    ],
)
def test_crosstab_rejects_numbers_that_do_not_add_up(fields: dict[str, Any], values: list[float], message: str) -> None:
    with pytest.raises(OutputError, match=message):
        read_released(Crosstab(variables=("SEX", "RENTS"), released=values, **fields), SCHEMA, n_rows=8)


def test_rounded_and_suppressed_numbers_may_add_up_roughly() -> None:
    # 3 + 1 = 4 is shown as 5 + 0 = 5; and a withheld cell may be anything that is left.
    output = Crosstab(variables=("SEX", "RENTS"), margins=True, base=5, released=[5, 0, 0, 0, 5, 5, 5, 5, 5])
    assert read_released(output, SCHEMA) is not None
    output = Crosstab(variables=("SEX", "RENTS"), margins=True, released=[3, None, None, 2, 4, 3, 4, 3, 7])
    assert read_released(output, SCHEMA) is not None
