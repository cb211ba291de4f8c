"""SACRO-Viewer: a review of the outputs that ACRO wrote, each with a state (true, false, none yet) and a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.errors import SpecError
from divulge.ledger.model import Choice
from divulge.web.hooks.hook import Decided, Part, Told, by_name, text_of

_STATES = {"release": True, "refuse": False}


class SacroViewer:
    """States by the names of outputs."""

    name = "sacro-viewer"

    def tell(self, told: Told) -> dict[str, Any]:
        comment = " ".join([f"Divulge: {told.verdict}.", *told.reasons])
        review = {
            part.name: {
                "state": _STATES.get(part.verdict or ""),
                "comment": f"Divulge: {part.verdict or 'not assessed'}.",
            }
            for part in told.parts
        }
        return {"comment": comment, "review": review}

    def read(self, document: Mapping[str, Any], parts: Sequence[Part]) -> Decided:
        review = document.get("review")
        if not isinstance(review, dict):
            raise SpecError("a review is needed: by the name of each output its state and a comment.", where="review")
        chosen = {}
        for name, one in review.items():
            state = one.get("state") if isinstance(one, dict) else None
            if not isinstance(state, bool):
                raise SpecError("the state of every output is true or false.", where="review.state")
            # What is not approved there can be changed and come again.
            chosen[str(name)] = Choice.RELEASE if state else Choice.RETURN
        return by_name(chosen, parts, text_of(document, "comment"))
