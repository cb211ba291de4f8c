"""What a rule is: a look at an output and the rows behind it, which ends in findings with the figures they are about.

A rule is one file with one frozen dataclass that inherits from `Rule`; its fields are its settings, with their help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Integers, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind, What

STATISTICS: tuple[What, ...] = (
    "mean",
    "total",
    "quantile",
    "sd",
    "variance",
    "shape",
    "mode",
    "concentration",
    "curve",
)
"""What is computed from the values of a group, and is the value of one person where the group is small."""

BARNS_OF_STATISTICS = (
    Statbarn.AGGREGATES,
    Statbarn.POSITION,
    Statbarn.SHAPE,
    Statbarn.MODE,
    Statbarn.CONCENTRATION,
    Statbarn.GINI,
    Statbarn.SURVIVAL,
)
"""The groups of statistics that these stand in."""


class Severity(StrEnum):
    """What a breach does, from the least to the most restrictive."""

    NOTE = "note"
    REVIEW = "review"
    REFUSE = "refuse"

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


@dataclass(frozen=True, eq=False)
class Finding:
    """What a rule found. sentence: in plain words, without any value of a row. people: whose rows it is about.

    outputs: their numbers in the submission; figures: labels of the figures (of the first output).
    severity: milder than the rule's own where the rule itself says that this case is; a profile does not change that.
    times: how many people each row stands for; None: one.
    """

    rule: str
    severity: Severity
    outputs: tuple[int, ...]
    figures: tuple[str, ...]
    sentence: str
    people: Mask
    times: Integers | None = None

    @property
    def n_people(self) -> int:
        return int(self.people.sum() if self.times is None else self.times[self.people].sum())

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "outputs": list(self.outputs),
            "figures": list(self.figures),
            "people": self.n_people,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of output checking. asks: what it asks for, in one sentence; source: who says so, strict or not.

    severity: what a breach does where a profile does not say. statbarns: the groups of statistics that it is about.
    remedy: what would make an output keep to the rule.
    """

    name: ClassVar[str]
    asks: ClassVar[str]
    source: ClassVar[str]
    remedy: ClassVar[str] = "Withhold or merge the figures that a rule names, or compute them from more people."
    severity: ClassVar[Severity] = Severity.REVIEW
    statbarns: ClassVar[tuple[Statbarn, ...]] = ()

    def find(self, case: Case) -> list[Finding]:
        """What the rule has against one output."""
        del case
        return []

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        """What the rule has against several outputs of the same data together."""
        del cases
        return []

    def settings(self) -> dict[str, Any]:
        """The rule's settings by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def breach(self, case: Case, behind: Behind, groups: Mask, sentence: str) -> list[Finding]:
        """A finding on the figures of these groups; nothing where there are none.

        sentence: with {n} for how many, {s} and {are} as their number has it, {units} for who is protected.
        """
        found = np.flatnonzero(groups)
        if not len(found):
            return []
        n = len(found)
        words = {"n": f"{n:,}", "s": "" if n == 1 else "s", "are": "is" if n == 1 else "are", "units": _units(case)}
        labels = tuple(behind.label(g, case.labels) for g in found.tolist())
        people = case.people(behind, groups)
        return [Finding(self.name, self.severity, (case.number,), labels, sentence.format(**words), people)]


def _units(case: Case) -> str:
    """Who is protected, in words."""
    name = case.holding or case.entity
    return "people" if name is None else f"different values of {name}"
