"""Letting an output out: its files, the manifest of their hashes, and the zip that the researcher takes away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from divulge.errors import StateError
from divulge.ledger import states, trail
from divulge.ledger.database import database_now
from divulge.ledger.model import Release, State, Submission, SubmittedOutput
from divulge.ledger.store import Store
from divulge.ledger.workflow import get_person, lock_submission
from divulge.record import csv_text, dumps, no_formula

_MANIFEST = "manifest.json"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: the same release gives the same bytes


def release(session: Session, by: int, submission_id: int, store: Store) -> Release:
    """Let a submission out, once enough checkers are in favour and none is against."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.check_release(person, submission)
    return let_out(session, store, submission, person.id, person.name)


def let_out(
    session: Session, store: Store, submission: Submission, person_id: int, who: str, *, at: datetime | None = None
) -> Release:
    """Write the manifest and the release of a submission on which everything has been checked. at: when; else now."""
    head = trail.read_head(session)
    manifest: dict[str, Any] = {
        "submission": submission.id,
        "title": submission.title,
        "dataset": submission.dataset.fingerprint,
        "files": _released_files(store, submission),
    }
    made = Release(
        submission_id=submission.id,
        person_id=person_id,
        manifest=manifest,
        digest=trail.digest(manifest),
        trail_count=head.count,
        trail_hash=head.hash,
        at=at or database_now(session),
    )
    session.add(made)
    states.check_transition(submission, State.RELEASED)
    submission.state, submission.changed_at = State.RELEASED, made.at
    session.flush()
    trail.append(session, who, "release", "submission", submission.id, release_details(made))
    return made


def release_details(made: Release) -> dict[str, Any]:
    """What the trail says of a release; `verify` compares it with the row."""
    return {"release": made.id, "manifest": made.digest, "at": made.at.isoformat(timespec="microseconds")}


def _released_files(store: Store, submission: Submission) -> list[dict[str, Any]]:
    """What leaves: the files that came with it, and a table of figures for each output. They are put into the store."""
    files = [{"name": u.name, "sha256": u.digest, "size": u.size} for u in submission.uploads]
    taken = {u.name.casefold() for u in submission.uploads}
    for output in submission.outputs:
        if output.figures is None:
            raise StateError("the figures of an output are not known.", where=f"submission {submission.id}")
        name = f"output-{output.number}.csv"
        while name.casefold() in taken:
            name = f"figures-{name}"
        taken.add(name.casefold())
        blob = store.put(_figures_csv(output).encode())
        files.append({"name": name, "sha256": blob.digest, "size": blob.size, "output": output.number})
    return files


def _figures_csv(output: SubmittedOutput) -> str:
    """The figures of an output as they were printed: term, value and, where there are any, se."""
    figures: Sequence[Any] = output.figures or []
    with_se = any("se" in f for f in figures)
    rows = [["term", "value", "se"]]
    for figure in figures:
        value = "suppressed" if figure["value"] is None else figure["value"]
        rows.append([no_formula(figure["label"]), value, figure.get("se") or ""])
    return csv_text(rows if with_se else [row[:2] for row in rows])


def release_zip(store: Store, made: Release) -> bytes:
    """The released files and their manifest, each file checked against its hash. The same release, the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        about = {
            **made.manifest,
            "digest": made.digest,
            "released_at": made.at.isoformat(),
            "trail": {"count": made.trail_count, "hash": made.trail_hash},
        }
        archive.writestr(zipfile.ZipInfo(_MANIFEST, _ZIP_TIME), dumps(about))
        for file in made.manifest["files"]:
            entry = zipfile.ZipInfo(f"files/{file['name']}", _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, store.read(file["sha256"]))
    return packed.getvalue()
