"""OpenSAFELY's airlock: a vote for each file (APPROVED, CHANGES_REQUESTED), and comments that only checkers see.

airlock has no address that takes votes: a checker, or a script beside it, enters what is told here. Its decision on
each file, or on the request as a whole (REJECTED), is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.errors import SpecError
from divulge.ledger.model import Choice
from divulge.web.hooks.hook import Decided, Part, Told, by_file, listed, text_of

_CHOICES = {"APPROVED": Choice.RELEASE, "RELEASED": Choice.RELEASE, "CHANGES_REQUESTED": Choice.RETURN}
_WHOLE = {"REJECTED": Choice.REFUSE, "RETURNED": Choice.RETURN}


class Airlock:
    """Votes and decisions by file."""

    name = "airlock"

    def tell(self, told: Told) -> dict[str, Any]:
        return {
            "request": told.reference,
            "files": [
                {"path": file, "vote": "APPROVED" if verdict == "release" else "CHANGES_REQUESTED"}
                for file, verdict in told.files().items()
            ],
            "comment": {
                "visibility": "PRIVATE",
                "text": " ".join([f"Divulge: {told.verdict}.", *told.reasons]),
            },
        }

    def read(self, document: Mapping[str, Any], parts: Sequence[Part]) -> Decided:
        reason, status = text_of(document, "comment"), text_of(document, "status")
        if status in _WHOLE:
            return by_file(dict.fromkeys((part.file for part in parts), _WHOLE[status]), parts, reason)
        chosen = {}
        for one in listed(document, "files"):
            decision = text_of(one, "decision")
            if decision not in _CHOICES:
                raise SpecError(f"a decision is one of: {', '.join(_CHOICES)}.", where="files.decision")
            chosen[text_of(one, "path")] = _CHOICES[decision]
        return by_file(chosen, parts, reason)
