"""Numbers that people see: drawn, not counted, so that nobody's own tell how much others hand in."""

from __future__ import annotations

import secrets

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.ledger.model import ApiToken, Submission, Upload

_DIGITS = 6  # people say them to each other
_MOST_DIGITS = 9  # what every database holds


def draw_numbers(session: Session, kind: type[Submission | Upload | ApiToken], count: int = 1) -> list[int]:
    """Numbers, all different, that no row of a table has. They have a digit more where many are taken."""
    found: dict[int, None] = {}
    digits = _DIGITS
    while len(found) < count:
        least = 10 ** (digits - 1)
        drawn = {least + secrets.randbelow(9 * least) for _ in range(count - len(found))} - found.keys()
        taken = set(session.scalars(select(kind.id).where(kind.id.in_(drawn))))
        found |= dict.fromkeys(drawn - taken)
        digits = min(digits + bool(taken), _MOST_DIGITS)
    return list(found)
