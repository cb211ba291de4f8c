"""Datasets: what is known of them, and the ledger of everything that was released about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
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


def events_of(session: Session, dataset_ids: Sequence[int]) -> list[_Event]:
    """What left about these data, the oldest first."""
    found = queries.list_releases(session, dataset_ids, per_page=_MOST_EVENTS).items
    events = []
    for release in reversed(found):
        submission = release.submission
        newest = submission.assessments[-1] if submission.assessments else None
        events.append(
            _Event(
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
            picture=_draw(events, limit) if events else None,
            settings=typed if typed is not None else shown,
            can_manage=can_manage,
            can_see=can_see,
        )


_WIDTH, _HEIGHT = 760, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 18, 34


@dataclass(frozen=True)
class _Event:
    """Something that left. risk: the marginal risk of it and everything before together; None where it is not known."""

    at: datetime
    title: str
    submission_id: int
    risk: float | None
    adds: float | None
    exposed: int
    author: str
    dataset: str
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class _Mark:
    """An event's place in the picture."""

    x: float
    y: float
    event: _Event


@dataclass(frozen=True)
class _Picture:
    """Everything that the template draws: places in pixels, words beside them."""

    marks: tuple[_Mark, ...]
    path: str
    area: str
    limit_y: float
    limit: float
    rows: tuple[tuple[float, str], ...]
    columns: tuple[tuple[float, str], ...]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _HEIGHT - _BOTTOM


def _draw(events: Sequence[_Event], limit: float) -> _Picture:
    """Places of the events, oldest first, as shapes without a style. limit: the risk above which one is reviewed."""
    known = [e.risk for e in events if e.risk is not None]
    highest = _round_up(max([limit * 1.25, *known]))
    first, last = events[0].at, events[-1].at
    span = max((last - first).total_seconds(), timedelta(days=1).total_seconds())

    def across(at: datetime) -> float:
        inner = _WIDTH - _LEFT - _RIGHT - 40
        return round(_LEFT + 20 + inner * ((at - first).total_seconds() / span if len(events) > 1 else 0.5), 1)

    def down(risk: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(max(risk, 0.0), highest) / highest), 1)

    marks = tuple(_Mark(across(e.at), down(e.risk or 0.0), e) for e in events)
    steps = [f"M{marks[0].x} {marks[0].y}"]
    for mark in marks[1:]:
        # The risk stays as it was until something else leaves.
        steps.append(f"H{mark.x} V{mark.y}")
    steps.append(f"H{_WIDTH - _RIGHT}")
    path = " ".join(steps)
    floor = _HEIGHT - _BOTTOM
    return _Picture(
        marks=marks,
        path=path,
        area=f"M{marks[0].x} {floor} L{path[1:]} V{floor} Z",
        limit_y=down(limit),
        limit=limit,
        rows=tuple((down(highest * i / 4), f"{highest * i / 4:.3g}") for i in range(5)),
        columns=_columns(events, marks),
    )


def _columns(events: Sequence[_Event], marks: Sequence[_Mark]) -> tuple[tuple[float, str], ...]:
    """Dates below the axis, as many as do not run into each other."""
    found: list[tuple[float, str]] = []
    for event, mark in zip(events, marks, strict=True):
        if not found or mark.x - found[-1][0] > 110:
            found.append((mark.x, f"{event.at.day} {event.at:%b %Y}"))
    return tuple(found)


def _round_up(value: float) -> float:
    """The next number that people like to read on an axis."""
    scale = 10.0**-3
    for step in (1, 2, 4, 5, 8, 10, 20, 40, 50, 80, 100, 200, 400, 500, 800):
        if value <= step * scale:
            return step * scale
    return 1.0
