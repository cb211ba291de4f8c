"""What was released before about the same data, as the assessment wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from divulge.assess import Candidate
from divulge.ledger.model import Dataset, Release, Submission, SubmittedOutput
from divulge.outputs import OUTPUTS


def _same_people(session: Session, fingerprint: str) -> list[int]:
    """The ids of the datasets that are about the same people as the data of this fingerprint; none where unknown."""
    collection = select(Dataset.collection).where(Dataset.fingerprint == fingerprint).scalar_subquery()
    return list(session.scalars(select(Dataset.id).where(Dataset.collection == collection)))


def earlier_outputs(session: Session, fingerprint: str) -> list[Candidate]:
    """Every output released about the same people, the oldest first, with its figures as they were printed."""
    found = _dataset_outputs(session, _same_people(session, fingerprint))
    return [
        Candidate(
            f"submission {output.submission_id}, output {output.number} (released {made.at:%Y-%m-%d})",
            _with_figures(output.document, output.figures or ()),
            output.made or {},
        )
        for output, made in found
    ]


def _with_figures(document: Mapping[str, Any], figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An output's document with its figures in it, instead of the name of a file or the wish to compute them."""
    plain = {name: value for name, value in document.items() if name not in ("released", "compute")}
    can_suppress = any(kind.can_suppress for kind in OUTPUTS if kind.kind == document["kind"])
    if not figures or (not can_suppress and any(f["value"] is None for f in figures)):
        # Where a figure is undefined there is none to give; computed again it is undefined again.
        return {**plain, "compute": True}
    return {**plain, "released": {f["label"]: _figure(f) for f in figures}}


def _figure(figure: Mapping[str, Any]) -> Any:
    return {"value": figure["value"], "se": figure["se"]} if figure.get("se") is not None else figure["value"]


def _dataset_outputs(session: Session, dataset_ids: Sequence[int]) -> Sequence[tuple[SubmittedOutput, Release]]:
    """Every output that was released about some datasets, the oldest release first."""
    found = session.execute(
        select(SubmittedOutput, Release)
        .join(Release, Release.submission_id == SubmittedOutput.submission_id)
        .join(Submission, Submission.id == SubmittedOutput.submission_id)
        .where(Submission.dataset_id.in_(dataset_ids))
        .order_by(Release.id, SubmittedOutput.number)
        .options(joinedload(Release.submission).joinedload(Submission.dataset))
    )
    return [(row[0], row[1]) for row in found]
