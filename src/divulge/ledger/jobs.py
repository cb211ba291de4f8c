"""The queue: taking a job, keeping it, and handing in its result. Each is one transaction of its own.

A job is taken with a lease that its worker renews. Where a worker dies the lease runs out, and another goes on.
Whatever a worker writes names its lease; a worker that lost it is told so (LeaseLostError) and changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from divulge.errors import LeaseLostError, LedgerError
from divulge.ledger import notices, states, trail
from divulge.ledger.basis import find_basis
from divulge.ledger.clock import database_now
from divulge.ledger.database import Ledger
from divulge.ledger.model import ACTIVE, Job, JobState, News, State, StoredAssessment, Submission, SubmittedOutput
from divulge.ledger.proposals import HANDED_IN
from divulge.ledger.workflow import lock_submission
from divulge.record import dumps

LEASE_SECONDS = 60.0
"""How long a worker may be silent before its job is somebody else's: thirty heartbeats, so a busy machine keeps it."""

HEARTBEAT_SECONDS = 2.0
"""How often a worker says that it is alive, writes progress, and asks whether to stop."""


@dataclass(frozen=True)
class FoundOutput:
    """An output that was found in a file: as a spec has it, and the variables that it speaks of.

    made: how those are made that the data do not have.
    """

    name: str
    kind: str
    document: Mapping[str, Any]
    variables: tuple[str, ...]
    made: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """What a bar shows: the stage, `done` of `total`, and seconds left where that can be said."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None


@dataclass(frozen=True)
class Lease:
    """A job that is ours for now, and what a worker does with it."""

    ledger: Ledger
    job_id: int
    submission_id: int
    token: str
    attempt: int

    def renew(self, progress: Progress | None = None, *, lease_seconds: float = LEASE_SECONDS) -> bool:
        """Keep a job, and write how far it is. True where it is to be stopped; LeaseLostError where it is not ours."""
        with self.ledger.writing() as session:
            job = self._held(session)
            now = database_now(session)
            job.heartbeat_at, job.lease_until = now, now + timedelta(seconds=lease_seconds)
            if progress is not None:
                job.stage, job.done, job.total = progress.stage[:200], progress.done, progress.total
                job.seconds_left = progress.seconds_left
            return job.cancel_asked

    def finish(
        self,
        record: Mapping[str, Any],
        figures: Sequence[Sequence[Mapping[str, Any]]],
        outputs: Sequence[FoundOutput] | None = None,
    ) -> int:
        """Hand in a record: the assessment, the end of the job and the submission's new state are one transaction.

        figures: for each output its figures as printed ({label, value, se}). outputs: those that were found in the
        files of the submission, which take the place of what was found there before. Returns the assessment's id.
        """
        with self.ledger.writing() as session:
            job = self._held(session)
            submission = lock_submission(session, job.submission_id)
            if job.cancel_asked:
                _end(session, job, submission, JobState.CANCELLED, None, job.worker or "")
                return 0
            if outputs is not None:
                _put_outputs(session, submission, outputs)
            stored = store_record(session, submission, record, figures, job_id=job.id)
            stored.basis = job.basis
            job.state, job.finished_at, job.lease, job.lease_until = JobState.DONE, database_now(session), None, None
            job.done, job.seconds_left = job.total, 0.0
            _move(session, submission, State.READY)
            notices.note(session, submission, News.WAITING)
            details = {"job": job.id, **stored.details}
            trail.append(session, trail.WORKER, "assessed", "submission", submission.id, details)
            return stored.id

    def fail(self, error: str, *, again: bool = False) -> None:
        """Give a job up: for good, or (`again`) back into the queue while attempts are left. error: no row value."""
        with self.ledger.writing() as session:
            job = self._held(session)
            submission = lock_submission(session, job.submission_id)
            if job.cancel_asked:
                _end(session, job, submission, JobState.CANCELLED, None, job.worker or "")
            elif again and job.attempts < job.max_attempts:
                job.state, job.lease, job.lease_until, job.error = JobState.QUEUED, None, None, error
                details = {"job": job.id, "error": error}
                trail.append(session, trail.WORKER, "put back", "submission", submission.id, details)
            else:
                _end(session, job, submission, JobState.FAILED, error, job.worker or "")

    def put_back(self) -> None:
        """Give a job back because the worker is told to end: it waits again, and the attempt does not count."""
        with self.ledger.writing() as session:
            job = self._held(session)
            lock_submission(session, job.submission_id)
            job.state, job.lease, job.lease_until = JobState.QUEUED, None, None
            job.attempts -= 1
            trail.append(session, trail.WORKER, "put back", "submission", job.submission_id, {"job": job.id})

    def stop(self) -> None:
        """End a job that somebody asked to cancel."""
        with self.ledger.writing() as session:
            job = self._held(session)
            _end(session, job, lock_submission(session, job.submission_id), JobState.CANCELLED, None, job.worker or "")

    def _held(self, session: Session) -> Job:
        job = session.scalars(select(Job).where(Job.id == self.job_id).with_for_update()).one_or_none()
        if job is None or job.state is not JobState.RUNNING or job.lease != self.token:
            raise LeaseLostError(
                f"job {self.job_id} is no longer this worker's.", hint="Somebody else goes on with it."
            )
        return job


_author, _other_job, _other = Submission, aliased(Job), aliased(Submission)
_BEFORE_IT = (
    select(func.count())
    .select_from(_other_job)
    .join(_other, _other.id == _other_job.submission_id)
    .where(
        _other_job.state.in_(ACTIVE),
        _other_job.id < Job.id,
        _other.author_id
        == select(_author.author_id).where(_author.id == Job.submission_id).correlate(Job).scalar_subquery(),
    )
    .correlate(Job)
    .scalar_subquery()
)
"""How many jobs of the same author wait or run that are older."""


def take_job(ledger: Ledger, worker: str, *, lease_seconds: float = LEASE_SECONDS) -> Lease | None:
    """Take a job that waits, or whose worker fell silent; None where there is none.

    Everybody's oldest come first, then everybody's second: whoever hands in a hundred holds up nobody with one.
    Workers that ask at the same moment get different jobs: PostgreSQL passes over rows that another has locked, SQLite
    lets one writer in at a time. A job that was taken too often is marked as failed instead.
    """
    with ledger.writing() as session:
        while True:
            now = database_now(session)
            job = session.scalars(
                select(Job)
                .where(_is_free(now))
                .order_by(_BEFORE_IT, Job.id)
                .limit(1)
                .with_for_update(of=Job, skip_locked=True)
            ).one_or_none()
            if job is None:
                return None
            submission = lock_submission(session, job.submission_id)
            if job.cancel_asked:
                _end(session, job, submission, JobState.CANCELLED, None, worker)
                continue
            if job.attempts >= job.max_attempts:
                said = f"{job.attempts} workers took it and none of them came back; it may need more memory."
                _end(session, job, submission, JobState.FAILED, said, worker)
                continue
            job.state, job.lease = JobState.RUNNING, secrets.token_hex(16)
            job.attempts += 1
            job.worker, job.started_at, job.heartbeat_at = worker[:200], job.started_at or now, now
            job.lease_until = now + timedelta(seconds=lease_seconds)
            job.basis = find_basis(session, submission)
            if submission.state is State.SUBMITTED:
                _move(session, submission, State.ASSESSING)
            details = {"job": job.id, "attempt": job.attempts, "worker": job.worker}
            trail.append(session, trail.WORKER, "take", "submission", submission.id, details)
            return Lease(ledger, job.id, submission.id, job.lease, job.attempts)


def _put_outputs(session: Session, submission: Submission, outputs: Sequence[FoundOutput]) -> None:
    """Write down what was found in the files. Where they have outputs of their own nothing is found in them."""
    if submission.origin != HANDED_IN:
        raise LedgerError("the outputs of this submission are given.", where=f"submission {submission.id}")
    for old in submission.outputs:
        session.delete(old)
    session.flush()
    for number, one in enumerate(outputs, start=1):
        session.add(
            SubmittedOutput(
                submission_id=submission.id,
                number=number,
                name=one.name[:300],
                kind=one.kind,
                document=dict(one.document),
                variables=list(one.variables),
                made=dict(one.made) or None,
            )
        )
    session.flush()
    session.expire(submission, ["outputs"])
    details = {"outputs": trail.digest([o.document for o in outputs])}
    trail.append(session, trail.WORKER, "read", "submission", submission.id, details)


def store_record(
    session: Session,
    submission: Submission,
    record: Mapping[str, Any],
    figures: Sequence[Sequence[Mapping[str, Any]]],
    *,
    job_id: int | None = None,
) -> StoredAssessment:
    """Keep a record, and the figures that the outputs have."""
    text = dumps(record)
    cumulative = record.get("cumulative") or {}
    stored = StoredAssessment(
        submission_id=submission.id,
        job_id=job_id,
        verdict=str(record["verdict"]),
        risk=_largest_risk(record),
        adds=(cumulative.get("adds") or {}).get("marginal_risk"),
        exposed=int(record["exposure"]["exposed"]),
        record=text,
        digest=trail.digest(text),
    )
    session.add(stored)
    submission.verdict = stored.verdict
    outputs = session.scalars(
        select(SubmittedOutput).where(SubmittedOutput.submission_id == submission.id).order_by(SubmittedOutput.number)
    ).all()
    for output, found in zip(outputs, figures, strict=True):
        output.figures = [dict(f) for f in found]
    session.flush()
    return stored


def _largest_risk(record: Mapping[str, Any]) -> float | None:
    """The largest marginal risk of any scenario."""
    found = [r["marginal_risk"]["value"] for r in record.get("risk", []) if r.get("marginal_risk")]
    return max((v for v in found if v is not None), default=None)


def _is_free(now: Any) -> ColumnElement[bool]:
    fell_silent = and_(Job.state == JobState.RUNNING, Job.lease_until < now)
    return or_(Job.state == JobState.QUEUED, fell_silent)


def _end(session: Session, job: Job, submission: Submission, state: JobState, error: str | None, worker: str) -> None:
    job.state, job.error, job.finished_at = state, error, database_now(session)
    job.lease, job.lease_until = None, None
    if submission.state is State.ASSESSING:
        _move(session, submission, State.SUBMITTED)
    details = {"job": job.id, "error": error, "worker": worker}
    trail.append(session, trail.WORKER, str(state), "submission", submission.id, details)


def _move(session: Session, submission: Submission, to: State) -> None:
    states.check_transition(submission, to)
    submission.state, submission.changed_at = to, database_now(session)
