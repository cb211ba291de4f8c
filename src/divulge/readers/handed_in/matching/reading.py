"""What a candidate is in the data: which variables, which rows, and for each figure whether the data give it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.statistic_names import INTERCEPT


@dataclass(frozen=True)
class Checked:
    """A figure beside what the data give. agrees: None where it was not recomputed."""

    figure: Figure
    agrees: bool | None = None
    computed: float | None = None


@dataclass(frozen=True)
class Reading:
    """A candidate, matched. kind, variables, by, formula, where, weights: in the names of the data.

    outputs: the fields of the outputs that assess it, in the words of a spec.
    others: further readings that fit as well. note: why it is not confirmed.
    """

    candidate: Candidate
    kind: str
    figures: tuple[Checked, ...]
    variables: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    formula: str | None = None
    where: str | None = None
    weights: str | None = None
    note: str | None = None
    others: tuple[str, ...] = ()
    outputs: tuple[Mapping[str, Any], ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What texts of the file were taken for: the variable of a text, the value of a variable and a label."""

    @property
    def agreeing(self) -> int:
        return sum(c.agrees is True for c in self.figures)

    @property
    def disagreeing(self) -> tuple[str, ...]:
        return tuple(c.figure.label for c in self.figures if c.agrees is False)

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The figures of a confirmed output that were not computed again."""
        left = [c.figure for c in self.figures if c.agrees is None and not c.figure.printed.is_suppressed]
        return tuple(dict.fromkeys(f.label for f in left)) if self.confirmed else ()

    @property
    def compared(self) -> int:
        return sum(c.agrees is not None for c in self.figures)

    @property
    def confirmed(self) -> bool:
        """Whether the data give every figure that was recomputed, and enough of them were."""
        shown = [c for c in self.figures if not c.figure.printed.is_suppressed]
        main = next((m for words in _MAIN if (m := [c for c in shown if _sort(c.figure.what) in words])), shown)
        # What programs call the constant beside absorbed effects differs, and tells nothing of anybody.
        needed = [c for c in main if c.agrees is not None or not INTERCEPT.match(c.figure.of or "")]
        recomputed = sum(c.agrees is not None for c in needed)
        return not self.disagreeing and recomputed > 0 and recomputed >= 0.75 * len(needed)

    @property
    def score(self) -> tuple[float, int]:
        """How well it fits: the share of figures that agree, then how many."""
        return (self.agreeing / max(self.compared, 1), self.agreeing)


def _sort(what: str) -> str:
    return "median" if what.startswith("percentile ") else what


_MAIN = (
    frozenset({"coefficient", "odds ratio", "hazard ratio", "rate ratio"}),
    frozenset(
        {
            "count",
            "mean",
            "sum",
            "median",
            "percentage",
            "correlation",
            "n at risk",
            "survival",
            "median survival",
            "chi-squared",
            "t",
        }
    ),
)
"""What an output is about; figures beside these may go without being recomputed."""
