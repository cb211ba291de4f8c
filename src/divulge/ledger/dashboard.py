"""How the checking goes: how much comes and is decided, how long it waits, and whether decisions follow verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from divulge.ledger.model import Project, Submission, TrailEntry, utc_now
from divulge.ledger.states import UNDECIDED

_SUBMITTED = ("submit", "resubmit")
DECIDED = {"release": "released", "return": "returned", "refuse": "refused"}
"""By the action in the audit trail: what was decided. What an author withdraws is no decision."""

VERDICTS = ("release", "review", "refuse", "none")


@dataclass(frozen=True)
class _Week:
    """A week that begins on a Monday: what came, and what was decided."""

    begins: datetime
    submitted: int
    decided: int


@dataclass(frozen=True)
class _OfProject:
    """One project. hours: how long half of its decisions took at most; None where there is none."""

    name: str
    submitted: int
    decided: int
    waiting: int
    hours: float | None


@dataclass(frozen=True)
class _Dashboard:
    """hours, slow_hours: from submission to decision, half and nine tenths took at most so long."""

    submitted: int
    decided: int
    waiting: int
    hours: float | None
    slow_hours: float | None
    weeks: tuple[_Week, ...]
    agreement: dict[str, dict[str, int]]
    """By verdict, how often each decision was taken."""
    projects: tuple[_OfProject, ...]


def find_dashboard(session: Session, days: int, project_id: int | None = None) -> _Dashboard:
    """Of so many days, of all projects or of one. Two queries, of columns alone."""
    since = utc_now() - timedelta(days=days)
    of_project: Sequence[ColumnElement[bool]] = () if project_id is None else (Submission.project_id == project_id,)
    rows = session.execute(
        select(TrailEntry.action, TrailEntry.at, Submission.created_at, Submission.verdict, Project.name)
        .join(Submission, Submission.id == TrailEntry.subject_id)
        .join(Project, Project.id == Submission.project_id)
        .where(
            TrailEntry.subject == "submission",
            TrailEntry.action.in_([*_SUBMITTED, *DECIDED]),
            TrailEntry.at >= since,
            *of_project,
        )
    ).all()
    waiting = _waiting(session, of_project)
    came = [(at, name) for action, at, _, _, name in rows if action in _SUBMITTED]
    ended = [_Ended(action, at, created, verdict or "none", name) for action, at, created, verdict, name in rows]
    ended = [one for one in ended if one.action in DECIDED]
    agreement = {verdict: dict.fromkeys(DECIDED.values(), 0) for verdict in VERDICTS}
    for one in ended:
        agreement[one.verdict if one.verdict in agreement else "none"][DECIDED[one.action]] += 1
    names = sorted({name for _, name in came} | {one.project for one in ended} | set(waiting))
    return _Dashboard(
        submitted=len(came),
        decided=len(ended),
        waiting=waiting.total(),
        hours=_share(ended, 0.5),
        slow_hours=_share(ended, 0.9),
        weeks=_weeks([at for at, _ in came], [one.at for one in ended], since),
        agreement=agreement,
        projects=tuple(
            _OfProject(
                name,
                sum(n == name for _, n in came),
                sum(one.project == name for one in ended),
                waiting[name],
                _share([one for one in ended if one.project == name], 0.5),
            )
            for name in names
        ),
    )


def _waiting(session: Session, of_project: Sequence[ColumnElement[bool]]) -> Counter[str]:
    """By project, how many submissions wait for a decision now."""
    rows = session.execute(
        select(Project.name, func.count())
        .join(Submission, Submission.project_id == Project.id)
        .where(Submission.state.in_(UNDECIDED), *of_project)
        .group_by(Project.name)
    )
    return Counter({str(row[0]): int(row[1]) for row in rows})


@dataclass(frozen=True)
class _Ended:
    action: str
    at: datetime
    created: datetime
    verdict: str
    project: str

    @property
    def hours(self) -> float:
        return max(0.0, (self.at - self.created).total_seconds() / 3600)


def _share(ended: Iterable[_Ended], share: float) -> float | None:
    """The hours that so large a share of decisions took at most."""
    found = sorted(one.hours for one in ended)
    if not found:
        return None
    return median(found) if share == 0.5 else found[min(len(found) - 1, int(share * len(found)))]


def _weeks(came: Sequence[datetime], ended: Sequence[datetime], since: datetime) -> tuple[_Week, ...]:
    first, last = _monday(since), _monday(utc_now())
    submitted, decided = Counter(map(_monday, came)), Counter(map(_monday, ended))
    weeks = []
    while first <= last:
        weeks.append(_Week(first, submitted[first], decided[first]))
        first += timedelta(days=7)
    return tuple(weeks)


def _monday(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=at.weekday())
