"""Letting an output out: its files, the manifest of their hashes, and the zip that the researcher takes away."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from divulge.errors import StateError
from divulge.ledger import notices, states, trail
from divulge.ledger.clock import database_now
from divulge.ledger.model import News, Release, State, Submission
from divulge.ledger.store import Store
from divulge.ledger.workflow import check_fresh, get_person, lock_submission
from divulge.ledger.written import figures_csv, figures_workbook
from divulge.record import dumps

_MANIFEST = "manifest.json"
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: the same release gives the same bytes


def release(session: Session, by: int, submission_id: int, store: Store) -> Release:
    """Let a submission out, once enough checkers are in favour and none is against."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_release(submission)
    check_fresh(session, submission)
    notices.note(session, submission, News.DECIDED, by=person.id)
    return let_out(session, store, submission, person.id, person.name)


def let_out(
    session: Session, store: Store, submission: Submission, person_id: int, who: str, *, at: datetime | None = None
) -> Release:
    """Write the manifest and the release of a submission on which everything has been checked. at: when; else now."""
    head = trail.read_head(session)
    manifest: dict[str, Any] = {
        "submission": submission.id,
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
    trail.append(session, who, "release", "submission", submission.id, made.details)
    session.info[trail.RELEASED] = True
    return made


def _released_files(store: Store, submission: Submission) -> list[dict[str, Any]]:
    """What leaves, put into the store: figures that were assessed, written by us, and files that checkers approved."""
    sent = {u.name: u for u in submission.uploads}
    files = []
    for output in submission.outputs:
        if output.figures is None:
            raise StateError("the figures of an output are not known.", where=f"submission {submission.id}")
        named = sent.get(str(output.document.get("released")))
        text = figures_csv(output, store.read(named.digest) if named is not None else None)
        files.append(_kept(store, f"output-{output.number}.csv", text.encode(), outputs=[output.number]))
    numbers = [o.number for o in submission.outputs]
    if numbers:
        book = figures_workbook(submission.outputs, _grids(submission))
        files.append(_kept(store, "outputs.xlsx", book, outputs=numbers))
    for upload in submission.uploads:
        if states.may_leave(submission, upload):
            name = f"not-assessed/{upload.name}"
            files.append({"name": name, "sha256": upload.digest, "size": upload.size, "assessed": False})
    return files


def _kept(store: Store, name: str, content: bytes, *, outputs: list[int]) -> dict[str, Any]:
    blob = store.put(content)
    return {"name": name, "sha256": blob.digest, "size": blob.size, "assessed": True, "outputs": outputs}


def _grids(submission: Submission) -> dict[int, Any]:
    """How the figures of each output stand in a table, where an assessment says so."""
    if not submission.assessments:
        return {}
    record = json.loads(submission.assessments[-1].record)
    return {o["number"]: o.get("grid") for o in record.get("outputs") or [] if "number" in o}


def release_zip(store: Store, made: Release) -> bytes:
    """The released files and their manifest, each file checked against its hash. The same release, the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        about = {
            **made.manifest,
            "digest": made.digest,
            "released_at": made.at.isoformat(),
            # Where the trail ended. How long it is would tell how much others do.
            "trail": {"hash": made.trail_hash},
        }
        archive.writestr(zipfile.ZipInfo(_MANIFEST, _ZIP_TIME), dumps(about))
        for file in made.manifest["files"]:
            entry = zipfile.ZipInfo(f"files/{file['name']}", _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, store.read(file["sha256"]))
    return packed.getvalue()
