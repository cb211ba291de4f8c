"""Searches for the least change that makes a submission safe: asked for by a checker, done by a worker.

What a search finds depends on the data. The checkers see all of it; the author sees, once it is returned, what a
checker offers: what is done, in words, and nothing of what was measured.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from divulge.errors import LeaseLostError, LedgerError, NotFoundError
from divulge.ledger import states, trail
from divulge.ledger.clock import database_now
from divulge.ledger.database import Ledger
from divulge.ledger.model import JobState, Search, Submission
from divulge.ledger.workflow import get_person, lock_submission

_MOST_ATTEMPTS = 2  # a search that ends a worker twice would end a third
_MOST_ASSESSED = 5  # candidates that are assessed in full: minutes, on two cores


@dataclass(frozen=True)
class SearchLease:
    """A search that is ours for now, and what a worker does with it."""

    ledger: Ledger
    search_id: int
    submission_id: int
    token: str

    def renew(self, seconds: float) -> None:
        """Say that the worker is alive; LeaseLostError where the search is not ours any more."""
        with self.ledger.writing() as session:
            self._held(session).lease_until = database_now(session) + timedelta(seconds=seconds)

    def finish(self, found: Sequence[Mapping[str, Any]]) -> None:
        with self.ledger.writing() as session:
            held = self._held(session)
            held.state, held.lease, held.found = JobState.DONE, None, [dict(one) for one in found]

    def fail(self, error: str) -> None:
        with self.ledger.writing() as session:
            held = self._held(session)
            held.state, held.lease, held.error = JobState.FAILED, None, error

    def put_back(self) -> None:
        """Give a search back because the worker is told to end; the attempt does not count."""
        with self.ledger.writing() as session:
            held = self._held(session)
            held.state, held.lease, held.attempts = JobState.QUEUED, None, held.attempts - 1

    def _held(self, session: Session) -> Search:
        held = session.scalars(select(Search).where(Search.id == self.search_id).with_for_update()).one_or_none()
        if held is None or held.state is not JobState.RUNNING or held.lease != self.token:
            raise LeaseLostError(f"search {self.search_id} is no longer this worker's.")
        return held


@dataclass(frozen=True)
class _Work:
    """Everything that a process needs; it is given no way into the ledger. files: name, and where the content is."""

    document: Mapping[str, Any]
    schema: str
    files: tuple[tuple[str, str], ...]
    fingerprint: str
    before: tuple[Any, ...]


def ask(session: Session, by: int, submission_id: int) -> Search:
    """Look for changes that make a submission safe. Asked for again, it starts anew; while it goes on, it goes on."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_search(submission)
    held = find(session, submission_id)
    if held is not None and held.is_active:
        return held
    if held is None:
        held = Search(submission_id=submission_id, person_id=person.id)
        session.add(held)
    held.state, held.attempts, held.error, held.found, held.offered = JobState.QUEUED, 0, None, [], []
    held.person_id = person.id
    session.flush()
    trail.append(session, person.name, "search", "submission", submission_id)
    return held


def offer(session: Session, by: int, submission_id: int, places: Sequence[int]) -> Search:
    """Let the author see some of what was found; the others they do not see."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_search(submission)
    held = find(session, submission_id)
    if held is None or held.state is not JobState.DONE:
        raise NotFoundError("nothing was found yet.", where=f"submission {submission_id}")
    held.offered = sorted({p for p in places if 0 <= p < len(held.found)})
    details = {"offered": trail.digest([held.found[p] for p in held.offered])}
    trail.append(session, person.name, "offer", "submission", submission_id, details)
    return held


def find(session: Session, submission_id: int) -> Search | None:
    return session.scalars(select(Search).where(Search.submission_id == submission_id)).one_or_none()


def find_offered(session: Session, submission: Submission, place: int) -> Mapping[str, Any]:
    """A change that the author was offered; any other is as if there were none."""
    held = find(session, submission.id)
    if held is None or place not in held.offered:
        raise NotFoundError("there is no such change.")
    found: Mapping[str, Any] = held.found[place]
    return found


def take(ledger: Ledger, lease_seconds: float) -> SearchLease | None:
    """Take the oldest search that waits, or whose worker fell silent."""
    with ledger.writing() as session:
        now = database_now(session)
        silent = and_(Search.state == JobState.RUNNING, Search.lease_until < now)
        waiting = select(Search).where(or_(Search.state == JobState.QUEUED, silent)).order_by(Search.id).limit(1)
        held = session.scalars(waiting.with_for_update(skip_locked=True)).one_or_none()
        if held is None:
            return None
        if held.attempts >= _MOST_ATTEMPTS:
            held.state, held.error = JobState.FAILED, "It ended its worker; it may need more memory."
            return None
        held.state, held.lease, held.attempts = JobState.RUNNING, secrets.token_hex(16), held.attempts + 1
        held.lease_until = now + timedelta(seconds=lease_seconds)
        return SearchLease(ledger, held.id, held.submission_id, held.lease)


def prepare(ledger: Ledger, lease: SearchLease) -> _Work:
    from divulge.ledger.earlier import earlier_outputs
    from divulge.record import dumps

    with ledger.reading() as session:
        submission = session.get_one(Submission, lease.submission_id)
        dataset = submission.dataset
        files = tuple((u.name, str(ledger.store.path(u.digest))) for u in submission.uploads)
        document = {
            **dataset.settings,
            "data": dataset.path,
            "schema": ".schema.json",
            "outputs": [o.document for o in submission.outputs],
        }
        before = tuple(earlier_outputs(session, dataset.fingerprint))
        return _Work(document, dumps(dataset.schema), files, dataset.fingerprint, before)


def run(work: _Work, listener: Callable[[Any], None]) -> list[dict[str, Any]]:
    """In a process of its own: the changes with which the outputs would be released, the least loss first."""
    from divulge.ledger.datasets import fingerprint
    from divulge.ledger.made import beside
    from divulge.safer import mitigate
    from divulge.safer.propose import summary
    from divulge.spec import parse_spec, read_inputs

    with tempfile.TemporaryDirectory(prefix="divulge-") as made:
        folder = Path(made)
        for name, path in work.files:
            shutil.copyfile(path, folder / name)
        (folder / ".schema.json").write_text(work.schema, encoding="utf-8")
        assessment = parse_spec(work.document, folder)
        inputs = read_inputs(assessment)
        assert inputs.table is not None, "data are always named"
        if fingerprint(inputs.table) != work.fingerprint:
            raise LedgerError("the data are not those that were registered.", where="data")
        inputs, before = beside(inputs, assessment.outputs, work.before)
        found = mitigate(
            assessment,
            inputs=inputs,
            released_before=before,
            most=_MOST_ASSESSED,
            workers=1,
            listener=listener,
        )
        schema = inputs.schema
        as_it_was = summary(found.before)
        return [
            {
                **proposal.as_json(),
                "before": as_it_was,
                # What is done, without what it costs: that is counted in the data.
                "done": [f"Output {s.output + 1}: {s.mitigation.describe(schema)}." for s in proposal.steps],
            }
            for proposal in found.proposals
        ]
