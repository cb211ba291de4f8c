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

_STATUSES = ("pass", "fail", "review")


@dataclass(frozen=True)
class AcroStatus:
    """What ACRO says of an output."""

    output: str
    status: str
    why: str


def read_outputs(files: Sequence[Path], schema: Schema) -> list[dict[str, Any]]:
    """The outputs of an unpacked folder, each as the spec has it, with its figures inline.

    What cannot be assessed (pictures, files added by hand) is left to the checkers' eyes: its files are kept.
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
    found, reasons = [], []
    for entry in folder.entries:
        try:
            made = [replace(output, name=output.name or entry.name) for output in _outputs(entry, folder, schema)]
            for output in made:
                output.check(schema)
            found += [format_output(output) for output in made]
        except DivulgeError as error:
            reasons.append(f"{entry.name[:80]}: {error.message}")
    if not found:
        raise UploadError(
            "there is no output in the folder that can be assessed.",
            where="folder",
            hint=" ".join([*reasons[:3], "Use the form for its figures instead."]),
        )
    return found


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
    raise UploadError("its numbers are not in the folder.")
