"""A worker: every way in which a job can end, and what is left behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest
from sqlalchemy import select

from divulge.ledger import workflow
from divulge.ledger.model import Job, JobState
from divulge.ledger.verify import verify
from divulge.ledger.worker import Limits, Worker
from tests.support.ledgers import World

SOON = Limits(seconds=600, poll=0.05, heartbeat=0.1)


@pytest.fixture
def world(small_world: World) -> World:
    """In SQLite alone: what the two databases do differently is tested with the queue."""
    return small_world


def _work(world: World, target: str, limits: Limits = SOON, stop: threading.Event | None = None) -> Job:
    worker = Worker(
        world.ledger,
        stop or threading.Event(),
        limits,
        target=f"tests.support.ledger_work:{target}",
        prepare="tests.support.ledger_work:prepare",
    )
    worker.run(once=True)
    with world.ledger.reading() as session:
        return session.scalars(select(Job)).one()


def test_job_is_done_and_its_folder_is_gone(world: World) -> None:
    made = world.submit()
    job = _work(world, "quick")
    assert job.state is JobState.DONE
    assert world.state(made) == "ready"
    assert not world.ledger.store.work_folder(job.id).exists()
    assert verify(world.ledger).faults == ()


def test_what_a_killed_worker_left_behind_is_removed(world: World) -> None:
    left = world.ledger.store.work_folder(77)
    left.mkdir(parents=True)
    world.submit()
    waiting = world.ledger.store.work_folder(1)
    waiting.mkdir()
    Worker(world.ledger, threading.Event(), SOON).run(most=0)
    assert not left.exists()
    assert waiting.exists()


def test_output_that_cannot_be_computed_is_said_and_not_tried_again(world: World) -> None:
    world.submit()
    job = _work(world, "refusing")
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.error == "outputs[0]: the output cannot be computed."


def test_unexpected_error_is_tried_again_and_quotes_nothing(world: World) -> None:
    world.submit()
    job = _work(world, "broken")
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert "ValueError" in (job.error or "")
    assert "Zebedee" not in (job.error or "")


def test_job_whose_process_dies_is_tried_again(world: World) -> None:
    world.submit()
    job = _work(world, "dying")
    assert (job.state, job.attempts) == (JobState.DONE, 2)


def test_job_that_takes_too_long_is_stopped(world: World) -> None:
    world.submit()
    job = _work(world, "endless", Limits(seconds=2, poll=0.05, heartbeat=0.1))
    assert job.state is JobState.FAILED
    assert "longer than 2 seconds" in (job.error or "")


@pytest.mark.slow
def test_job_that_takes_too_much_memory_is_stopped(world: World) -> None:
    world.submit()
    job = _work(world, "greedy", Limits(memory=400 << 20, poll=0.05, heartbeat=0.1))
    assert job.state is JobState.FAILED
    assert "0.4 GB" in (job.error or "")


def _when_running(world: World, act: Callable[[int], None]) -> threading.Thread:
    """Does something as soon as the process of the job says who it is."""

    def wait() -> None:
        pid = world.ledger.store.work_folder(1) / "pid"
        for _ in range(6000):
            if pid.exists() and pid.read_text():
                act(int(pid.read_text()))
                return
            time.sleep(0.05)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_running_job_is_cancelled(world: World) -> None:
    made = world.submit()
    pids = []

    def cancel(pid: int) -> None:
        pids.append(pid)
        with world.ledger.writing() as session:
            workflow.cancel(session, world.person["checker"], made)

    thread = _when_running(world, cancel)
    job = _work(world, "endless")
    thread.join()
    assert job.state is JobState.CANCELLED
    assert job.total == 100
    assert not _is_alive(pids[0])


def test_worker_that_is_told_to_end_puts_its_job_back(world: World) -> None:
    world.submit()
    stop = threading.Event()
    thread = _when_running(world, lambda pid: stop.set())
    job = _work(world, "endless", stop=stop)
    thread.join()
    assert (job.state, job.attempts) == (JobState.QUEUED, 0)
