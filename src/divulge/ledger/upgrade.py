"""Bringing the tables of a ledger to this version: Alembic's migrations, one program at a time."""

from __future__ import annotations

from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from divulge.errors import LedgerError
from divulge.ledger.database import UPGRADE_LOCK, current_version

_one_at_a_time = Lock()  # Alembic keeps the migration that it is at for the whole process


def _configuration() -> Config:
    """Alembic's configuration: the migrations are part of the package, and there is no file."""
    config = Config()
    config.set_main_option("script_location", "divulge.ledger:migrations")
    config.set_main_option("path_separator", "os")
    return config


def upgrade(engine: Engine, to: str = "head") -> None:
    """Run what is missing, in one transaction. Two programs that start at once do it once."""
    config = _configuration()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with _one_at_a_time, engine.execution_options(divulge_writes=True).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
        version = current_version(connection)
        if version is not None and version not in known:
            raise LedgerError(
                f"the ledger is of a version ({version}) that this Divulge does not know.",
                hint="Use the newer Divulge that wrote it.",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, to)
