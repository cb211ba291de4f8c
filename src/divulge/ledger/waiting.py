"""What waits for somebody, the oldest first: decisions, last steps, failed assessments, returned versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, aliased

from divulge.ledger.listing import LINES
from divulge.ledger.model import (
    CheckerDecision,
    Job,
    JobState,
    Person,
    Role,
    State,
    StoredAssessment,
    Submission,
)
from divulge.ledger.states import OVERSEEING

_MOST = 50  # lines of one list; the queue has the rest


@dataclass(frozen=True)
class _WaitingLine:
    """A submission that waits. since: when it began to."""

    id: int
    title: str
    version: int
    project: str
    dataset: str
    author: str
    since: datetime
    verdict: str | None
    needed: int


@dataclass(frozen=True)
class _Waiting:
    """decide: for my decision. finish: all have decided, somebody lets it out or closes it. failed: its assessment.

    returned: mine, for a new version. released: mine, to take away. with_checkers: how many of mine are looked at.
    """

    decide: tuple[_WaitingLine, ...] = ()
    finish: tuple[_WaitingLine, ...] = ()
    failed: tuple[_WaitingLine, ...] = ()
    returned: tuple[_WaitingLine, ...] = ()
    released: tuple[_WaitingLine, ...] = ()
    with_checkers: int = 0


_NEWEST = (
    select(func.max(StoredAssessment.id))
    .where(StoredAssessment.submission_id == CheckerDecision.submission_id)
    .correlate(CheckerDecision)
    .scalar_subquery()
)
_OF_IT = (CheckerDecision.submission_id == Submission.id, CheckerDecision.assessment_id == _NEWEST)
_VOTES = select(func.count(CheckerDecision.id)).where(*_OF_IT).correlate(Submission).scalar_subquery()
_later = aliased(Job)
_LATEST_JOB = (
    select(func.max(_later.id)).where(_later.submission_id == Submission.id).correlate(Submission).scalar_subquery()
)
_OLDEST_FIRST = LINES.order_by(None).order_by(Submission.changed_at, Submission.id).limit(_MOST)


def find_waiting(session: Session, person: Person) -> _Waiting:
    """Everything that waits for somebody. Only checkers and custodians learn what others submitted."""
    own = Submission.author_id == person.id
    newer = aliased(Submission)
    is_replaced = select(newer.id).where(newer.replaces_id == Submission.id).exists()
    open_states = (State.SUBMITTED, State.ASSESSING, State.READY)
    counted = select(func.count()).select_from(Submission).where(own, Submission.state.in_(open_states))
    sees = person.role in OVERSEEING
    found: Mapping[str, Sequence[ColumnElement[bool]]] = {
        "returned": (own, Submission.state == State.RETURNED, ~is_replaced),
        "released": (own, Submission.state == State.RELEASED),
    }
    if sees:
        found = {**found, **_for_overseers(person)}
    lists = {name: _lines(session, conditions, sees) for name, conditions in found.items()}
    return _Waiting(with_checkers=session.scalars(counted).one(), **lists)


def _for_overseers(person: Person) -> dict[str, Sequence[ColumnElement[bool]]]:
    ready = Submission.state == State.READY
    failed = select(Job.id).where(Job.id == _LATEST_JOB, Job.state == JobState.FAILED).correlate(Submission).exists()
    found: dict[str, Sequence[ColumnElement[bool]]] = {"failed": (Submission.state == State.SUBMITTED, failed)}
    if person.role is Role.CHECKER:
        mine = CheckerDecision.person_id == person.id
        decided = select(CheckerDecision.id).where(mine, *_OF_IT).correlate(Submission).exists()
        others = Submission.author_id != person.id
        found["decide"] = (ready, others, ~decided, Submission.checkers_needed > _VOTES)
        found["finish"] = (ready, others, Submission.checkers_needed <= _VOTES)
    return found


def _lines(session: Session, conditions: Sequence[ColumnElement[bool]], sees: bool) -> tuple[_WaitingLine, ...]:
    rows: Sequence[Any] = session.execute(_OLDEST_FIRST.where(*conditions)).all()
    return tuple(
        _WaitingLine(
            id=row.id,
            title=row.title,
            version=row.version,
            project=row.project,
            dataset=row.dataset,
            author=row.author,
            since=row.changed_at,
            verdict=row.verdict if sees else None,
            needed=row.checkers_needed,
        )
        for row in rows
    )
