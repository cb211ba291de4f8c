"""What the linter says about a variable: a remark."""

from __future__ import annotations

from dataclasses import dataclass

RARE = 5
"""A level with fewer rows than this is rare: the usual least count of a cell."""


@dataclass(frozen=True)
class Remark:
    """Something that looks wrong. code: which check; variable: None for the file; advice: what to do."""

    code: str
    variable: str | None
    message: str
    advice: str
