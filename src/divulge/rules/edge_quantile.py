"""Quantiles near the edge: few people lie beyond them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class EdgeQuantile(Rule):
    """A quantile with fewer than a given number of people on its shorter side: min(p, 1 − p) · n < t."""

    name: ClassVar[str] = "quantile near the edge"
    asks: ClassVar[str] = "On each side of a quantile there must be so many people."
    source: ClassVar[str] = "min(p, 1 − p) n < t, strict: Eurostat output checking guidelines 2015, percentiles; ONS"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.POSITION, Statbarn.MODELS)

    fewest: Annotated[int, "So many people must lie on each side."] = 10

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("quantile"):
            n = case.units(behind)
            beyond = min(behind.quantile, 1 - behind.quantile) * n
            # 0.1 · 100 people are 10 people, whatever floats make of it.
            few = (n > 0) & (beyond < self.fewest - 1e-9 * np.maximum(n, 1)) & case.shown(behind)
            sentence = f"{{n}} quantile{{s}} with fewer than {self.fewest} {{units}} on one side."
            found += self.breach(case, behind, few, sentence)
        return found
