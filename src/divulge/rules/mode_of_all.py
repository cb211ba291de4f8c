"""A mode that everybody has: the value of each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class ModeOfAll(Rule):
    """A mode that all people of the group have."""

    name: ClassVar[str] = "mode of all"
    asks: ClassVar[str] = "A mode must not be everybody's value."
    source: ClassVar[str] = "all n alike: Green, Ritchie & White 2024, mode; ACRO"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODE,)

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("mode"):
            assert behind.variable is not None, "a mode is one of a variable"
            rows = np.flatnonzero(behind.group >= 0)
            codes, group = case.table[behind.variable][rows].astype(np.int64), behind.group[rows]
            least = np.full(behind.n_groups, np.iinfo(np.int64).max)
            most = np.full(behind.n_groups, -1)
            np.minimum.at(least, group, codes)
            np.maximum.at(most, group, codes)
            sentence = "{n} mode{s} that everybody of the group has."
            found += self.breach(case, behind, (least == most) & case.shown(behind), sentence)
        return found
