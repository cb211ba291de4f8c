"""The egress API of Five Safes TES: a review of the files of a submission, each approved or not (EgressReview)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.errors import SpecError
from divulge.ledger.model import Choice
from divulge.web.hooks.hook import Decided, Part, Told, by_file, listed, text_of


class FiveSafesTes:
    """Approvals by file."""

    name = "five-safes-tes"

    def tell(self, told: Told) -> dict[str, Any]:
        files = told.files().items()
        return {
            "subId": told.reference,
            "fileResults": [{"fileName": file, "approved": verdict == "release"} for file, verdict in files],
        }

    def read(self, document: Mapping[str, Any], parts: Sequence[Part]) -> Decided:
        # Names of fields begin with small or capital letters, depending on who writes them.
        held = {name[:1].lower() + name[1:]: value for name, value in document.items()}
        chosen = {}
        for one in listed(held, "fileResults"):
            result = {name[:1].lower() + name[1:]: value for name, value in one.items()}
            if not isinstance(result.get("approved"), bool):
                raise SpecError("approved is true or false.", where="fileResults.approved")
            chosen[text_of(result, "fileName")] = Choice.RELEASE if result["approved"] else Choice.RETURN
        return by_file(chosen, parts, text_of(held, "comment"))
