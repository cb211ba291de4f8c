"""Opening a ledger: the same tables on both databases, at the newest version, and clear words where it cannot be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text

from divulge.errors import LedgerError
from divulge.ledger.database import Ledger, _ledger_url, current_version, open_ledger
from divulge.ledger.migrations import HEAD
from divulge.ledger.model import Base, Person, Role
from divulge.ledger.upgrade import _configuration, upgrade


def test_head_is_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(_configuration()).get_current_head() == HEAD


def test_migrations_make_the_tables_that_the_program_uses(ledger: Ledger) -> None:
    with ledger.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_migrations_go_back_and_forth(ledger: Ledger) -> None:
    from alembic import command

    config = _configuration()
    with ledger.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    upgrade(ledger.engine)
    with ledger.engine.connect() as connection:
        assert current_version(connection) == HEAD


def test_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    ledger = open_ledger(str(tmp_path / "a.sqlite"))
    with ledger.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    ledger.close()
    with pytest.raises(LedgerError, match="9999"):
        open_ledger(str(tmp_path / "a.sqlite"))


def test_sqlite_is_set_to_be_safe(tmp_path: Path) -> None:
    ledger = open_ledger(str(tmp_path / "a.sqlite"))
    with ledger.reading() as session:
        found = {
            p: session.execute(text(f"PRAGMA {p}")).scalar() for p in ("journal_mode", "foreign_keys", "synchronous")
        }
    assert found == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}
    ledger.close()


def test_password_is_not_shown() -> None:
    assert "secret" not in _ledger_url("postgresql://me:secret@db/x").render_as_string()


@pytest.mark.parametrize("given", ["mysql://a/b", "sqlite://", "nonsense://"])
def test_other_databases_are_rejected(given: str) -> None:
    with pytest.raises(LedgerError):
        _ledger_url(given)


def test_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="cannot be opened"):
        open_ledger(f"postgresql://nobody@/x?host={tmp_path}", store=tmp_path)
    with pytest.raises(LedgerError, match="no ledger"):
        open_ledger(str(tmp_path / "none.sqlite"), create=False)


def test_what_is_written_in_a_failed_transaction_is_gone(ledger: Ledger) -> None:
    def fail() -> None:
        with ledger.writing() as session:
            session.add(Person(name="nobody", role=Role.RESEARCHER))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with ledger.reading() as session:
        assert session.scalars(select(Person)).all() == []


def test_two_ledgers_are_made_at_the_same_moment(tmp_path: Path) -> None:
    def make(name: str) -> str | None:
        with open_ledger(str(tmp_path / f"{name}.sqlite")) as ledger, ledger.engine.connect() as connection:
            return current_version(connection)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(make, "abcd")) == {HEAD}
