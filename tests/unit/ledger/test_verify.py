"""Whatever is changed behind the ledger's back is found: entries, rows, files, the end cut off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError

from divulge.ledger import releases, seals, trail, workflow
from divulge.ledger.anchors import read_anchors
from divulge.ledger.database import Ledger
from divulge.ledger.model import Base, Choice, Person
from divulge.ledger.trail import Head
from divulge.ledger.upgrade import upgrade
from divulge.ledger.verify import verify
from tests.support.ledgers import World


def _released(world: World) -> World:
    """One submission released, one with a comment and a decision."""
    first = world.ready()
    with world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, world.person[who], first, Choice.RELEASE, "No cell is small.")
    with world.ledger.writing() as session:
        releases.release(session, world.person["checker"], first, world.ledger.store)
    second = world.ready(by="colleague")
    with world.ledger.writing() as session:
        workflow.comment(session, world.person["checker"], second, "Which year?")
        workflow.decide(session, world.person["checker"], second, Choice.REFUSE, "Too small.")
    assert verify(world.ledger).faults == ()
    return world


def _behind_its_back(ledger: Ledger, *statements: str) -> None:
    """As somebody who may do anything in the database: the guards are taken away first and put back afterwards."""
    with ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        if connection.dialect.name == "sqlite":
            found = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
            off, on = [f"DROP TRIGGER {name}" for name, _ in found], [sql for _, sql in found]
        else:
            off, on = ([f"ALTER TABLE trail {verb} TRIGGER trail_no_change"] for verb in ("DISABLE", "ENABLE"))
        for statement in (*off, *statements, *on):
            connection.exec_driver_sql(statement)


def _last(ledger: Ledger) -> int:
    with ledger.reading() as session:
        return trail.read_head(session).count


CHANGES: dict[str, tuple[str, ...]] = {
    "who": ("UPDATE trail SET person = 'somebody' WHERE number = 15",),
    "details": ("UPDATE trail SET details = '{{}}' WHERE action = 'decide'",),
    "made unreadable": ("UPDATE trail SET details = 'x' WHERE action = 'decide'",),
    "number": ("UPDATE trail SET number = 1000 WHERE number = 15",),
    "removed": ("DELETE FROM trail WHERE number = 15",),
    "first removed": ("DELETE FROM trail WHERE number = 1",),
    "last removed": ("DELETE FROM trail WHERE number = {last}",),
    "end cut off": ("DELETE FROM trail WHERE number > 16",),
    "end cut off and the head moved": (
        "DELETE FROM trail WHERE number > 16",
        "UPDATE trail_head SET count = 16, hash = (SELECT hash FROM trail WHERE number = 16)",
    ),
    "all removed": ("DELETE FROM trail", "UPDATE trail_head SET count = 0, hash = '{start}'"),
    "swapped": (
        "UPDATE trail SET number = -1 WHERE number = 15",
        "UPDATE trail SET number = 15 WHERE number = 16",
        "UPDATE trail SET number = 16 WHERE number = -1",
    ),
    "time": ("UPDATE trail SET at = '2020-01-01 00:00:00' WHERE number = 15",),
    "head": ("UPDATE trail_head SET count = 999",),
    "choice of a checker": ("UPDATE decisions SET choice = 'release' WHERE choice = 'refuse'",),
    "reason of a checker": ("UPDATE decisions SET reason = 'Fine.' WHERE choice = 'refuse'",),
    "decision removed": ("DELETE FROM decisions WHERE choice = 'refuse'",),
    "decision made up": (
        "INSERT INTO decisions (submission_id, person_id, choice, reason, at) "
        "SELECT submissions.id, people.id, 'release', 'x', '2026-01-01 00:00:00' FROM people, submissions "
        "WHERE people.name = 'second' AND submissions.state = 'ready'",
    ),
    "comment": ("UPDATE comments SET text = 'Which month?'",),
    "record": ("UPDATE assessments SET record = '{{}}'",),
    "verdict": ("UPDATE assessments SET verdict = 'refuse'",),
    "state": ("UPDATE submissions SET state = 'released' WHERE state = 'ready'",),
    "what was submitted": ("""UPDATE outputs SET document = '{{"kind": "crosstab"}}'""",),
    "release removed": ("DELETE FROM releases",),
    "manifest": ("UPDATE releases SET manifest = '{{}}'",),
}


def _is_found(world: World, what: str) -> bool:
    ledger = _released(world).ledger
    last = _last(ledger)
    _behind_its_back(ledger, *(s.format(last=last, start="0" * 64) for s in CHANGES[what]))
    return bool(verify(ledger).faults)


EDITS: dict[str, str] = {
    "UPDATE people SET role = 'administrator' WHERE name = 'researcher'": "of people … role",
    "UPDATE people SET password_hash = 'x' WHERE name = 'checker'": "of people … password_hash",
    "UPDATE people SET is_active = NOT is_active WHERE name = 'second'": "of people … is_active",
    "UPDATE projects SET checkers_needed = 1": "row 1 of projects … checkers_needed",
    """UPDATE datasets SET settings = '{"policy": {"refuse": 1}}'""": "row 1 of datasets … settings",
    "UPDATE datasets SET path = '/tmp/other.csv'": "row 1 of datasets … path",
    "UPDATE datasets SET fingerprint = 'f'": "row 1 of datasets … fingerprint",
    """UPDATE datasets SET public = '["AGE"]'""": "row 1 of datasets … public",
    "UPDATE submissions SET author_id = 2 WHERE state = 'released'": "of submissions … author_id",
    "UPDATE submissions SET checkers_needed = 0 WHERE state = 'ready'": "of submissions … checkers",
    "UPDATE submissions SET verdict = 'refuse' WHERE state = 'ready'": "of submissions … verdict",
    "UPDATE outputs SET figures = '[]' WHERE id = 2": "row 2 of outputs … figures",
    "UPDATE assessments SET risk = 0 WHERE id = 2": "row 2 of assessments … risk",
    "UPDATE assessments SET exposed = 7 WHERE id = 2": "row 2 of assessments … exposed",
    "UPDATE assessments SET basis = NULL WHERE id = 2": "row 2 of assessments … basis",
    "UPDATE comments SET person_id = 5 WHERE id = 1": "row 1 of comments … person_id",
    "UPDATE decisions SET person_id = 6 WHERE choice = 'refuse'": "of decisions … person_id",
    "DELETE FROM memberships WHERE person_id = 2": "row 1,2 of memberships was removed by nobody",
    "INSERT INTO memberships VALUES (1, 3, '2026-01-01 00:00:00')": "row 1,3 of memberships was added by nobody",
    "DELETE FROM project_datasets": "row 1,1 of project_datasets was removed by nobody",
}
"""What somebody may do to the database, and how `verify` names it (…: "is not what was written:")."""


def test_every_edit_of_what_a_decision_rests_on_is_found_in_either_database(world: World) -> None:
    ledger = _released(world).ledger
    _behind_its_back(ledger, *EDITS)
    found = " and ".join(fault.what for fault in verify(ledger).faults)
    # Columns of one row are named together.
    for name in (
        "of people is not what was written: password_hash",
        "row 1 of projects is not what was written: checkers_needed",
        "row 1 of datasets is not what was written: fingerprint, path, settings, public",
        "of submissions is not what was written: verdict, checkers_needed",
        "row 2 of outputs is not what was written: figures",
        "row 2 of assessments is not what was written: risk, exposed, basis",
        "row 1 of comments is not what was written: person_id",
        "row 1,3 of memberships was added by nobody",
    ):
        assert name in found


@pytest.mark.slow
@pytest.mark.parametrize("statement", EDITS)
def test_edit_of_what_a_decision_rests_on_is_named(small_world: World, statement: str) -> None:
    ledger = _released(small_world).ledger
    _behind_its_back(ledger, statement)
    name = EDITS[statement].replace("…", "is not what was written:")
    assert any(name in fault.what for fault in verify(ledger).faults)


def test_guard_of_the_trail_that_was_dropped_is_found(world: World) -> None:
    is_file = world.ledger.engine.dialect.name == "sqlite"
    name = "trail_no_delete" if is_file else "trail_no_change"
    with world.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        connection.exec_driver_sql(f"DROP TRIGGER {name}" if is_file else f"DROP TRIGGER {name} ON trail")
    said = f"the guard {name} of the audit trail is gone or switched off"
    assert [f.what for f in verify(world.ledger).faults] == [said]


def test_guard_that_does_something_else_is_found(world: World) -> None:
    is_file = world.ledger.engine.dialect.name == "sqlite"
    statements = (
        ("DROP TRIGGER trail_no_delete", "CREATE TRIGGER trail_no_delete BEFORE DELETE ON trail BEGIN SELECT 1; END")
        if is_file
        else ("ALTER TABLE trail DISABLE TRIGGER trail_no_change",)
    )
    with world.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    assert len(verify(world.ledger).faults) == 1


def test_rows_that_decide_are_never_changed_in_bulk(small_world: World) -> None:
    with small_world.ledger.writing() as session, pytest.raises(AssertionError, match="one by one"):
        session.execute(update(Person).values(role="administrator"))


def test_every_table_is_sealed_or_said_to_decide_nothing() -> None:
    sealed = {table.name for table in seals.sealed_tables()}
    unsealed = {"jobs", "log_in_attempts", "notices", "searches", "sessions", "trail", "trail_head"}
    assert set(Base.metadata.tables) - sealed == unsealed


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_change_is_found(small_world: World, what: str) -> None:
    assert _is_found(small_world, what)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["details", "removed", "end cut off and the head moved", "time", "manifest"])
def test_change_is_found_in_either_database(world: World, what: str) -> None:
    assert _is_found(world, what)


def test_trail_that_was_written_anew_is_found_by_what_was_noted_elsewhere(world: World) -> None:
    with world.ledger.reading() as session:
        noted = trail.read_head(session)
    assert verify(world.ledger, expected=[noted]).faults == ()
    world.submit()
    assert verify(world.ledger, expected=[noted]).faults == ()
    assert verify(world.ledger, expected=[noted, Head(noted.count, "f" * 64)]).faults
    assert verify(world.ledger, expected=[Head(noted.count + 50, noted.hash)]).faults


def test_released_file_that_is_gone_or_changed_is_found(small_world: World) -> None:
    made = small_world.ready()
    with small_world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, small_world.person[who], made, Choice.RELEASE, "Fine.")
        release = releases.release(session, small_world.person["checker"], made, small_world.ledger.store)
    path = small_world.ledger.store.path(release.manifest["files"][0]["sha256"])
    path.write_bytes(path.read_bytes() + b"x")
    assert "changed" in verify(small_world.ledger).faults[0].what
    assert verify(small_world.ledger, files=False).faults == ()


@pytest.mark.parametrize("statement", ["UPDATE trail SET person = 'x'", "DELETE FROM trail"])
def test_database_itself_takes_no_change_of_the_trail(world: World, statement: str) -> None:
    def change() -> None:
        with world.ledger.engine.begin() as connection:
            connection.execute(text(statement))

    with pytest.raises(DBAPIError, match="only added to"):
        change()


def test_entries_written_at_the_same_moment_follow_each_other(world: World) -> None:
    import threading

    start = threading.Barrier(6)

    def submit(who: str) -> None:
        start.wait()
        for _ in range(3):
            world.submit(by=who)

    threads = [threading.Thread(target=submit, args=(who,)) for who in ("researcher", "colleague", "third") * 2]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert verify(world.ledger).faults == ()


@pytest.mark.slow
def test_anchor_is_written_with_every_release_and_compared(
    small_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "elsewhere" / "anchors"
    small_world = replace(small_world, ledger=replace(small_world.ledger, anchors=file))
    with caplog.at_level("INFO"):
        # A place that is not there does not undo what was released; it is said.
        _released(small_world)
    assert [r.levelname for r in caplog.records if r.name == "divulge.ledger"] == ["INFO", "ERROR"]
    file.parent.mkdir()
    made = small_world.ready()
    with small_world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, small_world.person[who], made, Choice.RELEASE, "Fine.")
        releases.release(session, small_world.person["checker"], made, small_world.ledger.store)
    noted = read_anchors(file)
    with small_world.ledger.reading() as session:
        assert noted == [trail.read_head(session)]
    small_world.submit()
    assert verify(small_world.ledger, expected=noted).faults == ()
    assert verify(small_world.ledger, expected=[Head(noted[0].count, "0" * 64)]).faults


def test_ledger_from_before_there_were_seals_is_sealed_by_its_upgrade(world: World) -> None:
    ledger = _released(world).ledger
    # As a version that knew of no seals has left it: without the entries' digests, the chain made anew.
    _behind_its_back(ledger, "DELETE FROM trail", f"UPDATE trail_head SET count = 0, hash = '{'0' * 64}'")
    later = ("searches", "api_tokens", "notices", "identities", "reason_templates")
    since = {"people": ("email", "tell"), "submissions": ("context",), "outputs": ("made",)}
    columns = [f"{name} DROP COLUMN {column}" for name, held in since.items() for column in held]
    _behind_its_back(ledger, *(f"DROP TABLE {name}" for name in later), *(f"ALTER TABLE {name}" for name in columns))
    _behind_its_back(ledger, "UPDATE alembic_version SET version_num = '0004'")
    upgrade(ledger.engine)
    found = [f.what for f in verify(ledger).faults]
    assert not [what for what in found if "row " in what]
    _behind_its_back(ledger, "UPDATE people SET role = 'administrator' WHERE name = 'researcher'")
    found = [f.what for f in verify(ledger).faults]
    assert [what for what in found if "row " in what] == ["row 1 of people is not what was written: role"]
