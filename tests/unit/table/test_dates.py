"""Dates: read in the formats that people use, in their order, filtered, and banded by year, quarter, month and age."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.errors import OutsideCategoriesError, RuleError, SchemaError
from divulge.table import Condition, Table, read_schema, read_table
from divulge.table.dates import as_date, read_dates
from divulge.table.derive import with_derived
from divulge.table.frictionless import format_schema, parse_schema
from divulge.table.lint.checks import lint

DAYS = ["1980-02-29", "2001-12-31", "2011-03-27"]
WRITTEN = {
    "%Y-%m-%d": DAYS,
    "%Y/%m/%d": ["1980/02/29", "2001/12/31", "2011/3/27"],
    "%d/%m/%Y": ["29/02/1980", "31/12/2001", "27/3/2011"],
    "%m/%d/%Y": ["02/29/1980", "12/31/2001", "3/27/2011"],
    "%d.%m.%Y": ["29.02.1980", "31.12.2001", "27.3.2011"],
    "%d-%b-%Y": ["29-Feb-1980", "31-DEC-2001", "27-Mar-2011"],
    "%d%b%Y": ["29FEB1980", "31DEC2001", "27MAR2011"],
}


@pytest.mark.parametrize("written", WRITTEN)
def test_format_is_found_and_days_are_the_same(written: str) -> None:
    dates = read_dates(WRITTEN[written])
    assert dates is not None
    assert (dates.format, dates.plain) == (written, DAYS)


@pytest.mark.parametrize(
    "texts",
    [["2011-02-30"], ["31/31/2011"], ["2011-03-27", "x"], ["29/02/1980", "12/31/2001"], ["20110327"], ["1.2.3"], []],
    ids=["no such day", "no such month", "text among dates", "two formats", "one number", "version", "nothing"],
)
def test_what_is_no_column_of_dates_stays_text(texts: list[str]) -> None:
    assert read_dates(texts) is None


def test_time_of_day_is_kept() -> None:
    assert as_date("2011-03-27T10:15:00Z", "%Y-%m-%d") == "2011-03-27 10:15:00"


def _people(tmp_path: Path, rows: str = "") -> Table:
    path = tmp_path / "people.csv"
    path.write_text(
        "BORN,ADMITTED,SEX\n29/02/1980,2011-03-27,F\n28/03/1990,2011-03-27,M\n,2012-11-02,F\nNA,NA,M\n" + rows,
        encoding="utf-8",
    )
    return read_table(path)


def test_column_of_dates_is_ordered_by_day_and_keeps_its_missing_codes(tmp_path: Path) -> None:
    born = _people(tmp_path).schema["BORN"]
    assert (born.holds, born.date_format, born.is_ordered) == ("date", "%d/%m/%Y", True)
    assert (born.values.tolist(), born.missing) == (["1980-02-29", "1990-03-28"], (None, "NA"))


def test_whole_numbers_that_are_all_days_are_dates(tmp_path: Path) -> None:
    path = tmp_path / "packed.csv"
    path.write_text("DAY,N\n" + "".join(f"201103{d},1\n" for d in range(10, 20)), encoding="utf-8")
    assert read_table(path).schema["DAY"].values[0] == "2011-03-10"


@pytest.mark.parametrize(
    ("condition", "selected"),
    [
        ("BORN < 1985-01-01", [True, False, False, False]),
        ("BORN < 01/01/1985", [True, False, False, False]),
        ("BORN >= 1990", [False, True, False, False]),
        ("BORN = 28/03/1990", [False, True, False, False]),
        ("ADMITTED = 2011", [True, True, False, False]),
        ("ADMITTED in (2011-03, 2012-11-02)", [True, True, True, False]),
        ("ADMITTED != 2011", [False, False, True, False]),
        ("BORN is missing", [False, False, True, True]),
    ],
)
def test_dates_are_compared_with_days_months_and_years(tmp_path: Path, condition: str, selected: list[bool]) -> None:
    table = _people(tmp_path)
    assert Condition.parse(condition, table.schema).selects(table).tolist() == selected


def test_comparison_with_what_is_no_date_names_no_date_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(RuleError) as caught:
        Condition.parse("BORN = 1990-03-2", _people(tmp_path).schema)
    assert "1990-03-28" not in str(caught.value)


def test_bands_of_dates_are_variables_of_their_own(tmp_path: Path) -> None:
    table = with_derived(
        _people(tmp_path),
        {
            "YEAR": "year(ADMITTED)",
            "QUARTER": "quarter(ADMITTED)",
            "MONTH": "month(ADMITTED)",
            "AGE": "age(BORN, ADMITTED)",
            "AGE_THEN": "age( BORN , 2011-03-28 )",
        },
    )
    shown = {n: [table.schema[n].texts[c] for c in table[n]] for n in table.names[3:]}
    assert shown["YEAR"] == ["2011", "2011", "2012", "NA"]
    assert shown["QUARTER"] == ["2011-Q1", "2011-Q1", "2012-Q4", "NA"]
    assert shown["MONTH"] == ["2011-03", "2011-03", "2012-11", "NA"]
    # The second person's birthday is the day after.
    assert shown["AGE"] == ["31", "20", "", ""]
    assert shown["AGE_THEN"] == ["31", "21", "", ""]


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("year(SEX)", "'SEX' holds no dates"),
        ("year(BORNN)", "there is no variable 'BORNN'"),
        ("year(BORN, ADMITTED)", "year needs one date"),
        ("age(BORN)", "age needs a date of birth and a day"),
        ("century(BORN)", "cannot be read"),
        ("age(BORN, 1985-01-01)", "1 people would have an age below 0"),
    ],
)
def test_band_that_cannot_be_made_says_why(tmp_path: Path, definition: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        with_derived(_people(tmp_path), {"X": definition})
    assert getattr(caught.value, "where", None) == "derive.X"


def test_schema_says_the_format_of_dates_and_reads_them_by_it(tmp_path: Path) -> None:
    table = _people(tmp_path)
    document = format_schema(table.schema)
    assert document["fields"][0]["type"] == "date"
    again = parse_schema(document)["BORN"]
    assert (again, again.holds, again.date_format) == (table.schema["BORN"], "date", "%d/%m/%Y")
    american = parse_schema({"fields": [{"name": "DAY", "type": "date", "format": "%m/%d/%Y"}]})
    (tmp_path / "d.csv").write_text("DAY,N\n03/04/2011,1\n,2\nNA,1\n", encoding="utf-8")
    assert read_table(tmp_path / "d.csv", american).schema["DAY"].values.tolist() == ["2011-03-04"]


def test_what_is_no_date_of_the_schemas_format_is_counted(tmp_path: Path) -> None:
    schema = parse_schema({"fields": [{"name": "DAY", "type": "date"}]})
    (tmp_path / "d.csv").write_text("DAY,N\n2011-03-27,1\nCANARY,2\n", encoding="utf-8")
    with pytest.raises(OutsideCategoriesError, match="dates of the format %Y-%m-%d") as caught:
        read_table(tmp_path / "d.csv", schema)
    assert "CANARY" not in str(caught.value)


def test_format_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(SchemaError, match="%d of %B"):
        parse_schema({"fields": [{"name": "DAY", "type": "date", "format": "%d of %B"}]})


def test_days_that_may_have_the_month_first_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("DAY,N\n03/04/2011,1\n05/06/2011,2\n", encoding="utf-8")
    remarks = {r.code: r for r in lint(read_table(tmp_path / "d.csv"))}
    assert '"format": "%m/%d/%Y"' in remarks["date-order"].advice
    assert "date-order" not in {r.code for r in lint(_people(tmp_path))}


def test_derived_variables_are_used_by_an_assessment(tmp_path: Path) -> None:
    from divulge.spec import parse_spec, read_inputs

    _people(tmp_path, "01/01/1970,2011-05-05,F\n" * 20)
    spec = {
        "data": "people.csv",
        "derive": {"YEAR": "year(ADMITTED)"},
        "outputs": [{"kind": "crosstab", "variables": ["YEAR", "SEX"], "where": "ADMITTED >= 2011-04-01"}],
    }
    inputs = read_inputs(parse_spec(spec, tmp_path))
    assert inputs.table is not None
    assert inputs.table.schema["YEAR"].values.tolist() == [2011, 2012]
    assert np.bincount(inputs.table["YEAR"]).tolist() == [22, 1, 1]


def test_schema_file_with_dates_is_read_back(tmp_path: Path) -> None:
    from divulge.table import write_schema

    write_schema(_people(tmp_path).schema, tmp_path / "s.json")
    assert read_schema(tmp_path / "s.json")["ADMITTED"].holds == "date"
