"""PostgreSQL: read-only, one snapshot, and whatever goes wrong told without the server's own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from divulge.errors import SourceError
from divulge.sources import postgresql
from divulge.spec import parse_spec, read_inputs
from tests.support.postgres import Cluster

pytestmark = pytest.mark.needs("postgresql")

CANARY = "kanarienvogel"


@pytest.fixture
def link(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A connection that may change things, beside the one that reads; the environment leads to the same server."""
    for name, value in {"PGHOST": str(postgres.folder), "PGUSER": postgres.user, "PGDATABASE": "postgres"}.items():
        monkeypatch.setenv(name, value)
    given: dict[str, Any] = {"host": str(postgres.folder), "user": postgres.user, "dbname": "postgres"}
    with psycopg.connect(autocommit=True, **given) as connection:
        connection.execute("DROP TABLE IF EXISTS few")
        connection.execute("CREATE TABLE few (a text, b int, day date, at timestamp, price numeric)")
        rows = "('x', 1, '2011-03-27', '2011-03-27 12:00', 1.5), ('', NULL, NULL, NULL, NULL)"
        connection.execute(f"INSERT INTO few VALUES {rows}, ('{CANARY}', 2, '2012-01-01', '2012-01-01', 2)")
        yield connection


def read(*names: str, **data: str) -> Any:
    output = {"kind": "crosstab", "variables": list(names or ("a", "b")), "compute": True}
    return read_inputs(parse_spec({"data": {"postgresql": "", **data}, "outputs": [output]}, Path()), "condensed").table


def test_types_empty_texts_and_nulls_are_kept_apart(link: Any) -> None:
    table = read("a", "b", "day", "price", table="few")
    kinds = {v.name: (v.kind, v.holds) for v in table.schema}
    assert kinds["b"] == kinds["price"] == ("numeric", "levels")
    assert kinds["day"] == ("categorical", "date")
    assert table.schema["a"].texts[0] == ""
    assert None in table.schema["b"].missing
    assert None not in table.schema["a"].missing


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("SELECT * FROM nothing", "no such table"),
        ("SELECT nothing FROM few", "a column that there is not"),
        ("SELEKT 1", "cannot be read by PostgreSQL"),
        ("SELECT * FROM few); DELETE FROM few; SELECT * FROM (SELECT 1", "cannot be read by PostgreSQL"),
        ("DELETE FROM few RETURNING *", "cannot be read by PostgreSQL"),
        ("WITH gone AS (DELETE FROM few RETURNING *) SELECT * FROM gone", "code 0A000"),
        ("SELECT *, nextval('counting') AS n FROM few", "would change something"),
        (f"SELECT a, ('{CANARY}' || a)::int AS b FROM few", "code 22P02"),
        ("SELECT 1 AS a, 2 AS a", "more than one 'a'"),
    ],
)
def test_a_query_that_cannot_be_answered_changes_nothing(link: Any, query: str, sentence: str) -> None:
    link.execute("CREATE SEQUENCE IF NOT EXISTS counting")
    with pytest.raises(Exception, match=sentence) as told:
        read(query=query)
    assert CANARY not in str(told.value)
    assert link.execute("SELECT count(*) FROM few").fetchone() == (3,)


def test_a_date_that_is_none_is_told_by_its_column(link: Any) -> None:
    link.execute("INSERT INTO few VALUES ('y', 3, 'infinity', NULL, NULL)")
    with pytest.raises(SourceError, match=r"column of dates \(day\) holds what is no date"):
        read("a", "day", table="few")


def test_a_server_that_is_not_there_is_told_without_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGHOST", str(tmp_path / CANARY))
    monkeypatch.setenv("PGPASSWORD", CANARY)
    with pytest.raises(SourceError, match="no PostgreSQL server answers") as told:
        read(table="few")
    assert CANARY not in str(told.value)


def test_a_service_that_is_not_in_the_file_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "none.conf"))
    with pytest.raises(SourceError, match="no PostgreSQL server answers"):
        read(table="few", postgresql="census")


def test_a_service_file_leads_there(
    link: Any, postgres: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PGHOST", "PGUSER", "PGDATABASE"):
        monkeypatch.delenv(name)
    file = tmp_path / "service.conf"
    file.write_text(f"[census]\nhost={postgres.folder}\nuser={postgres.user}\ndbname=postgres\n", encoding="utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    assert read(table="few", postgresql="census").n_people == 3


def test_what_changes_between_two_statements_is_not_seen(link: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = postgresql._columns

    def then_somebody_writes(cursor: Any, relation: str) -> dict[str, int]:
        found = usual(cursor, relation)
        link.execute("INSERT INTO few SELECT 'new', 9, NULL, NULL, NULL FROM generate_series(1, 50)")
        return found

    monkeypatch.setattr(postgresql, "_columns", then_somebody_writes)
    assert read(table="few").n_people == 3


def test_a_connection_that_is_lost_is_told_and_leaves_nothing(link: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = postgresql._columns

    def then_it_is_cut(cursor: Any, relation: str) -> dict[str, int]:
        found = usual(cursor, relation)
        link.execute("SELECT pg_terminate_backend(%s)", [cursor.connection.info.backend_pid])
        return found

    monkeypatch.setattr(postgresql, "_columns", then_it_is_cut)
    with pytest.raises(SourceError, match="connection was lost while the data were read; nothing was kept"):
        read(table="few")
