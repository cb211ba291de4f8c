"""Numbers that stand for a person: recognised by their form and their check digits."""

from __future__ import annotations

import re

_TEN = re.compile(r"(?<![\d.])(\d{3})[ -]?(\d{3})[ -]?(\d{4})(?![\d.])")
_INSURANCE = re.compile(
    r"\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"
)


def has_health_number(text: str) -> bool:
    """Whether a text holds ten digits whose last one checks the others modulo 11 (NHS Data Dictionary)."""
    for match in _TEN.finditer(text):
        spaced = " " in match[0] or "-" in match[0]
        digits = [int(d) for d in match[1] + match[2] + match[3]]
        check = 11 - sum(d * (10 - i) for i, d in enumerate(digits[:9])) % 11
        named = re.search(r"\bNHS\b", text, re.IGNORECASE) is not None
        if check % 11 == digits[9] and check != 10 and (spaced or named):
            return True
    return False


def has_insurance_number(text: str) -> bool:
    """Whether a text holds a British national insurance number or an American social security number."""
    return _INSURANCE.search(text) is not None
