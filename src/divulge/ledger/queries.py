"""Lists for people to look at: a page at a time, only what they may see, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Select, func, select, true
from sqlalchemy.orm import Session, joinedload, selectinload

from divulge.errors import NotFoundError
from divulge.ledger import states
from divulge.ledger.model import (
    Assignment,
    CheckerDecision,
    Comment,
    Dataset,
    Membership,
    Person,
    Project,
    ProjectDataset,
    Release,
    State,
    StoredAssessment,
    Submission,
    TrailEntry,
)

T = TypeVar("T")

_PER_PAGE = 50  # rows of a page: two screens


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. number starts at 1; total: rows on all pages."""

    items: Sequence[T]
    total: int
    number: int
    per_page: int = _PER_PAGE

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.per_page))


def list_submissions(
    session: Session,
    *,
    state: State | None = None,
    dataset_id: int | None = None,
    page: int = 1,
    per_page: int = _PER_PAGE,
) -> Page[Submission]:
    """All submissions, the newest first, with author, project, dataset, checkers and decisions. Four queries.

    For the command line, and whoever may read the file. `divulge.ledger.listing` has the list that people see.
    """
    condition = true() if state is None else Submission.state == state
    if dataset_id is not None:
        condition = condition & (Submission.dataset_id == dataset_id)
    statement = (
        select(Submission)
        .where(condition)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .options(
            joinedload(Submission.author),
            joinedload(Submission.project),
            joinedload(Submission.dataset),
            selectinload(Submission.assignments).joinedload(Assignment.person),
            selectinload(Submission.decisions),
        )
    )
    return _page(session, statement, select(func.count(Submission.id)).where(condition), page, per_page)


def find_submission(session: Session, person: Person | None, submission_id: int) -> Submission:
    """A submission with everything about it, where the person may see it; else it is as if there were none."""
    found = session.scalars(
        select(Submission)
        # Asked of the database, so that what is not theirs takes no longer than what was never there.
        .where(Submission.id == submission_id, visible(person))
        .options(
            joinedload(Submission.author),
            joinedload(Submission.project).selectinload(Project.memberships),
            joinedload(Submission.dataset),
            joinedload(Submission.release),
            joinedload(Submission.replaced_by),
            selectinload(Submission.outputs),
            selectinload(Submission.uploads),
            selectinload(Submission.assessments),
            selectinload(Submission.comments).joinedload(Comment.person),
            selectinload(Submission.assignments).joinedload(Assignment.person),
            selectinload(Submission.decisions).joinedload(CheckerDecision.person),
        )
    ).one_or_none()
    if found is None or (person is not None and not states.may(states.Rights(person).check_see, found)):
        raise NotFoundError(f"there is no submission {submission_id}.", hint="Or it is somebody else's.")
    return found


def find_record(session: Session, assessment_id: int) -> str:
    """The record of an assessment as JSON text."""
    text = session.scalars(select(StoredAssessment.record).where(StoredAssessment.id == assessment_id)).one_or_none()
    if text is None:
        raise NotFoundError(f"there is no assessment {assessment_id}.")
    return text


def list_releases(
    session: Session, dataset_ids: Sequence[int] | None = None, *, page: int = 1, per_page: int = _PER_PAGE
) -> Page[Release]:
    """What left, the newest first, with its submission, author and dataset; of some datasets, or of all."""
    condition = true() if dataset_ids is None else Submission.dataset_id.in_(dataset_ids)
    statement = (
        select(Release)
        .join(Release.submission)
        .where(condition)
        .order_by(Release.id.desc())
        .options(
            joinedload(Release.person),
            joinedload(Release.submission).joinedload(Submission.author),
            joinedload(Release.submission).joinedload(Submission.dataset),
            joinedload(Release.submission).selectinload(Submission.outputs),
            joinedload(Release.submission).selectinload(Submission.assessments),
        )
    )
    count = select(func.count(Release.id)).join(Release.submission).where(condition)
    return _page(session, statement, count, page, per_page)


def list_datasets(
    session: Session, person: Person | None = None, *, page: int = 1, per_page: int = _PER_PAGE
) -> Page[Dataset]:
    """Datasets: those of their projects for whoever neither checks nor manages data; for the others all."""
    condition = _known_to(person)
    statement = select(Dataset).where(condition).order_by(Dataset.name)
    return _page(session, statement, select(func.count(Dataset.id)).where(condition), page, per_page)


def open_datasets(session: Session, project_ids: Sequence[int]) -> dict[int, list[Dataset]]:
    """By project, the datasets that its members work with."""
    found = session.execute(
        select(ProjectDataset.project_id, Dataset)
        .join(Dataset, Dataset.id == ProjectDataset.dataset_id)
        .where(ProjectDataset.project_id.in_(project_ids))
        .order_by(Dataset.name)
    )
    by_project: dict[int, list[Dataset]] = {}
    for project_id, dataset in found:
        by_project.setdefault(project_id, []).append(dataset)
    return by_project


def list_people(session: Session, *, page: int = 1, per_page: int = _PER_PAGE) -> Page[Person]:
    return _page(session, select(Person).order_by(Person.name), select(func.count(Person.id)), page, per_page)


def list_projects(
    session: Session, person: Person | None, *, page: int = 1, per_page: int = _PER_PAGE
) -> Page[Project]:
    """Projects: a researcher's own, everybody else's all."""
    condition = _open_to(person)
    statement = select(Project).where(condition).order_by(Project.name).options(selectinload(Project.memberships))
    return _page(session, statement, select(func.count(Project.id)).where(condition), page, per_page)


def list_names(session: Session, person: Person, *, most: int = 200) -> tuple[Sequence[Any], Sequence[Any]]:
    """Projects that a person may see, and datasets: number and name of each, to choose from."""
    projects = select(Project.id, Project.name).where(_open_to(person)).order_by(Project.name).limit(most)
    datasets = select(Dataset.id, Dataset.name).where(_known_to(person)).order_by(Dataset.name).limit(most)
    return session.execute(projects).all(), session.execute(datasets).all()


def history(session: Session, submission_id: int, *, subject: str = "submission") -> Sequence[TrailEntry]:
    """The entries of the audit trail about one submission, in order. subject: `view` for who saw or took what of it."""
    return session.scalars(
        select(TrailEntry)
        .where(TrailEntry.subject == subject, TrailEntry.subject_id == submission_id)
        .order_by(TrailEntry.number)
    ).all()


def visible(person: Person | None) -> ColumnElement[bool]:
    """The condition under which a person may see a submission; `Rights.check_see` in the language of the database."""
    if person is None or person.role in states.OVERSEEING:
        return true()
    return Submission.author_id == person.id


def _open_to(person: Person | None) -> ColumnElement[bool]:
    if person is not None and person.role == "researcher":
        return Project.memberships.any(person_id=person.id)
    return true()


def _known_to(person: Person | None) -> ColumnElement[bool]:
    if person is None or person.role != "researcher":
        return true()
    mine = (
        select(ProjectDataset.dataset_id)
        .join(Membership, Membership.project_id == ProjectDataset.project_id)
        .where(Membership.person_id == person.id)
    )
    return Dataset.id.in_(mine)


def _page(session: Session, statement: Select[T], count: Select[int], number: int, per_page: int) -> Page[T]:
    at, size = max(1, number), min(max(1, per_page), 500)
    total = session.scalars(count).one()
    items = session.scalars(statement.limit(size).offset((at - 1) * size)).unique().all()
    return Page(items, total, at, size)
