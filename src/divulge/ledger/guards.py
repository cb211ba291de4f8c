"""The guards in the database that let nobody change or remove an entry of the audit trail: whether they are there."""

from __future__ import annotations

from sqlalchemy import Connection, text

_SAYS = "the audit trail is only added to"

_POSTGRES = text(
    "SELECT t.tgname, t.tgenabled, t.tgtype, p.prosrc FROM pg_trigger t "
    "JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = to_regclass('trail') AND NOT t.tgisinternal"
)
_BEFORE_EVERY_CHANGE = 2 | 8 | 16 | 32
"""pg_trigger.tgtype of a trigger before DELETE, UPDATE and TRUNCATE, once for each statement."""


def missing_guards(connection: Connection) -> list[str]:
    """The guards that are gone, switched off or do something else, each by its name."""
    if connection.dialect.name == "sqlite":
        statement = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'trail'")
        found = {name: " ".join(sql.split()) for name, sql in connection.execute(statement)}
        return [name for name, sql in _sqlite_guards().items() if found.get(name) != sql]
    for name, enabled, kind, source in connection.execute(_POSTGRES):
        # O: switched on; A: on for replicas too.
        is_on = str(enabled if isinstance(enabled, str) else enabled.decode()) in "OA"
        does_it = source.strip() == f"BEGIN RAISE EXCEPTION '{_SAYS}'; END"
        if name == "trail_no_change" and is_on and kind == _BEFORE_EVERY_CHANGE and does_it:
            return []
    return ["trail_no_change"]


def _sqlite_guards() -> dict[str, str]:
    return {
        f"trail_no_{verb.lower()}": f"CREATE TRIGGER trail_no_{verb.lower()} BEFORE {verb} ON trail "
        f"BEGIN SELECT RAISE(ABORT, '{_SAYS}'); END"
        for verb in ("UPDATE", "DELETE")
    }
