"""The list of submissions: who sees which, filters, search and pages. A fixed number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, false, func, or_, select
from sqlalchemy.orm import Session

from divulge.ledger.model import (
    Assignment,
    CheckerDecision,
    Choice,
    Dataset,
    Job,
    JobState,
    Person,
    Project,
    State,
    Submission,
    SubmittedOutput,
)
from divulge.ledger.queries import visible
from divulge.ledger.states import OVERSEEING
from divulge.web.access import whole_number

PAGE = 25
"""Entries of one page: what fits on two screens."""

WHOSE = ("assigned", "unassigned", "mine", "undecided")
"""assigned: to me; unassigned: to nobody; mine: submitted by me; undecided: where my decision can still be given."""


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to. whose: one of WHOSE, or empty."""

    state: str = ""
    project: int | None = None
    dataset: int | None = None
    whose: str = ""
    q: str = ""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """From an address. What makes no sense is left out: an old link still shows something."""

        def number(name: str) -> int | None:
            return whole_number(query.get(name, ""))

        state = query.get("state", "")
        whose = query.get("whose", "")
        return cls(
            state=state if state in set(State) else "",
            project=number("project"),
            dataset=number("dataset"),
            whose=whose if whose in WHOSE else "",
            q=query.get("q", "").replace("\x00", "").strip()[:200],
            page=max(number("page") or 1, 1),
        )

    def as_query(self) -> dict[str, Any]:
        kept = asdict(self)
        kept.pop("page")
        return kept

    @property
    def is_any(self) -> bool:
        """Whether anything but the state is asked for."""
        return bool(self.project or self.dataset or self.whose or self.q)


@dataclass(frozen=True)
class Line:
    """One submission as a list shows it. verdict: None for whoever may not see it."""

    id: int
    title: str
    state: State
    version: int
    verdict: str | None
    project: str
    author: str
    dataset: str
    created_at: Any
    changed_at: Any
    checkers: tuple[str, ...]
    in_favour: int
    against: int
    needed: int
    job: Job | None

    @property
    def has_failed(self) -> bool:
        return self.job is not None and self.job.state is JobState.FAILED and self.state is State.SUBMITTED


@dataclass(frozen=True)
class Listing:
    """One page of a list. counts: how many there are in each state, whatever state is asked for."""

    lines: tuple[Line, ...]
    filters: Filters
    total: int
    counts: Mapping[str, int]

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE))


def list_submissions(session: Session, person: Person, filters: Filters) -> Listing:
    """One page of what somebody may see, the newest first."""
    wanted = and_(visible(person), *_conditions(person, filters))
    by_state = _joined(select(Submission.state, func.count()), filters).where(wanted).group_by(Submission.state)
    counted = session.execute(by_state)
    counts = {str(state): count for state, count in counted}
    total = counts.get(filters.state, 0) if filters.state else sum(counts.values())
    found = session.execute(
        _joined(
            select(
                Submission.id,
                Submission.title,
                Submission.state,
                Submission.version,
                Submission.verdict,
                Submission.created_at,
                Submission.changed_at,
                Submission.checkers_needed,
                Project.name.label("project"),
                Dataset.name.label("dataset"),
                func.coalesce(func.nullif(Person.full_name, ""), Person.name).label("author"),
            ),
            Filters(q=filters.q or " "),
        )
        .join(Submission.project)
        .join(Submission.dataset)
        .where(wanted, *([Submission.state == State(filters.state)] if filters.state else []))
        .order_by(Submission.id.desc())
        .limit(PAGE)
        .offset((filters.page - 1) * PAGE)
    ).all()
    ids = [row.id for row in found]
    checkers, votes, jobs = _checkers(session, ids), _votes(session, ids), latest_jobs(session, ids)
    sees = person.role in OVERSEEING
    lines = tuple(
        Line(
            id=row.id,
            title=row.title,
            state=row.state,
            version=row.version,
            verdict=row.verdict if sees else None,
            project=row.project,
            author=row.author,
            dataset=row.dataset,
            created_at=row.created_at,
            changed_at=row.changed_at,
            checkers=tuple(checkers.get(row.id, ())) if sees else (),
            in_favour=votes.get((row.id, Choice.RELEASE), 0) if sees else 0,
            against=votes.get((row.id, Choice.REFUSE), 0) if sees else 0,
            needed=row.checkers_needed,
            job=jobs.get(row.id),
        )
        for row in found
    )
    return Listing(lines, filters, total, counts)


def latest_jobs(session: Session, ids: list[int]) -> dict[int, Job]:
    """The latest job of each of these submissions."""
    if not ids:
        return {}
    newest = select(func.max(Job.id)).where(Job.submission_id.in_(ids)).group_by(Job.submission_id)
    return {job.submission_id: job for job in session.scalars(select(Job).where(Job.id.in_(newest)))}


def _joined(statement: Any, filters: Filters) -> Any:
    # The author's name is looked at only where something is searched for.
    return statement.join(Submission.author) if filters.q else statement.select_from(Submission)


def _conditions(person: Person, filters: Filters) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if filters.project is not None:
        found.append(Submission.project_id == filters.project)
    if filters.dataset is not None:
        found.append(Submission.dataset_id == filters.dataset)
    if filters.whose == "mine":
        found.append(Submission.author_id == person.id)
    if filters.whose in ("assigned", "unassigned"):
        of_it = select(Assignment.submission_id).where(Assignment.submission_id == Submission.id)
        mine = of_it.where(Assignment.person_id == person.id)
        found.append(mine.exists() if filters.whose == "assigned" else ~of_it.exists())
    if filters.whose == "undecided":
        decided = select(CheckerDecision.id).where(
            CheckerDecision.submission_id == Submission.id, CheckerDecision.person_id == person.id
        )
        found += [Submission.state == State.READY, Submission.author_id != person.id, ~decided.exists()]
    if filters.q:
        found.append(_matches(filters.q))
    return found


def _matches(text: str) -> ColumnElement[bool]:
    """A title, an author, a kind or name of an output, or a number, with or without its sign."""
    number = whole_number(text.removeprefix("#"))
    by_number = false() if number is None else Submission.id == number
    outputs = select(SubmittedOutput.id).where(
        SubmittedOutput.submission_id == Submission.id,
        or_(SubmittedOutput.name.icontains(text, autoescape=True), SubmittedOutput.kind == text.casefold()),
    )
    return or_(
        by_number,
        Submission.title.icontains(text, autoescape=True),
        Person.name.icontains(text, autoescape=True),
        Person.full_name.icontains(text, autoescape=True),
        outputs.exists(),
    )


def _checkers(session: Session, ids: list[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    if ids:
        rows = session.execute(
            select(Assignment.submission_id, Person.full_name, Person.name)
            .join(Assignment.person)
            .where(Assignment.submission_id.in_(ids))
            .order_by(Person.name)
        )
        for submission_id, full_name, name in rows:
            found.setdefault(submission_id, []).append(full_name or name)
    return found


def _votes(session: Session, ids: list[int]) -> dict[tuple[int, Choice], int]:
    if not ids:
        return {}
    rows = session.execute(
        select(CheckerDecision.submission_id, CheckerDecision.choice, func.count())
        .where(CheckerDecision.submission_id.in_(ids))
        .group_by(CheckerDecision.submission_id, CheckerDecision.choice)
    )
    return {(submission_id, choice): count for submission_id, choice, count in rows}
