"""Whether the ledger is as it was written: the audit trail, the rows that it speaks of, the released files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload, undefer

from divulge.ledger import seals, trail
from divulge.ledger.database import Ledger
from divulge.ledger.guards import missing_guards
from divulge.ledger.model import CheckerDecision, Comment, Release, State, StoredAssessment, Submission, TrailEntry
from divulge.ledger.trail import Fault, Head
from divulge.ledger.workflow import decision_details

_ENDS_IN = {
    "submit": State.SUBMITTED,
    "resubmit": State.SUBMITTED,
    "assess": State.SUBMITTED,
    "take": State.ASSESSING,
    "assessed": State.READY,
    "stale": State.SUBMITTED,
    "failed": State.SUBMITTED,
    "cancelled": State.SUBMITTED,
    "return": State.RETURNED,
    "withdraw": State.RETURNED,
    "refuse": State.REFUSED,
    "release": State.RELEASED,
}
"""The state in which an action leaves a submission. Others leave it as it is."""

_AT_A_TIME = 200  # rows that are compared at a time; records are long


@dataclass(frozen=True)
class _Verified:
    """What was found, and where the trail ends: what to note elsewhere."""

    head: Head
    faults: tuple[Fault, ...]
    entries: int


def verify(ledger: Ledger, *, expected: Collection[Head] = (), files: bool = True) -> _Verified:
    """Compare everything with the trail. expected: anchors that were noted before. files: also the released files."""
    with ledger.reading() as session:
        faults = trail.chain_faults(session, expected)
        said = _what_the_trail_says(session)
        faults += _row_faults(session, said)
        faults += _seal_faults(session, said)
        guards = missing_guards(session.connection())
        faults += [Fault(None, f"the guard {name} of the audit trail is gone or switched off") for name in guards]
        if files:
            faults += _file_faults(ledger, session)
        head = trail.read_head(session)
        return _Verified(head, tuple(faults), said.entries)


@dataclass
class _Said:
    entries: int
    decisions: dict[int, Any]
    comments: dict[int, str]
    assessments: dict[int, Any]
    releases: dict[int, Any]
    outputs: dict[int, tuple[str, Any]]
    states: dict[int, State]
    rows: dict[str, dict[str, dict[str, str]]]


def _what_the_trail_says(session: Session) -> _Said:
    said = _Said(0, {}, {}, {}, {}, {}, {}, {})
    for entry in trail.entries(session):
        said.entries += 1
        # An entry that was made unreadable has been told of already: it is not what was written.
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            details = json.loads(entry.details)
            _note_rows(said, details.pop("rows", {}))
            details.pop("by_token", None)
            if entry.subject == "submission":
                _note(said, entry, details)
    return said


def _note_rows(said: _Said, rows: seals.Rows) -> None:
    for table, changed in rows.items():
        known = said.rows.setdefault(table, {})
        for key, columns in changed.items():
            if columns is None:
                known.pop(key, None)
            else:
                known[key] = {**known.get(key, {}), **columns}


def _note(said: _Said, entry: TrailEntry, details: dict[str, Any]) -> None:
    if entry.action in _ENDS_IN:
        said.states[entry.subject_id] = _ENDS_IN[entry.action]
    if entry.action == "decide":
        said.decisions[details["decision"]] = details
    elif entry.action in ("comment", "return"):
        said.comments[details["comment"]] = details["digest"]
    elif entry.action == "assessed":
        said.assessments[details["assessment"]] = {k: v for k, v in details.items() if k != "job"}
    elif entry.action == "release":
        said.releases[details["release"]] = details
    elif entry.action == "read":
        said.outputs[entry.subject_id] = (details["outputs"], said.outputs[entry.subject_id][1])
    elif entry.action in ("submit", "resubmit"):
        said.outputs[entry.subject_id] = (details["outputs"], sorted(details["uploads"]))


def _row_faults(session: Session, said: _Said) -> Iterator[Fault]:
    for decision in _rows(session, CheckerDecision):
        plain = json.loads(seals.canonical(decision_details(decision)))
        yield from _compared(said.decisions, decision.id, plain, "decision")
    for comment in _rows(session, Comment):
        yield from _compared(said.comments, comment.id, trail.digest(comment.text), "comment")
    for stored in _rows(session, StoredAssessment, undefer(StoredAssessment.record)):
        now = {**stored.details, "record": trail.digest(stored.record)}
        yield from _compared(said.assessments, stored.id, now, "assessment")
    for made in _rows(session, Release):
        now = {**made.details, "manifest": trail.digest(made.manifest)}
        yield from _compared(said.releases, made.id, now, "release")
    loaded = (selectinload(Submission.outputs), selectinload(Submission.uploads))
    for submission in _rows(session, Submission, *loaded):
        documents = trail.digest([o.document for o in submission.outputs])
        uploads = sorted([u.name, u.digest] for u in submission.uploads)
        yield from _compared(said.outputs, submission.id, (documents, uploads), "submission")
        state = said.states.get(submission.id)
        if state is not None and state is not submission.state and not _is_waiting(submission, state):
            yield Fault(None, f"submission {submission.id} is {submission.state}; by the trail it is {state}")
    for name in ("decisions", "comments", "assessments", "releases", "outputs"):
        for number in getattr(said, name):
            noun = {"outputs": "submission"}.get(name, name.removesuffix("s"))
            yield Fault(None, f"{noun} {number} is in the trail and gone from the ledger")


def _seal_faults(session: Session, said: _Said) -> Iterator[Fault]:
    """Rows that are not what was sealed, that were added or removed behind the ledger's back."""
    for table in seals.sealed_tables():
        known = said.rows.pop(table.name, {})
        for key, now in seals.read_rows(session.connection(), table):
            then = known.pop(key, None)
            if then is None:
                yield Fault(None, f"row {key} of {table.name} was added by nobody")
            elif wrong := _differing(then, now):
                yield Fault(None, f"row {key} of {table.name} is not what was written: {', '.join(wrong)}")
        for key in known:
            yield Fault(None, f"row {key} of {table.name} was removed by nobody")


def _is_waiting(submission: Submission, state: State) -> bool:
    # A job that was put back, or whose worker died, waits with its submission still in assessing.
    return {submission.state, state} <= {State.SUBMITTED, State.ASSESSING}


def _compared(said: dict[int, Any], number: int, now: Any, noun: str) -> Iterator[Fault]:
    if number not in said:
        yield Fault(None, f"{noun} {number} is not in the trail")
        return
    then = said.pop(number)
    if isinstance(then, dict):
        # An entry from before something was noted says nothing of it.
        now = {name: value for name, value in now.items() if name in then}
    if then != now:
        yield Fault(None, f"{noun} {number} is not what was written")


def _file_faults(ledger: Ledger, session: Session) -> Iterator[Fault]:
    for made in _rows(session, Release):
        for file in made.manifest.get("files", []):
            if not ledger.store.is_whole(str(file["sha256"])):
                yield Fault(None, f"release {made.id}: the file {file['name']!r} is gone or changed")


def _rows(session: Session, kind: Any, *options: Any) -> Iterator[Any]:
    last = 0
    while True:
        statement = select(kind).where(kind.id > last).order_by(kind.id).limit(_AT_A_TIME).options(*options)
        found = session.scalars(statement).all()
        if not found:
            return
        yield from found
        last = found[-1].id
        session.expunge_all()


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The columns that are not what was sealed. One that was added later and never written has no seal."""
    return [name for name in now if name in then and then[name] != now[name]]
