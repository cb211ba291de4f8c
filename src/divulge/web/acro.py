"""Folders that ACRO finalised: their outputs as the spec has them, and what ACRO itself says of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError, UploadError
from divulge.ledger.model import Submission
from divulge.ledger.store import Store
from divulge.outputs import Output
from divulge.readers.acro.folder import METADATA, Entry, Folder, read_folder
from divulge.readers.acro.regressions import read_regression_entry
from divulge.readers.acro.tables import read_table_entry
from divulge.spec import format_output
from divulge.table import Schema

NOT_TO_BE_RELEASED = "DONT_RELEASE"
"""How the name of an entry ends that ACRO wrote for the checker alone."""

_STATUSES = ("pass", "fail", "review")


@dataclass(frozen=True)
class AcroStatus:
    """What ACRO says of an output."""

    output: str
    status: str
    why: str


@dataclass(frozen=True)
class _ReadFolder:
    """outputs: each as the spec has it, with its figures inline. unread: files of entries that could not be assessed,
    each with the reason; they leave only where checkers approve of the file itself."""

    outputs: list[dict[str, Any]]
    unread: dict[Path, str]


def read_outputs(files: Sequence[Path], schema: Schema) -> _ReadFolder:
    """The outputs of an unpacked folder. Refused where a file is not what ACRO wrote, by its checksum.

    Entries that cannot be assessed (pictures, files added by hand) are left to the checkers, and named with the reason.
    """
    root = next((path.parent for path in files if path.name in METADATA), None)
    if root is None:
        raise UploadError(
            f"there is no {METADATA[-1]} in the folder.", hint="Zip the folder that acro.finalise() wrote, as it is."
        )
    try:
        folder = read_folder(root)
    except DivulgeError as error:
        # Where it was unpacked is nobody's business.
        error.where = "folder"
        raise
    changed = [entry.name[:80] for entry in folder.entries if entry.is_intact is False]
    if changed:
        raise UploadError(
            f"these outputs were changed after ACRO wrote them, their checksums differ: {', '.join(changed[:5])}.",
            where="folder",
            hint="Send the folder as acro.finalise() wrote it.",
        )
    found: list[dict[str, Any]] = []
    unread: dict[Path, str] = {}
    for entry in folder.entries:
        if entry.name.endswith(NOT_TO_BE_RELEASED):
            continue
        try:
            made = [replace(output, name=output.name or entry.name) for output in _outputs(entry, folder, schema)]
            for output in made:
                output.check(schema)
            found += [format_output(output) for output in made]
        except DivulgeError as error:
            # What is wrong with figures may be known from the data alone; the checkers see the file.
            said = error.message if isinstance(error, UploadError) else "its figures could not be read."
            unread |= {
                path.resolve(): f"In the folder of ACRO's, not assessed. {entry.name[:80]}: {said}"
                for path in entry.files
            }
    if not found and not unread:
        raise UploadError(
            "there is no output in the folder.", where="folder", hint="Use the form for its figures instead."
        )
    return _ReadFolder(found, unread)


def acro_statuses(store: Store, submission: Submission) -> tuple[AcroStatus, ...]:
    """What ACRO says of the outputs of a submission that came from it; nothing where it did not."""
    if submission.origin != "acro":
        return ()
    held = next((u for u in submission.uploads if u.name.endswith(METADATA)), None)
    if held is None:
        return ()
    try:
        results = json.loads(store.read(held.digest))["results"]
        return tuple(
            AcroStatus(
                f"ACRO: {name}"[:200],
                one["status"] if one.get("status") in _STATUSES else "review",
                str(one.get("summary") or one.get("outcome") or "")[:1000],
            )
            for name, one in results.items()
        )
    except (DivulgeError, ValueError, TypeError, KeyError, AttributeError):
        return ()


def _outputs(entry: Entry, folder: Folder, schema: Schema) -> list[Output]:
    if entry.files and entry.kind == "table":
        return list(read_table_entry(entry, folder, schema)[0])
    if entry.files and entry.kind == "regression":
        return list(read_regression_entry(entry, schema)[0])
    if entry.kind == "custom":
        raise UploadError("a file that was added by hand; what it holds is not described.")
    raise UploadError("its numbers are not in the folder.")
