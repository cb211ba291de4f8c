"""Columns brought onto a schema: matching, open variables, and what is refused without naming a value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.errors import BrokenRuleError, MissingColumnsError, OutsideCategoriesError
from divulge.table import Schema, Table, Variable, read_table

SEX = Variable("SEX", "categorical", np.array([1, 2]), labels={1: "Male", 2: "Female"}, missing=(None, -9))
AGE = Variable("AGE", "numeric", np.arange(100))


def _read(folder: Path, content: str, *variables: Variable, rules: tuple[str, ...] = ()) -> Table:
    (folder / "table.csv").write_text(content, encoding="utf-8")
    return read_table(folder / "table.csv", Schema(variables, rules))


def test_schema_gives_the_codes_and_the_order_of_the_columns(tmp_path: Path) -> None:
    table = _read(tmp_path, "AGE,MORE,SEX\n57.0,x,2\n57,y,-9\n5.70e1,y,\n", SEX, AGE)
    assert table.names == ("SEX", "AGE", "MORE")
    assert table["SEX"].tolist() == [1, 3, 2]
    assert table["AGE"].tolist() == [57, 57, 57]
    assert table.schema["AGE"] == AGE
    assert table.schema["MORE"].values.tolist() == ["x", "y"]


def test_value_goes_before_a_label_of_another_value(tmp_path: Path) -> None:
    swapped = Variable("X", "categorical", np.array([1, 2]), labels={1: "2", 2: "1"})
    assert _read(tmp_path, "X,i\n1,0\n2,0\n", swapped)["X"].tolist() == [0, 1]


def test_text_with_a_leading_zero_is_not_the_number(tmp_path: Path) -> None:
    with pytest.raises(OutsideCategoriesError):
        _read(tmp_path, "SEX,i\n02,0\n", SEX)


def test_quoted_empty_text_is_missing_where_the_schema_has_no_empty_text(tmp_path: Path) -> None:
    assert _read(tmp_path, 'SEX,i\n"",0\n', SEX)["SEX"].tolist() == [2]


def test_values_outside_are_counted_and_never_named(tmp_path: Path) -> None:
    with pytest.raises(OutsideCategoriesError) as caught:
        _read(tmp_path, "SEX,i\n1,0\nCANARY,0\nCANARY,0\n4711,0\n", SEX)
    assert "3 rows of 'SEX' (2 distinct values) are not among its values" in str(caught.value)
    assert "CANARY" not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_empty_field_is_refused_where_the_schema_has_no_missing(tmp_path: Path) -> None:
    with pytest.raises(OutsideCategoriesError, match="1 rows of 'AGE'"):
        _read(tmp_path, "AGE,i\n,0\n5,0\n", AGE)


def test_missing_columns_are_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(MissingColumnsError, match=r"'SEX', which the file does not have\. Did you mean 'sex'\?"):
        _read(tmp_path, "sex,i\n1,0\n", SEX)


def test_rules_are_checked_on_reading(tmp_path: Path) -> None:
    with pytest.raises(BrokenRuleError, match="1 of 2 rows break the edit rule 'AGE < 16 -> SEX = Male'"):
        _read(tmp_path, "AGE,SEX\n5,2\n20,2\n", SEX, AGE, rules=("AGE < 16 -> SEX = Male",))


def test_open_variable_takes_its_values_from_the_data_and_keeps_its_missing_codes(tmp_path: Path) -> None:
    income = Variable("INCOME", "numeric", np.array([]), missing=(-8,), labels={-8: "Refused"}, is_open=True)
    area = Variable("AREA", "categorical", np.array([]), is_open=True)
    table = _read(tmp_path, "INCOME,AREA\n250,7\n-8,03\nNA,7\n1e2,\n", income, area)
    assert table.schema["INCOME"] == Variable(
        "INCOME", "numeric", np.array([100, 250]), missing=(-8, "NA"), labels={-8: "Refused"}
    )
    assert table["INCOME"].tolist() == [1, 2, 3, 0]
    assert table.schema["AREA"] == Variable("AREA", "categorical", np.array(["03", "7"], dtype=object), missing=(None,))


def test_open_number_refuses_texts(tmp_path: Path) -> None:
    income = Variable("INCOME", "numeric", np.array([]), is_open=True)
    with pytest.raises(OutsideCategoriesError, match=r"2 rows of 'INCOME' \(1 distinct value\) are not numbers"):
        _read(tmp_path, "INCOME,i\n5,1\nx,1\nx,1\n", income)


def test_open_codes_are_completed_by_the_data(tmp_path: Path) -> None:
    codes = Variable("X", "categorical", np.array([1, 2]), labels={1: "one"}, is_open=True)
    assert _read(tmp_path, "X,i\n3,0\n1,0\n", codes).schema["X"].values.tolist() == [1, 2, 3]


def test_typed_columns_match_by_value(tmp_path: Path) -> None:
    data = pa.table({"SEX": pa.array([1.0, None, -9.0]), "AGE": pa.array(["5", "6", "7"])})
    pq.write_table(data, tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", Schema((SEX, AGE)))
    assert [c.tolist() for c in table.columns] == [[0, 2, 3], [5, 6, 7]]
