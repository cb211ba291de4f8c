"""Data are the same wherever they live; only what is needed is read; nothing that gets there is ever told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from divulge.assess import assess, plan
from divulge.condensing import group_by
from divulge.errors import DivulgeError, NotATableError, SourceError, SpecError, UnknownVariableError
from divulge.spec import parse_spec, read_inputs
from tests.support.postgres import Cluster

CROSSTAB = {"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True}
CANARY = "kanarienvogel"
"""A value that no message, record or file of ours may ever hold."""


def frame(n_rows: int = 400) -> pa.Table:
    rng = np.random.default_rng(3)  # any seed will do: nothing depends on who they are
    area = [str(a) for a in rng.integers(1, 5, n_rows)]
    ill = [None if i % 97 == 0 else "xyz"[k] for i, k in enumerate(rng.integers(0, 3, n_rows))]
    return pa.table(
        {
            "AREA": area,
            "ILL": ill,
            "AGE": rng.integers(0, 90, n_rows),
            "BORN": pa.array([7000 + int(d) for d in rng.integers(0, 3, n_rows)], pa.int32()).cast(pa.date32()),
            "SECRET": [CANARY] * n_rows,
        }
    )


def folder_of(data: pa.Table, folder: Path) -> Path:
    for i, start in enumerate(range(0, data.num_rows, 150)):
        (folder / "people" / f"part={i}").mkdir(parents=True)
        pq.write_table(data.slice(start, 150), folder / "people" / f"part={i}" / "rows.parquet")
    return folder / "people"


def database_of(data: pa.Table, folder: Path) -> Path:
    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", data)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
        connection.execute("CREATE VIEW elsewhere AS SELECT * FROM read_csv('/etc/hostname')")
    return path


def spec(data: Any, folder: Path = Path(), **given: Any) -> Any:
    return parse_spec({"data": data, "outputs": [CROSSTAB], **given}, folder)


def serve(cluster: Cluster, data: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows as a table of the test's server, and the environment that leads there."""
    import psycopg

    with psycopg.connect(host=str(cluster.folder), user=cluster.user, dbname="postgres", autocommit=True) as link:
        link.execute("DROP TABLE IF EXISTS people")
        link.execute(
            'CREATE TABLE people ("AREA" text, "ILL" text, "AGE" bigint, "BORN" date, "SECRET" text, "OK" boolean)'
        )
        with link.cursor().copy("COPY people FROM STDIN") as copy:
            for i, row in enumerate(data.to_pylist()):
                copy.write_row([*row.values(), i % 2 == 0])
    for name, value in {"PGHOST": str(cluster.folder), "PGUSER": cluster.user, "PGDATABASE": "postgres"}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(params=["file", "folder", "duckdb", "query", "postgresql"])
def data(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What `data:` says of the same four hundred people, wherever they live."""
    rows = frame()
    if request.param == "postgresql":
        serve(request.getfixturevalue("postgres"), rows, monkeypatch)
        return {"postgresql": "", "query": 'SELECT * FROM people WHERE "AGE" >= 0 -- everybody'}
    if request.param == "folder":
        return folder_of(rows, tmp_path)
    if request.param == "file":
        pq.write_table(rows, tmp_path / "people.parquet")
        return str(tmp_path / "people.parquet")
    path = str(database_of(rows, tmp_path))
    return (
        {"duckdb": path, "table": "people"} if request.param == "duckdb" else {"duckdb": path, "query": "FROM people"}
    )


def test_people_are_the_same_wherever_they_live(data: Any, tmp_path: Path) -> None:
    pq.write_table(frame(), tmp_path / "one.parquet")
    given = {"derive": {"YEAR": "year(BORN)"}, "outputs": [CROSSTAB, {**CROSSTAB, "variables": ["YEAR", "ILL"]}]}
    expected = read_inputs(spec(str(tmp_path / "one.parquet"), **given), "needed").table
    found = read_inputs(spec(data, **given), "condensed").table
    assert expected is not None
    assert found is not None
    names = [n for n in expected.names if n in found.names]
    assert set(names) >= {"AREA", "ILL", "YEAR"}
    assert found.select(names).condensed().equals(expected.select(names).condensed())


def test_only_what_is_needed_is_read(data: Any) -> None:
    given = {"outputs": [{**CROSSTAB, "where": "AGE >= 18"}], "scenario": {"target": "ILL", "keys": ["AREA"]}}
    table = read_inputs(spec(data, **given), "needed").table
    assert table is not None
    assert set(table.names) == {"AREA", "ILL", "AGE"}
    assert table.n_people == 400


def test_every_column_comes_where_all_are_asked_for(data: Any) -> None:
    table = read_inputs(spec(data)).table
    assert table is not None
    assert {"AREA", "ILL", "AGE", "BORN", "SECRET"} <= set(table.names)
    assert table.people is None


def test_a_name_that_is_no_column_is_told_with_the_nearest(data: Any) -> None:
    wrong = spec(data, outputs=[{**CROSSTAB, "variables": ["AREAS", "ILL"]}])
    with pytest.raises(UnknownVariableError, match=r"outputs\[0\].variables\[0\].*'AREAS'") as told:
        read_inputs(wrong, "needed")
    assert told.value.hint == "Did you mean 'AREA'?"


@pytest.mark.needs("postgresql")
def test_the_record_is_the_same_from_every_database(
    tmp_path: Path, postgres: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = frame().filter(pa.compute.is_valid(frame().column("ILL")))
    serve(postgres, rows, monkeypatch)
    records = []
    for data in (
        folder_of(rows, tmp_path),
        {"duckdb": str(database_of(rows, tmp_path)), "table": "main.people"},
        {"postgresql": None, "table": "people"},
    ):
        record = dict(assess(plan(spec(data)), workers=1).record)
        assert record["condensed"]["people"] == rows.num_rows
        assert CANARY not in json.dumps(record)
        assert str(postgres.folder) not in json.dumps(record)
        for name in ("timings", "data"):
            record[f"no {name}"] = record[name].get("digest")
            del record[name]
        records.append(record)
    assert records[0] == records[1] == records[2]


def test_nobody_is_counted_twice_where_two_writings_are_one_value(tmp_path: Path) -> None:
    rows = pa.table({"AREA": pa.array([57.0, 57.0, float("nan"), None], pa.float64()), "ILL": ["x", "x", "y", "y"]})
    table = read_inputs(spec(folder_of(rows, tmp_path)), "condensed").table
    assert table is not None
    assert table.people is not None
    assert table.people.tolist() == [2, 2]


def test_levels_in_an_order_of_their_own_stay_so(tmp_path: Path) -> None:
    levels = pa.array(["low", "middle", "high"])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 2, 2, 0], pa.int32()), levels, ordered=True)
    rows = pa.table({"AREA": coded, "ILL": ["x", "y", "y", "x"]})
    pq.write_table(rows, tmp_path / "one.parquet")
    by_row = read_inputs(spec(str(tmp_path / "one.parquet")), "needed").table
    by_people = read_inputs(spec(folder_of(rows, tmp_path)), "condensed").table
    assert by_row is not None
    assert by_people is not None
    assert by_people.equals(by_row.condensed())


@pytest.mark.parametrize(
    "data",
    [
        f"postgresql://me:{CANARY}@host/db",
        {"postgresql": f"host=x password={CANARY}", "table": "people"},
        {"postgresql": f"postgresql://me:{CANARY}@host/db", "table": "people"},
        {"postgresql": {"password": CANARY}, "table": "people"},
        {"postgresql": "", "table": "people", "password": CANARY},
        {"postgresql": "", "query": f"SELECT * FROM dblink('password={CANARY}')"},
    ],
)
def test_a_password_in_a_spec_is_refused_and_not_repeated(data: Any) -> None:
    with pytest.raises(SpecError) as told:
        spec(data)
    assert CANARY not in str(told.value)
    assert CANARY not in json.dumps(told.value.as_json())


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"duckdb": "x.duckdb"}, "either a table or a query"),
        ({"duckdb": "x.duckdb", "table": "t", "query": "q"}, "either a table or a query"),
        ({"postgresql": ""}, "either a table or a query"),
        ({"oracle": "x"}, "one source of data"),
        ({"duckdb": "x.duckdb", "postgresql": "", "table": "t"}, "one source of data"),
    ],
)
def test_a_source_that_says_too_little_or_too_much_is_refused(data: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        spec(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"table": "nothing"}, "no such table"),
        ({"query": "SELEKT 1"}, "cannot be read by DuckDB"),
        ({"table": "elsewhere"}, "outside the database"),
        ({"query": "FROM read_csv('/etc/hostname')"}, "outside the database"),
        ({"query": "DROP TABLE people"}, "cannot be read by DuckDB"),
        ({"query": "FROM people); DROP TABLE people; FROM (FROM people"}, "one SELECT"),
    ],
)
def test_what_is_wrong_in_a_database_is_told_in_a_sentence(data: Any, sentence: str, tmp_path: Path) -> None:
    path = database_of(frame(), tmp_path)
    with pytest.raises((SourceError, SpecError), match=sentence) as told:
        read_inputs(spec({"duckdb": str(path), **data}), "condensed")
    assert CANARY not in str(told.value)
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM people").fetchone() == (400,)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.duckdb").write_text(CANARY * 1000, encoding="utf-8")
    with pytest.raises(SourceError, match="no DuckDB database") as told:
        read_inputs(spec({"duckdb": str(tmp_path / "no.duckdb"), "table": "t"}), "condensed")
    assert CANARY not in str(told.value)


def test_a_folder_without_data_and_one_with_a_damaged_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotATableError, match="folder of Parquet files is needed"):
        read_inputs(spec(str(tmp_path / "empty")), "condensed")
    people = folder_of(frame(), tmp_path)
    (people / "part=0" / "more.parquet").write_bytes(b"PAR1" + CANARY.encode() * 100)
    with pytest.raises(DivulgeError) as told:
        read_inputs(spec(people), "condensed")
    assert CANARY not in str(told.value)


def test_files_that_do_not_fit_together_are_told(tmp_path: Path) -> None:
    people = folder_of(frame(), tmp_path)
    other = pa.table({"AREA": ["1"], "AGE": [CANARY], "ILL": [CANARY], "BORN": [CANARY], "SECRET": ["x"]})
    pq.write_table(other, people / "part=0" / "zzz.parquet")
    with pytest.raises(SourceError, match="do not fit together") as told:
        read_inputs(spec(people, outputs=[{**CROSSTAB, "variables": ["AREA", "AGE"]}]), "condensed")
    assert CANARY not in str(told.value)


def test_files_that_change_while_they_are_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = folder_of(frame(), tmp_path)
    changed = people / "part=0" / "rows.parquet"
    usual = group_by.as_table

    def slow(*given: Any) -> Any:
        os.utime(changed, ns=(1, 1))
        return usual(*given)

    monkeypatch.setattr("divulge.sources.file.as_table", slow)
    with pytest.raises(SourceError, match="changed while they were read"):
        read_inputs(spec(people), "condensed")


def test_a_column_of_very_many_values_is_named(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_by, "MOST_DIFFERENT", 50)
    monkeypatch.setattr(group_by, "MANY", 100)
    monkeypatch.setattr("divulge.sources.file.MANY", 100)
    with pytest.raises(SourceError, match=r"more than 50 different combinations; 'AGE' alone has about \d+") as told:
        read_inputs(spec(data, outputs=[{**CROSSTAB, "variables": ["ILL", "AGE"]}]), "condensed")
    assert "bands" in (told.value.hint or "")


@pytest.mark.parametrize("day", ["infinity", "-infinity", "0044-03-15 (BC)"])
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
@pytest.mark.parametrize("where", ["database", "folder", "file"])
def test_dates_that_are_none_are_told_by_their_column(day: str, kind: str, where: str, tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    file = tmp_path / "people" / "one.parquet"
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        rows = f"('x', {kind} '2011-03-27'), ('y', NULL), ('z', {kind} '{day}')"
        connection.execute(f"CREATE TABLE people AS SELECT * FROM (VALUES {rows}) AS rows(ILL, BORN)")
        connection.execute(f"COPY people TO '{file}' (FORMAT parquet)")
    data = {"duckdb": str(tmp_path / "people.duckdb"), "table": "people"}
    held: Any = {"database": data, "folder": str(file.parent), "file": str(file)}[where]
    with pytest.raises(NotATableError, match="column 'BORN' holds what is no date") as told:
        read_inputs(spec(held, outputs=[{**CROSSTAB, "variables": ["ILL", "BORN"]}]), "condensed")
    assert "0044" not in str(told.value)
    assert "out of range" not in str(told.value)


def test_nothing_is_left_on_the_disk(data: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    read_inputs(spec(data), "condensed")
    assert list(temporary.iterdir()) == []


def test_rows_of_a_broken_edit_rule_are_counted_by_people(tmp_path: Path) -> None:
    people = folder_of(frame(), tmp_path)
    fields = [{"name": "AREA", "type": "string"}, {"name": "ILL", "type": "string"}]
    rule = {"fields": fields, "rules": ["AREA = 1 -> ILL = x"]}
    (tmp_path / "schema.json").write_text(json.dumps(rule), encoding="utf-8")
    data = frame().to_pandas()
    broken = int(((data.AREA == "1") & data.ILL.notna() & (data.ILL != "x")).sum())
    with pytest.raises(DivulgeError, match=rf"{broken} of 400 rows break"):
        read_inputs(spec(people, schema=str(tmp_path / "schema.json")), "condensed")
