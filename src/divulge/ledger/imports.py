"""Releases that were made outside of the service: a spec, and its record where there is one, put into the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.assess import Plan
from divulge.errors import SpecError
from divulge.ledger import trail
from divulge.ledger.assessing import released_figures
from divulge.ledger.database import Ledger
from divulge.ledger.datasets import register
from divulge.ledger.jobs import store_record
from divulge.ledger.model import Dataset, Person, Project, Release, Role, State, Submission, SubmittedOutput
from divulge.ledger.numbers import draw_numbers
from divulge.ledger.people import add_person, add_project
from divulge.ledger.releases import let_out
from divulge.ledger.trail import Head
from divulge.spec import format_output

_PROJECT = "Released outside of the service"


def add_release(
    ledger: Ledger,
    ready: Plan,
    *,
    by: str,
    title: str,
    dataset: str | None = None,
    collection: str | None = None,
    record: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> tuple[int, Release, Head]:
    """Put the outputs of a spec on record as released: the submission's number, the release, the end of the trail.

    at: when it was released, where it was not now.
    """
    source = ready.assessment.data
    if not isinstance(source, Path):
        raise SpecError(
            "a ledger keeps data by the name of their file, and these live in a database.",
            where="data",
            hint="Name a file of the same people.",
        )
    if record is not None and len(record.get("outputs", [])) != ready.n_new:
        raise SpecError("the record is not of this spec: it has another number of outputs.", where="--record")
    with ledger.writing() as session:
        person, project = _person(session, by), _project(session)
        data = register(
            session,
            None,
            dataset or source.stem[:200],
            source,
            collection=collection,
            table=ready.table,
        )
        submission = _submission(session, ready, person, project, data, title)
        if record is not None:
            stored = store_record(session, submission, record, [o.figures or [] for o in submission.outputs])
            trail.append(session, trail.COMMAND_LINE, "assessed", "submission", submission.id, stored.details)
        made = let_out(session, ledger.store, submission, person.id, trail.COMMAND_LINE, at=at)
    with ledger.reading() as session:
        return submission.id, made, trail.read_head(session)


def _submission(
    session: Session, ready: Plan, person: Person, project: Project, data: Dataset, title: str
) -> Submission:
    """The outputs as somebody would have submitted them, with their figures and their entry in the trail."""
    submission = Submission(
        id=draw_numbers(session, Submission)[0],
        project_id=project.id,
        dataset_id=data.id,
        author_id=person.id,
        title=title,
        origin="import",
        state=State.READY,
    )
    schema = ready.table.schema
    submission.outputs = [
        SubmittedOutput(
            number=i,
            name=(o.name or "")[:300],
            kind=o.kind,
            document=format_output(o),
            variables=list(o.uses(schema)),
            figures=figures,
        )
        for i, (o, figures) in enumerate(zip(ready.outputs, released_figures(ready), strict=False), start=1)
    ]
    session.add(submission)
    session.flush()
    details: dict[str, Any] = {
        "version": 1,
        "replaces": None,
        "dataset": data.fingerprint,
        "origin": "import",
        "outputs": trail.digest([o.document for o in submission.outputs]),
        "uploads": [],
    }
    trail.append(session, trail.COMMAND_LINE, "submit", "submission", submission.id, details)
    return submission


def _person(session: Session, name: str) -> Person:
    found = session.scalars(select(Person).where(Person.name == name)).one_or_none()
    if found is None:
        found = add_person(session, None, name, Role.RESEARCHER)
        # Somebody who is named on the command line cannot log in.
        found.is_active = False
    return found


def _project(session: Session) -> Project:
    found = session.scalars(select(Project).where(Project.name == _PROJECT)).one_or_none()
    return found if found is not None else add_project(session, None, _PROJECT)
