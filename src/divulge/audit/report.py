"""What an audit says: cells with their intervals and proofs, findings in sentences, and what was out of reach."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from divulge.rules import Severity


class Status(StrEnum):
    """What figures say together of something that none of them states."""

    EXACT = "exact"
    NARROW = "narrow"
    PROTECTED = "protected"


@dataclass(frozen=True)
class Cell:
    """A withheld or rounded figure, or a small group that no figure states. output: its number; None: of no output.

    low, high: what it may be. chain: why, in figures; empty where it is protected or no proof was asked for.
    is_joint: whether it takes several outputs to know it; False: one of them says it in other words.
    is_sharp: False where time ran out, and the true interval may be narrower (or, where it was seen to be wide, wider).
    """

    output: int | None
    label: str
    low: float
    high: float
    status: Status
    chain: str = ""
    is_sharp: bool = True
    is_joint: bool = True

    def as_json(self) -> dict[str, Any]:
        return {
            "output": self.output,
            "label": self.label,
            "low": self.low,
            "high": self.high,
            "status": self.status.value,
            "chain": self.chain,
            "sharp": self.is_sharp,
            "joint": self.is_joint,
        }


@dataclass(frozen=True)
class Proved:
    """A finding of the audit, told as a rule's is. people: how many it is about, where the data are there to count."""

    rule: str
    severity: Severity
    outputs: tuple[int, ...]
    figures: tuple[str, ...]
    sentence: str
    people: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "outputs": list(self.outputs),
            "figures": list(self.figures),
            "people": self.people,
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Audited:
    """unreached: outputs (by number) with why arithmetic says nothing about them; notes: what else to know."""

    cells: tuple[Cell, ...]
    findings: tuple[Proved, ...]
    unreached: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]
    n_figures: int
    n_cells: int

    @property
    def worst(self) -> Severity | None:
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=None)

    def as_json(self) -> dict[str, Any]:
        return {
            "findings": [f.as_json() for f in self.findings],
            "cells": [c.as_json() for c in self.cells],
            "unreached": [{"output": i, "reason": why} for i, why in self.unreached],
            "notes": list(self.notes),
            "constraints": self.n_figures,
            "unknowns": self.n_cells,
        }
