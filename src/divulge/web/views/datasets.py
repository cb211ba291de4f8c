"""Datasets: what is known of them, and the ledger of everything that was released about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from fastapi import APIRouter, Request
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.responses import Response

from divulge.errors import DivulgeError, SpecError
from divulge.ledger import datasets as ledger_datasets
from divulge.ledger import queries, states
from divulge.ledger.model import Dataset, Release, Submission
from divulge.policy import make_policy
from divulge.spec.document import parse_yaml
from divulge.table import read_schema, read_table
from divulge.web.access import Form, Id, SignedIn, Visitor, ledger_of
from divulge.web.pages import go, page
from divulge.web.timeline import Event, draw

router = APIRouter(include_in_schema=False)

_MOST_EVENTS = 200  # releases on one time line; more than a picture can tell apart


@router.get("/datasets")
def _list_datasets(request: Request, visitor: SignedIn) -> Response:
    return _list(request, visitor)


@router.post("/datasets")
def _add_dataset(request: Request, form: Form) -> Response:
    states.Rights(form.visitor.person).check_manage_data()
    path, schema = Path(form.text("path")), form.text("schema")
    try:
        if not form.text("name") or not path.is_absolute():
            raise SpecError("a name and the full path of a file are needed.", where="path")
        # Read before the transaction, so that nobody waits for it.
        listed = read_schema(Path(schema)) if schema else None
        table = read_table(path, listed)
        with ledger_of(request).writing() as session:
            made = ledger_datasets.register(
                session,
                form.visitor.person,
                form.text("name", 200),
                path,
                schema=listed,
                table=table,
                collection=form.text("collection", 200) or None,
                settings=_read_settings(form.text("settings")),
            )
            made_id = made.id
    except DivulgeError as error:
        return _list(request, form.visitor, problem=error)
    return go(f"/datasets/{made_id}", "added")


@router.get("/datasets/{dataset_id}")
def _dataset(request: Request, visitor: SignedIn, dataset_id: Id) -> Response:
    return _one(request, visitor, dataset_id)


@router.post("/datasets/{dataset_id}/settings")
def _change_settings(request: Request, form: Form, dataset_id: Id) -> Response:
    states.Rights(form.visitor.person).check_manage_data()
    try:
        with ledger_of(request).writing() as session:
            ledger_datasets.change_settings(
                session, form.visitor.person, dataset_id, _read_settings(form.text("settings"))
            )
    except SpecError as error:
        return _one(request, form.visitor, dataset_id, problem=error, typed=form.text("settings"))
    return go(f"/datasets/{dataset_id}", "saved")


@router.post("/datasets/{dataset_id}/public")
def _change_public(request: Request, form: Form, dataset_id: Id) -> Response:
    states.Rights(form.visitor.person).check_manage_data()
    with ledger_of(request).writing() as session:
        ledger_datasets.change_public(session, form.visitor.person, dataset_id, form.texts("public"))
    return go(f"/datasets/{dataset_id}", "saved")


def _read_settings(text: str) -> dict[str, Any]:
    """What a custodian fixes for every assessment, written as in a spec."""
    return parse_yaml(text) if text else {}


def events_of(session: Session, dataset_ids: Sequence[int]) -> list[Event]:
    """What left about these data, the oldest first."""
    found = queries.list_releases(session, dataset_ids, per_page=_MOST_EVENTS).items
    events = []
    for release in reversed(found):
        submission = release.submission
        newest = submission.assessments[-1] if submission.assessments else None
        events.append(
            Event(
                at=release.at,
                title=submission.title,
                submission_id=submission.id,
                risk=newest.risk if newest else None,
                adds=newest.adds if newest else None,
                exposed=newest.exposed if newest else 0,
                author=submission.author.shown_as,
                dataset=submission.dataset.name,
                outputs=tuple(o.name or o.kind for o in submission.outputs),
            )
        )
    return events


def same_people(session: Session, found: Dataset) -> list[Dataset]:
    """All datasets about the same people, this one among them."""
    statement = select(Dataset).where(Dataset.collection == found.collection).order_by(Dataset.name)
    return list(session.scalars(statement))


def _list(request: Request, visitor: Visitor, problem: DivulgeError | None = None) -> Response:
    person = visitor.person
    can_manage = states.may(states.Rights(person).check_manage_data)
    if not can_manage:
        states.Rights(person).check_see_ledger()
    with ledger_of(request).reading() as session:
        found = queries.list_datasets(session, per_page=500).items
        counted = session.execute(
            select(Submission.dataset_id, func.count(Release.id))
            .join(Release, Release.submission_id == Submission.id)
            .group_by(Submission.dataset_id)
        )
        counts = {row[0]: row[1] for row in counted}
        return page(
            request,
            "datasets",
            visitor,
            problem=problem,
            datasets=found,
            counts=counts,
            can_manage=can_manage,
            can_see=states.may(states.Rights(person).check_see_ledger),
        )


def _one(
    request: Request, visitor: Visitor, dataset_id: int, problem: DivulgeError | None = None, typed: str | None = None
) -> Response:
    can_manage = states.may(states.Rights(visitor.person).check_manage_data)
    can_see = states.may(states.Rights(visitor.person).check_see_ledger)
    if not can_manage:
        states.Rights(visitor.person).check_see_ledger()
    with ledger_of(request).reading() as session:
        found = ledger_datasets.get_dataset(session, dataset_id)
        together = same_people(session, found)
        events = events_of(session, [d.id for d in together]) if can_see else []
        limit = make_policy(found.settings.get("policy")).release_risk
        shown = yaml.safe_dump(found.settings, sort_keys=False, allow_unicode=True) if found.settings else ""
        return page(
            request,
            "dataset",
            visitor,
            problem=problem,
            dataset=found,
            together=together,
            events=events,
            picture=draw(events, limit) if events else None,
            settings=typed if typed is not None else shown,
            can_manage=can_manage,
            can_see=can_see,
        )
