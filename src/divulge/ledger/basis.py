"""What a verdict rests on, as digests: where any of it has changed since, the verdict counts no more."""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge import __version__
from divulge.ledger import trail
from divulge.ledger.model import Dataset, Release, Submission
from divulge.ledger.proposals import HANDED_IN

_WORDS = {
    "outputs": "the outputs or their files",
    "data": "the data",
    "settings": "the settings of the dataset, its policy among them",
    "program": "the version of Divulge, and its rules with it",
    "releases": "what was released about the same people",
}
"""What each part is, for people."""


def find_basis(session: Session, submission: Submission) -> dict[str, Any]:
    """What an assessment of a submission would rest on now."""
    dataset = submission.dataset
    return {
        "outputs": trail.digest([_documents(submission), _files(submission)]),
        "data": trail.digest([dataset.fingerprint, dataset.path, dataset.schema]),
        "file": _seen(dataset.path),
        "settings": trail.digest(dataset.settings),
        "program": __version__,
        "releases": trail.digest(_released(session, dataset.collection)),
    }


def changed_since(basis: dict[str, Any] | None, now: dict[str, Any]) -> list[str]:
    """What has changed, in words; empty where nothing has. basis: None where it is not known what it was."""
    if basis is None:
        return ["what it rests on is not known"]
    found = [words for part, words in _WORDS.items() if basis.get(part) != now[part]]
    # A service that does not see the data's file leaves it to the worker, which compares what the file holds.
    if None not in (basis.get("file"), now["file"]) and basis["file"] != now["file"] and _WORDS["data"] not in found:
        found.append(_WORDS["data"])
    return found


def lock_people(session: Session, dataset: Dataset) -> None:
    """Let nobody else release anything about the same people, or change their settings, until this transaction ends.

    SQLite lets one writer in at a time; on PostgreSQL the rows of the datasets are locked, in the order of their ids.
    """
    statement = select(Dataset).where(Dataset.collection == dataset.collection).order_by(Dataset.id).with_for_update()
    session.scalars(statement.execution_options(populate_existing=True)).all()


def _documents(submission: Submission) -> list[dict[str, Any]]:
    """The outputs that somebody sent. Those that a worker finds in files follow from the files."""
    return [] if submission.origin == HANDED_IN else [o.document for o in submission.outputs]


def _files(submission: Submission) -> list[list[str]]:
    return sorted([u.name, u.digest, u.use] for u in submission.uploads)


def _released(session: Session, collection: str) -> list[int]:
    found = session.scalars(
        select(Release.id)
        .join(Release.submission)
        .join(Submission.dataset)
        .where(Dataset.collection == collection)
        .order_by(Release.id)
    )
    return list(found)


def _seen(path: str) -> list[int] | None:
    """Size and time of the file of the data; None where this machine does not see it."""
    try:
        found = os.stat(path)  # noqa: PTH116  # a path that the custodian wrote, which may be no path at all
    except (OSError, ValueError):
        return None
    return [found.st_size, found.st_mtime_ns]
