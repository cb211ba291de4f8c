"""The list of submissions: who sees which, filters, search and pages. A fixed number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, String, and_, bindparam, false, func, or_, select, true, type_coerce
from sqlalchemy.orm import Session

from divulge.ledger.model import (
    Assignment,
    CheckerDecision,
    Dataset,
    Job,
    JobState,
    Person,
    Project,
    State,
    StoredAssessment,
    Submission,
    SubmittedOutput,
)
from divulge.ledger.proposals import HANDED_IN
from divulge.ledger.queries import Page, visible
from divulge.ledger.states import OVERSEEING, UNDECIDED

_PAGE = 25  # what fits on two screens

_WHOSE = ("assigned", "unassigned", "mine", "undecided")
"""assigned: to me; unassigned: to nobody; mine: submitted by me; undecided: where my decision can still be given."""


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to. whose: one of _WHOSE, or empty."""

    state: str = ""
    project: int | None = None
    dataset: int | None = None
    whose: str = ""
    q: str = ""
    page: int = 1

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """The filters that an address names. Words that make no sense are left out, so that an old link still shows
        something."""

        def number(name: str) -> int | None:
            return whole_number(query.get(name, ""))

        state = query.get("state", "")
        whose = query.get("whose", "")
        return cls(
            state=state if state in set(State) else "",
            project=number("project"),
            dataset=number("dataset"),
            whose=whose if whose in _WHOSE else "",
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
class _ListedSubmission:
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
    decided: int
    """How many have decided; what, is not told before all have."""
    needed: int
    has_failed: bool
    """Whether its latest assessment failed and it waits for another."""


@dataclass(frozen=True)
class _Listing(Page[_ListedSubmission]):
    """One page of the list. counts: how many there are in each state, whatever state is asked for."""

    counts: Mapping[str, int] = field(default_factory=dict)


_NEWEST_FIRST = (Submission.created_at.desc(), Submission.id.desc())

LINES = (
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
    )
    .join(Submission.author)
    .join(Submission.project)
    .join(Submission.dataset)
    .order_by(*_NEWEST_FIRST)
)
"""What a list shows of submissions, columns alone: whole objects take twice as long to make. Built once, as below."""


def list_submissions(session: Session, person: Person, filters: Filters) -> _Listing:
    """One page of what somebody may see, the newest first."""
    if person.role not in OVERSEEING:
        filters = _as_asked(filters)
    wanted = and_(visible(person), *_conditions(person, filters))
    # Most of what follows is of no use to a reader who may not see it, or in a state that has none of it.
    sees = person.role in OVERSEEING
    asked = (filters.state,) if sees or filters.state not in UNDECIDED else UNDECIDED
    counts, of_page = (_searched if filters.q else _counted)(session, wanted, filters, asked)
    found = session.execute(of_page).all() if of_page is not None else []
    checkers = _checkers(session, [row.id for row in found]) if sees else {}
    votes = _votes(session, [row.id for row in found if row.state is State.READY]) if sees else {}
    failed = _failed(session, [row.id for row in found if row.state is State.SUBMITTED]) if sees else set()
    items = tuple(
        _ListedSubmission(
            id=row.id,
            title=row.title,
            state=row.state if sees or row.state not in UNDECIDED else State.SUBMITTED,
            version=row.version,
            verdict=row.verdict if sees else None,
            project=row.project,
            author=row.author,
            dataset=row.dataset,
            created_at=row.created_at,
            changed_at=row.changed_at if sees or row.state not in UNDECIDED else row.created_at,
            checkers=tuple(checkers.get(row.id, ())),
            decided=votes.get(row.id, 0),
            needed=row.checkers_needed,
            has_failed=row.id in failed,
        )
        for row in found
    )
    if not sees:
        counts = _as_told(counts)
    total = counts.get(filters.state, 0) if filters.state else sum(counts.values())
    return _Listing(items, total, filters.page, _PAGE, counts)


def _as_asked(filters: Filters) -> Filters:
    """What whoever does not oversee submissions may ask: not how far one is, and not who looks after it."""
    state = State.SUBMITTED if filters.state in UNDECIDED else filters.state
    return replace(filters, state=state, whose=filters.whose if filters.whose == "mine" else "")


def _as_told(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts for people who are not told how far an assessment is."""
    told = {state: n for state, n in counts.items() if state not in UNDECIDED}
    undecided = sum(counts.get(state, 0) for state in UNDECIDED)
    return {**told, State.SUBMITTED.value: undecided} if undecided else told


def _counted(
    session: Session, wanted: ColumnElement[bool], filters: Filters, asked: Sequence[str]
) -> tuple[Mapping[str, int], Any]:
    """How many there are in each state, and the statement of the page: by indexes, a page is found at once."""
    by_state = select(Submission.state, func.count()).where(wanted).group_by(Submission.state)
    counts = {str(state): count for state, count in session.execute(by_state)}
    of_page = LINES.where(wanted).limit(_PAGE).offset((filters.page - 1) * _PAGE)
    return counts, of_page.where(Submission.state.in_([State(s) for s in asked])) if filters.state else of_page


def _searched(
    session: Session, wanted: ColumnElement[bool], filters: Filters, asked: Sequence[str]
) -> tuple[Mapping[str, int], Any]:
    """The same for a search, which reads everything: once, for the counts and the page together."""
    matches = select(Submission.id, type_coerce(Submission.state, String)).where(wanted)
    found = session.execute(matches.order_by(*_NEWEST_FIRST)).all()
    ids = [number for number, state in found if not filters.state or state in asked]
    shown = ids[(filters.page - 1) * _PAGE : filters.page * _PAGE]
    return Counter(state for _, state in found), LINES.where(Submission.id.in_(shown)) if shown else None


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
            CheckerDecision.submission_id == Submission.id,
            CheckerDecision.person_id == person.id,
            CheckerDecision.assessment_id == _NEWEST,
        )
        found += [Submission.state == State.READY, Submission.author_id != person.id, ~decided.exists()]
    if filters.q:
        found.append(_matches(person, filters.q))
    return found


def _matches(person: Person, text: str) -> ColumnElement[bool]:
    """A title, an author, a kind or name of an output, or a number, with or without its sign.

    People and outputs are searched once and by themselves, not again for every submission. What was found in files is
    searched for those who oversee submissions alone: a table is found there where the data confirm it.
    """
    number = whole_number(text.removeprefix("#"))
    by_number = Submission.id == number if number is not None else false()
    authors = select(Person.id).where(
        or_(Person.name.icontains(text, autoescape=True), Person.full_name.icontains(text, autoescape=True))
    )
    outputs = select(SubmittedOutput.submission_id).where(
        or_(SubmittedOutput.name.icontains(text, autoescape=True), SubmittedOutput.kind == text.casefold())
    )
    told = or_(Submission.origin.not_in(("acro", HANDED_IN)), Submission.state == State.RELEASED)
    return or_(
        by_number,
        Submission.title.icontains(text, autoescape=True),
        Submission.author_id.in_(authors),
        and_(true() if person.role in OVERSEEING else told, Submission.id.in_(outputs)),
    )


_THESE: Any = bindparam("these", expanding=True)

_CHECKERS = (
    select(Assignment.submission_id, Person.full_name, Person.name)
    .join(Assignment.person)
    .where(Assignment.submission_id.in_(_THESE))
    .order_by(Person.name)
)

_NEWEST = (
    select(func.max(StoredAssessment.id))
    .where(StoredAssessment.submission_id == CheckerDecision.submission_id)
    .scalar_subquery()
)
"""The assessment on which a decision counts."""

_VOTES = (
    select(CheckerDecision.submission_id, func.count())
    .where(CheckerDecision.submission_id.in_(_THESE), CheckerDecision.assessment_id == _NEWEST)
    .group_by(CheckerDecision.submission_id)
)

_FAILED = select(Job.submission_id).where(
    Job.state == JobState.FAILED,
    Job.id.in_(select(func.max(Job.id)).where(Job.submission_id.in_(_THESE)).group_by(Job.submission_id)),
)


def _checkers(session: Session, ids: list[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for submission_id, full_name, name in session.execute(_CHECKERS, {"these": ids}) if ids else ():
        found.setdefault(submission_id, []).append(full_name or name)
    return found


def _votes(session: Session, ids: list[int]) -> dict[int, int]:
    return {row[0]: row[1] for row in session.execute(_VOTES, {"these": ids})} if ids else {}


def _failed(session: Session, ids: list[int]) -> set[int]:
    """Those whose latest job failed."""
    return set(session.scalars(_FAILED, {"these": ids})) if ids else set()


def whole_number(text: str, digits: int = 9) -> int | None:
    """What somebody wrote as a whole number of at most so many digits, which every database holds; None otherwise."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
