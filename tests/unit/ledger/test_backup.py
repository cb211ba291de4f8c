"""What is backed up comes back, in either database, whole or not at all."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from divulge.cli import main
from divulge.errors import DivulgeError, LedgerError
from divulge.ledger import jobs, releases, workflow
from divulge.ledger.backup import back_up, restore
from divulge.ledger.checkup import check_up
from divulge.ledger.export import export
from divulge.ledger.model import Choice, Job, JobState
from divulge.ledger.store import Blob
from divulge.ledger.verify import verify
from tests.support.ledgers import World, open_world


def _busy(world: World) -> World:
    """One released with a file, one decided on, one that is being worked at."""
    blob: Blob = world.ledger.store.put(b"a log")
    first = world.ready(uploads=[("log.txt", blob)])
    with world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, world.person[who], first, Choice.RELEASE, "Fine.")
        releases.release(session, world.person["checker"], first, world.ledger.store)
    second = world.ready()
    with world.ledger.writing() as session:
        workflow.comment(session, world.person["checker"], second, "Which year? Ünïcode, and a line\nmore.")
    world.submit()
    assert jobs.take_job(world.ledger, "test", lease_seconds=-1) is not None
    return world


@pytest.mark.slow
@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_backup_is_restored_into_either_database(
    world: World, into: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    _busy(world)
    with world.ledger.reading() as session:
        before = export(session, records=True)
        under_way = session.scalars(select(Job.submission_id).where(Job.state == JobState.RUNNING)).one()
    back_up(world.ledger, tmp_path / "a.tar")
    assert (tmp_path / "a.tar").stat().st_mode & 0o077 == 0
    url = str(tmp_path / "b.sqlite")
    if into == "postgresql":
        cluster = request.getfixturevalue("postgres")
        name = f"restored_{abs(hash(str(tmp_path))) % 10**9}"
        cluster.run(f"CREATE DATABASE {name}")
        url = cluster.url(name)
    ledger, _ = restore(url, tmp_path / "files", tmp_path / "a.tar")
    with ledger.reading() as session:
        assert export(session, records=True) == before
    assert verify(ledger).faults == ()
    ledger.close()
    # The next row finds a number of its own, and the job that was under way goes on: nothing lost, nothing twice.
    again = open_world(url, tmp_path / "files")
    lease = jobs.take_job(again.ledger, "other")
    assert lease is not None
    assert lease.submission_id == under_way
    assert again.submit() not in {one["id"] for one in before["submissions"]}
    assert verify(again.ledger).faults == ()
    again.ledger.close()


def test_nothing_is_restored_over_a_ledger_or_from_half_an_archive(small_world: World, tmp_path: Path) -> None:
    back_up(_busy(small_world).ledger, tmp_path / "a.tar")
    with pytest.raises(LedgerError, match="a ledger already"):
        restore(small_world.ledger.url, tmp_path / "files", tmp_path / "a.tar")
    content = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "half.tar").write_bytes(content[: len(content) // 2])
    with pytest.raises(LedgerError, match="not a whole backup"):
        restore(str(tmp_path / "b.sqlite"), tmp_path / "files", tmp_path / "half.tar")


def test_service_does_not_start_on_a_backup_from_before_a_release(
    small_world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "anchors"
    world = replace(small_world, ledger=replace(small_world.ledger, anchors=file))
    back_up(world.ledger, tmp_path / "before.tar")
    _busy(world)
    back_up(world.ledger, tmp_path / "after.tar")
    for name, is_fine in (("before", False), ("after", True)):
        restored, _ = restore(str(tmp_path / f"{name}.sqlite"), tmp_path / name, tmp_path / f"{name}.tar")
        restored.close()
        words = ["serve", "--check", "--no-demo", "--ledger", str(tmp_path / f"{name}.sqlite")]
        with pytest.raises(SystemExit) as end:
            main([*words, "--store", str(tmp_path / name), "--anchors", str(file)])
        assert (not end.value.code) is is_fine
        assert ("Was a backup restored?" in " ".join(capsys.readouterr().err.split())) is not is_fine


@pytest.mark.slow
def test_backup_that_was_changed_is_noticed(small_world: World, tmp_path: Path) -> None:
    back_up(_busy(small_world).ledger, tmp_path / "a.tar")
    content = (tmp_path / "a.tar").read_bytes()
    for old, new in ((b'"role": "researcher"', b'"role": "checker"   '), (b"a log", b"a lie")):
        (tmp_path / "b.tar").write_bytes(content.replace(old, new, 1))
        target = tmp_path / f"{new[:1]!r}.sqlite"
        with pytest.raises(DivulgeError, match=r"not what (was written|it was)"):
            restore(str(target), tmp_path / "files", tmp_path / "b.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert not [name for name in archive.getnames() if "sessions" in name]


def test_doctor_finds_what_is_wrong(small_world: World, tmp_path: Path) -> None:
    def wrong() -> list[str]:
        return [f.what for f in check_up(small_world.ledger) if f.is_wrong]

    small_world.ledger.store.put(b"x")
    assert wrong() == []
    small_world.ledger.store.folder.chmod(0o755)
    with small_world.ledger.engine.execution_options(divulge_writes=True).begin() as connection:
        connection.exec_driver_sql("UPDATE datasets SET path = '/nowhere'")
        connection.exec_driver_sql("DROP TRIGGER trail_no_update")
        connection.exec_driver_sql("UPDATE trail_head SET count = 1")
    found = " and ".join(wrong())
    for what in ("cannot be read here", "guard of the audit trail", "not as it was written", "look into"):
        assert what in found
