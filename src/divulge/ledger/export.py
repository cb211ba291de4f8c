"""The whole ledger as plain data, for an archive or another program: no passwords, no sessions, no row of any data."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import inspect, select
from sqlalchemy.orm import Session, undefer

from divulge.ledger import trail
from divulge.ledger.model import (
    Assignment,
    Base,
    CheckerDecision,
    Comment,
    Dataset,
    Job,
    Membership,
    Person,
    Project,
    ProjectDataset,
    Release,
    StoredAssessment,
    Submission,
    SubmittedOutput,
    TrailEntry,
    Upload,
)
from divulge.record import FORMAT_VERSION

_TABLES: tuple[type[Base], ...] = (
    Dataset,
    Person,
    Project,
    Membership,
    ProjectDataset,
    Submission,
    SubmittedOutput,
    Upload,
    StoredAssessment,
    Comment,
    Assignment,
    CheckerDecision,
    Release,
    Job,
    TrailEntry,
)
"""What is exported, in an order in which every row comes after those that it names."""

_SECRET = {"password_hash", "form_token", "lease"}  # columns that let somebody in, or stand in for somebody


def export(session: Session, *, records: bool = False) -> dict[str, Any]:
    """Every table as a list of rows. records: the assessments' records too, which are long."""
    head = trail.read_head(session)
    document: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "trail": {"count": head.count, "hash": head.hash},
    }
    for kind in _TABLES:
        # The list of entries would take the place of the head.
        name = "entries" if kind is TrailEntry else str(kind.__tablename__)
        document[name] = [_row(row, records) for row in _rows(session, kind, records)]
    return document


def _rows(session: Session, kind: type[Base], records: bool) -> Any:
    statement = select(kind).order_by(*inspect(kind).primary_key)
    if kind is StoredAssessment and records:
        statement = statement.options(undefer(StoredAssessment.record))
    return session.scalars(statement)


def _row(row: Base, records: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for column in inspect(type(row)).columns:
        if column.key in _SECRET or (column.key == "record" and not records):
            continue
        value = getattr(row, str(column.key))
        if column.key == "record":
            value = json.loads(value)
        found[str(column.key)] = value.isoformat() if hasattr(value, "isoformat") else value
    return found
