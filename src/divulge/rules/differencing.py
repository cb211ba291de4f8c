"""Differencing: two outputs whose people differ by a few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class Differencing(Rule):
    """Two tables of the same variables, one of fewer people: the difference of two cells is a count of few."""

    name: ClassVar[str] = "differencing"
    asks: ClassVar[str] = "No two tables may differ by fewer people than the threshold in any common cell."
    source: ClassVar[str] = "0 < n₁ − n₂ < t, strict: Eurostat output checking guidelines 2015; OpenSAFELY; ONS"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    fewest: Annotated[int, "Differences of fewer people are too small."] = 10

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        for first, second in combinations([c for c in cases if c.of("count")], 2):
            found += self._between(first, second) or self._between(second, first)
        return found

    def _between(self, more: Case, fewer: Case) -> list[Finding]:
        """Cells of `more` that hold the people of the same cell of `fewer`, and few others."""
        for larger in more.of("count"):
            for smaller in fewer.of("count"):
                if larger.names != smaller.names or larger.shape != smaller.shape:
                    continue
                both = larger.group == smaller.group
                if not (both | (smaller.group < 0)).all():
                    continue
                rows = (larger.group >= 0) & (smaller.group < 0)
                extra = more.table.tally(larger.group, larger.n_groups, rows)
                groups = (extra > 0) & (extra < self.fewest) & more.shown(larger) & fewer.shown(smaller)
                if groups.any():
                    sentence = f"{{n}} cell{{s}} less those of another output {{are}} fewer than {self.fewest} people."
                    (finding,) = self.breach(more, larger, groups, sentence)
                    people = rows & more.people(larger, groups)
                    numbers = (more.number, fewer.number)
                    return [Finding(self.name, self.severity, numbers, finding.figures, finding.sentence, people)]
        return []
