"""Whatever is changed behind the ledger's back is found: entries, rows, files, the end cut off."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from divulge.ledger import releases, trail, workflow
from divulge.ledger.database import Ledger
from divulge.ledger.model import Choice
from divulge.ledger.trail import Head
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
    """As somebody who may do anything in the database; SQLite's and PostgreSQL's guards are taken away first."""
    with ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        if connection.dialect.name == "sqlite":
            for verb in ("update", "delete"):
                connection.execute(text(f"DROP TRIGGER trail_no_{verb}"))
        else:
            connection.execute(text("DROP TRIGGER trail_no_change ON trail"))
        for statement in statements:
            connection.execute(text(statement))


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
        "SELECT 2, id, 'release', 'x', '2026-01-01 00:00:00' FROM people WHERE name = 'second'",
    ),
    "comment": ("UPDATE comments SET text = 'Which month?'",),
    "record": ("UPDATE assessments SET record = '{{}}'",),
    "verdict": ("UPDATE assessments SET verdict = 'refuse'",),
    "state": ("UPDATE submissions SET state = 'released' WHERE id = 2",),
    "what was submitted": ("""UPDATE outputs SET document = '{{"kind": "crosstab"}}'""",),
    "release removed": ("DELETE FROM releases",),
    "manifest": ("UPDATE releases SET manifest = '{{}}'",),
}


def _is_found(world: World, what: str) -> bool:
    ledger = _released(world).ledger
    last = _last(ledger)
    _behind_its_back(ledger, *(s.format(last=last, start="0" * 64) for s in CHANGES[what]))
    return bool(verify(ledger).faults)


@pytest.mark.parametrize("what", CHANGES)
def test_change_is_found(small_world: World, what: str) -> None:
    assert _is_found(small_world, what)


@pytest.mark.parametrize("what", ["details", "removed", "end cut off and the head moved", "time", "manifest"])
def test_change_is_found_in_either_database(world: World, what: str) -> None:
    assert _is_found(world, what)


def test_trail_that_was_written_anew_is_found_by_what_was_noted_elsewhere(world: World) -> None:
    with world.ledger.reading() as session:
        noted = trail.read_head(session)
    assert verify(world.ledger, expected=noted).faults == ()
    world.submit()
    assert verify(world.ledger, expected=noted).faults == ()
    assert verify(world.ledger, expected=Head(noted.count, "f" * 64)).faults
    assert verify(world.ledger, expected=Head(noted.count + 50, noted.hash)).faults


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
