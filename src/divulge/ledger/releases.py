"""Letting an output out: its files, the manifest of their hashes, and the zip that the researcher takes away.

The files are written here from the figures that were assessed, and nothing that somebody sent is copied: labels are
those of the output, values those of the assessment, and rows stand in the output's own order. So neither a column, nor
a cell, nor the order of rows can carry anything out.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from sqlalchemy.orm import Session

from divulge.errors import StateError
from divulge.ledger import notices, states, trail
from divulge.ledger.clock import database_now
from divulge.ledger.model import News, Release, State, Submission, SubmittedOutput
from divulge.ledger.store import Store
from divulge.ledger.workflow import check_fresh, get_person, lock_submission
from divulge.outputs.released.reading import LABEL_COLUMNS
from divulge.record import csv_text, dumps, no_formula

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
        text = _figures_csv(output, store.read(named.digest) if named is not None else None)
        files.append(_kept(store, f"output-{output.number}.csv", text.encode(), outputs=[output.number]))
    numbers = [o.number for o in submission.outputs]
    if numbers:
        book = _figures_workbook(submission.outputs, _grids(submission))
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


_Rows = list[list[str]]


def _figures_csv(output: SubmittedOutput, sent: bytes | None = None) -> str:
    """The figures of an output. sent: the file in which they came; with a column for each variable, so do they leave.

    Of that file only its header is looked at, and of the header only whether it has a column of labels.
    """
    rows = _spread(output) if sent is not None and not _has_labels(sent) else None
    return csv_text(rows or _listed(output))


def _figures_workbook(outputs: Sequence[SubmittedOutput], grids: Mapping[int, Any]) -> bytes:
    """All outputs as a workbook of Excel's, a sheet each. grids: by an output's number, how its figures stand."""
    sheets = {f"Output {o.number}": _in_grid(o, grids.get(o.number)) or _listed(o) for o in outputs}
    return _workbook(sheets)


def _listed(output: SubmittedOutput) -> _Rows:
    """A figure on each row: its label, its value and, where there are any, standard errors."""
    figures = output.figures or []
    rows = [["term", "value", "se"]]
    rows += [[no_formula(f["label"]), _shown(f), f.get("se") or ""] for f in figures]
    return rows if any(f.get("se") is not None for f in figures) else [row[:2] for row in rows]


def _spread(output: SubmittedOutput) -> _Rows | None:
    """A column for each variable that the labels name; None where a label is not made of `NAME=value`."""
    names = [str(name) for name in output.document.get("variables") or ()]
    figures = output.figures or []
    if not names or any(f.get("se") is not None for f in figures):
        return None
    pattern = re.compile(" & ".join(f"{re.escape(name)}=(.*)" for name in names), re.DOTALL)
    found = [pattern.fullmatch(f["label"]) for f in figures]
    parts = [[no_formula(text) for text in one.groups()] for one in found if one is not None]
    if len(parts) < len(figures):
        return None
    body = [[*cells, _shown(f)] for cells, f in zip(parts, figures, strict=True)]
    return [[*(no_formula(name) for name in names), "value"], *body]


def _in_grid(output: SubmittedOutput, grid: Any) -> _Rows | None:
    """The figures as a table with heads; None where the assessment does not say how they stand."""
    figures = output.figures or []
    if not grid or sum(n is not None for line in grid["cells"] for n in line) != len(figures):
        return None
    if any(f.get("se") is not None for f in figures):
        return None
    rows = [[*map(str, grid["row_names"]), *map(str, grid["columns"])]]
    for heads, line in zip(grid["rows"], grid["cells"], strict=True):
        rows.append([*map(str, heads), *("" if n is None else _shown(figures[n]) for n in line)])
    return rows


def _shown(figure: Mapping[str, Any]) -> str:
    return "suppressed" if figure["value"] is None else str(figure["value"])


def _has_labels(sent: bytes) -> bool:
    """Whether a file of figures has a column of labels, rather than one for each variable."""
    first = sent[: 1 << 16].decode("utf-8-sig", errors="replace")
    header = next(csv.reader(io.StringIO(first.partition("\n")[0])), [])
    return any(cell.strip().casefold() in LABEL_COLUMNS for cell in header)


_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: the same figures give the same bytes
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_BOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
"""What a sheet holds as a number without changing how it reads; anything else is a text."""


def _workbook(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """Sheets by name, each a list of rows of texts; numbers among them are cells of numbers."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations([(1, "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _book(list(sheets)),
        "xl/_rels/workbook.xml.rels": _relations([(n, "worksheet", f"worksheets/sheet{n}.xml") for n in numbers]),
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": _sheet(rows) for n, rows in zip(numbers, sheets.values(), strict=True)}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _HEAD + text)
    return packed.getvalue()


def _content_types(numbers: Sequence[int]) -> str:
    sheets = "".join(f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEET_TYPE}"/>' for n in numbers)
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_BOOK_TYPE}"/>{sheets}</Types>'
    )


def _relations(found: Sequence[tuple[int, str, str]]) -> str:
    lines = "".join(f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for n, kind, to in found)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'


def _book(names: Sequence[str]) -> str:
    # Excel takes 31 characters of a sheet's name.
    sheets = "".join(
        f'<sheet name={quoteattr(name[:31])} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, start=1)
    )
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>'


def _sheet(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return f"<c><v>{text}</v></c>"
    kept = "".join(c for c in text if c in "\t\n" or ord(c) >= 32)
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(kept)}</t></is></c>'
