"""The queue: each job is taken once, kept while its worker lives, handed in once."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from divulge.errors import LeaseLostError
from divulge.ledger import jobs
from divulge.ledger.clock import database_now
from divulge.ledger.jobs import Lease, Progress
from divulge.ledger.model import Job, JobState, StoredAssessment
from divulge.ledger.verify import verify
from tests.support.ledger_work import FIGURES, record
from tests.support.ledgers import World


def _expire(world: World, lease: Lease) -> None:
    """As if the worker had been silent for too long."""
    with world.ledger.writing() as session:
        session.get_one(Job, lease.job_id).lease_until = database_now(session) - timedelta(seconds=1)


def _take(world: World) -> Lease:
    lease = jobs.take_job(world.ledger, "here")
    assert lease is not None
    return lease


def test_workers_that_ask_at_once_get_different_jobs(world: World) -> None:
    made = {world.submit() for _ in range(6)}
    start, taken = threading.Barrier(4), []

    def work() -> None:
        start.wait()
        while (lease := jobs.take_job(world.ledger, "here")) is not None:
            taken.append(lease.submission_id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(taken) == sorted(made)


def test_whoever_hands_in_many_holds_up_nobody_with_one(world: World) -> None:
    many = [world.submit() for _ in range(3)]
    one = world.submit(by="colleague")
    assert [_take(world).submission_id for _ in range(4)] == [many[0], one, *many[1:]]


def test_job_of_a_silent_worker_is_taken_by_another(world: World) -> None:
    made = world.submit()
    first = _take(world)
    assert jobs.take_job(world.ledger, "there") is None
    _expire(world, first)
    second = _take(world)
    assert (second.job_id, second.attempt) == (first.job_id, 2)
    with pytest.raises(LeaseLostError):
        first.renew()
    with pytest.raises(LeaseLostError):
        first.finish(record(), [FIGURES])
    second.finish(record(), [FIGURES])
    assert world.state(made) == "ready"
    with world.ledger.reading() as session:
        assert session.scalar(select(func.count(StoredAssessment.id))) == 1


def test_result_is_handed_in_once(world: World) -> None:
    world.submit()
    lease = _take(world)
    lease.finish(record(), [FIGURES])
    with pytest.raises(LeaseLostError):
        lease.finish(record(), [FIGURES])
    with pytest.raises(LeaseLostError):
        lease.fail("too late")


def test_job_that_kills_its_workers_is_given_up(world: World) -> None:
    made = world.submit()
    for _ in range(3):
        _expire(world, _take(world))
    assert jobs.take_job(world.ledger, "here") is None
    assert world.state(made) == "submitted"
    with world.ledger.reading() as session:
        job = session.scalars(select(Job)).one()
        assert job.state is JobState.FAILED
        assert "memory" in (job.error or "")


def test_failed_job_is_tried_again_until_the_limit(world: World) -> None:
    world.submit()
    for _ in range(3):
        _take(world).fail("odd", again=True)
    assert jobs.take_job(world.ledger, "here") is None


def test_job_that_is_put_back_does_not_count(world: World) -> None:
    world.submit()
    for _ in range(5):
        _take(world).put_back()
    assert _take(world).attempt == 1


def test_progress_is_in_the_row(world: World) -> None:
    world.submit()
    lease = _take(world)
    lease.renew(Progress("All outputs", 3, 30, 12.5))
    with world.ledger.reading() as session:
        job = session.scalars(select(Job)).one()
        assert (job.stage, job.done, job.total, job.seconds_left) == ("All outputs", 3, 30, 12.5)


def test_result_of_a_cancelled_job_is_dropped(world: World) -> None:
    from divulge.ledger import workflow

    made = world.submit()
    lease = _take(world)
    with world.ledger.writing() as session:
        workflow.cancel(session, world.person["checker"], made)
    lease.finish(record(), [FIGURES])
    assert world.state(made) == "submitted"
    with world.ledger.reading() as session:
        assert session.scalar(select(func.count(StoredAssessment.id))) == 0
    assert verify(world.ledger).faults == ()
