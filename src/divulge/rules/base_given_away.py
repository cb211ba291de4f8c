"""Shares that give their base away: 14.3 % and 28.6 % are of 7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.contributions.sizes import possible_sizes
from divulge.kernels.arrays import Mask
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class BaseGivenAway(Rule):
    """Printed shares whose only possible base, below a limit, is the true one: they are counts."""

    name: ClassVar[str] = "base given away"
    asks: ClassVar[str] = "Shares must not be printed so precisely that the number of people behind them follows."
    source: ClassVar[str] = "one n ≤ limit with whole n · share: Eurostat output checking guidelines 2015"
    severity: ClassVar[Severity] = Severity.NOTE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    limit: Annotated[int, "Bases up to this are tried; larger ones are no small groups."] = 100

    def find(self, case: Case) -> list[Finding]:
        bases = case.of("base")
        found: list[Finding] = []
        for base in bases:
            n = case.rows(base)
            given = np.zeros(base.n_groups, dtype=bool)
            for group in np.flatnonzero((n > 0) & (n <= self.limit)).tolist():
                figures = _figures_of(case, base.group == group)
                scale = 100.0 if np.nansum(case.released.values[figures]) > 1.5 else 1.0
                sizes = np.arange(1, self.limit + 1)
                for figure in figures:
                    low, high = case.released.low[figure] / scale, case.released.high[figure] / scale
                    sizes = np.intersect1d(sizes, possible_sizes(low, high, 1, self.limit))
                given[group] = len(sizes) == 1
            sentence = f"{{n}} base{{s}} of at most {self.limit} people that the shares give away."
            found += self.breach(case, base, given, sentence)
        return found


def _figures_of(case: Case, rows: Mask) -> list[int]:
    """The shares of a base that are printed: those of the people in it."""
    figures = {int(b.figures[g]) for b in case.of("share") for g in np.unique(b.group[rows]).tolist() if g >= 0}
    return [f for f in sorted(figures) if np.isfinite(case.released.values[f])]
