"""Folders that ACRO finalised: their outputs as the spec has them, and what ACRO itself says of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.errors import DivulgeError, UploadError
from divulge.ledger.model import Submission
from divulge.ledger.store import Store

RESULTS = "results.json"

STATUSES = ("pass", "fail", "review")


@dataclass(frozen=True)
class AcroStatus:
    """What ACRO says of an output."""

    output: str
    status: str
    why: str


def read_outputs(folder: Path, files: Sequence[Path]) -> list[dict[str, Any]]:
    """The outputs of a folder, each as the spec has it. files: everything that was unpacked."""
    root = next((path.parent for path in files if path.name == RESULTS), None)
    if root is None:
        raise UploadError(
            f"there is no {RESULTS} in the folder.", hint="Zip the folder that acro.finalise() wrote, as it is."
        )
    del folder
    raise UploadError("folders of ACRO's cannot be read yet.", where=str(root.name))


def acro_statuses(store: Store, submission: Submission) -> tuple[AcroStatus, ...]:
    """What ACRO says of the outputs of a submission that came from it; nothing where it did not."""
    if submission.origin != "acro":
        return ()
    held = next((u for u in submission.uploads if u.name == RESULTS or u.name.endswith(f"-{RESULTS}")), None)
    if held is None:
        return ()
    try:
        said = json.loads(store.read(held.digest))
        results = said["results"]
        return tuple(
            AcroStatus(
                f"ACRO: {name}"[:200],
                one["status"] if one.get("status") in STATUSES else "review",
                str(one.get("summary") or one.get("outcome") or "")[:1000],
            )
            for name, one in results.items()
        )
    except (DivulgeError, ValueError, TypeError, KeyError, AttributeError):
        return ()
