"""A verdict counts while what it rests on is as it was. Where that has changed nothing is decided or released."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from divulge.errors import StaleError
from divulge.ledger import datasets, jobs, releases, workflow
from divulge.ledger.assessing import prepare
from divulge.ledger.model import Choice, Dataset, Job, Person, Release, Submission
from divulge.ledger.verify import verify
from tests.support.ledger_work import FIGURES, record
from tests.support.ledgers import CROSSTAB, World

ALL_BUT_ONE = {**CROSSTAB, "where": "AGE != 59"}
"""With the table of all it gives away whoever is 59."""


def _approved(world: World, by: str, output: dict[str, Any]) -> int:
    """A submission that was assessed and that two checkers are in favour of."""
    made = world.ready(by, outputs=[output])
    with world.ledger.writing() as session:
        for who in ("checker", "second"):
            workflow.decide(session, world.person[who], made, Choice.RELEASE, "Each alone is harmless.")
    return made


def _release(world: World, number: int) -> None:
    with world.ledger.writing() as session:
        releases.release(session, world.person["checker"], number, world.ledger.store)


def _is_queued_again(world: World, number: int) -> bool:
    with world.ledger.reading() as session:
        job = workflow.latest_job(session, number)
        return job is not None and job.is_active and session.get_one(Submission, number).release is None


def test_second_of_two_tables_that_were_assessed_at_the_same_time_is_assessed_again(world: World) -> None:
    first, second = _approved(world, "researcher", CROSSTAB), _approved(world, "colleague", ALL_BUT_ONE)
    _release(world, first)
    with pytest.raises(StaleError, match="released about the same people"):
        _release(world, second)
    assert _is_queued_again(world, second)
    assert world.state(second) == "submitted"
    lease = jobs.take_job(world.ledger, "test")
    assert lease is not None
    # The new assessment is told of the first table, and what was decided before counts no more.
    assert len(prepare(world.ledger, lease.submission_id, lease.job_id).before) == 1
    lease.finish(record("refuse"), [FIGURES])
    with pytest.raises(Exception, match="2 checkers are to decide; 0 of them have"):
        _release(world, second)
    assert verify(world.ledger).faults == ()


def test_of_two_released_at_the_same_moment_one_is_assessed_again(world: World) -> None:
    both = [_approved(world, "researcher", CROSSTAB), _approved(world, "colleague", ALL_BUT_ONE)]
    start, stale = threading.Barrier(2), []

    def release(number: int) -> None:
        start.wait()
        try:
            _release(world, number)
        except StaleError:
            stale.append(number)

    threads = [threading.Thread(target=release, args=(number,)) for number in both]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with world.ledger.reading() as session:
        assert session.scalar(select(func.count(Release.id))) == 1
    assert len(stale) == 1
    assert _is_queued_again(world, stale[0])
    assert verify(world.ledger).faults == ()


def _tighten(world: World) -> None:
    with world.ledger.writing() as session:
        custodian = session.get_one(Person, world.person["custodian"])
        datasets.change_settings(session, custodian, world.dataset, {"policy": {"release_risk": 0.001}})


def _replace_data(world: World) -> None:
    with world.ledger.reading() as session:
        path = Path(session.get_one(Dataset, world.dataset).path)
    # As when somebody has written the file anew, without waiting for a clock.
    later = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(later, later))


def _first(session: Session) -> Submission:
    return session.scalars(select(Submission).order_by(Submission.created_at).limit(1)).one()


def _upgrade(world: World) -> None:
    with world.ledger.writing() as session:
        for stored in _first(session).assessments:
            stored.basis = {**(stored.basis or {}), "program": "0.0.1"}


def _from_before(world: World) -> None:
    with world.ledger.writing() as session:
        _first(session).assessments[-1].basis = None


CHANGES: dict[str, Callable[[World], None]] = {
    "settings of the dataset": _tighten,
    "the data": _replace_data,
    "version of Divulge": _upgrade,
    "not known": _from_before,
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_release_is_refused_and_the_assessment_queued_where_something_changed(small_world: World, what: str) -> None:
    number = _approved(small_world, "researcher", CROSSTAB)
    CHANGES[what](small_world)
    with pytest.raises(StaleError, match=what):
        _release(small_world, number)
    assert _is_queued_again(small_world, number)


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_nobody_decides_on_what_has_changed(small_world: World, what: str) -> None:
    number = small_world.ready()
    CHANGES[what](small_world)
    with pytest.raises(StaleError, match=what), small_world.ledger.writing() as session:
        workflow.decide(session, small_world.person["checker"], number, Choice.RELEASE, "Fine.")
    assert _is_queued_again(small_world, number)


def test_what_changes_while_it_is_assessed_is_noticed(small_world: World) -> None:
    number = small_world.submit()
    lease = jobs.take_job(small_world.ledger, "test")
    assert lease is not None
    prepare(small_world.ledger, lease.submission_id, lease.job_id)
    _tighten(small_world)
    lease.finish(record(), [FIGURES])
    with pytest.raises(StaleError), small_world.ledger.writing() as session:
        workflow.decide(session, small_world.person["checker"], number, Choice.RELEASE, "Fine.")


def test_assessment_that_failed_after_a_change_can_be_queued_by_hand(small_world: World) -> None:
    number = _approved(small_world, "researcher", CROSSTAB)
    _tighten(small_world)
    with pytest.raises(StaleError):
        _release(small_world, number)
    lease = jobs.take_job(small_world.ledger, "test")
    assert lease is not None
    lease.fail("The data are away.")
    with small_world.ledger.writing() as session:
        workflow.assess(session, small_world.person["checker"], number)
        assert session.scalar(select(func.count(Job.id))) == 3
