"""Empty cells: that nobody of a group has a value says something about all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Mask
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class Zeros(Rule):
    """An empty cell of a crosstab in a row and column with people; combinations that edit rules forbid are no news."""

    name: ClassVar[str] = "empty cells"
    asks: ClassVar[str] = "A table should have no empty cell that is not empty by definition."
    source: ClassVar[str] = "n = 0: ACRO (zeros_are_disclosive); Handbook on SDC 2025: structural zeros are exempt"
    severity: ClassVar[Severity] = Severity.NOTE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.FREQUENCIES,)

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share"):
            if not behind.names:
                continue
            n = case.rows(behind).reshape(behind.shape)
            alive = np.ones(behind.shape, dtype=bool)
            for axis in range(n.ndim):
                # Values that nobody has at all are no news either.
                others = tuple(a for a in range(n.ndim) if a != axis)
                alive &= n.sum(axis=others, keepdims=True) > 0
            empty = (n == 0) & alive & ~_forbidden(case, behind.names, behind.shape)
            found += self.breach(case, behind, empty.ravel() & case.shown(behind), "{n} empty cell{s}.")
        return found


def _forbidden(case: Case, names: tuple[str, ...], shape: tuple[int, ...]) -> Mask:
    """Combinations that an edit rule of the schema forbids whatever the other variables are."""
    forbidden = np.zeros(shape, dtype=bool)
    schema = case.table.schema
    grid = np.indices(shape).reshape(len(shape), -1)
    for rule in schema.parsed_rules():
        if set(rule.variables) <= set(names):
            codes = {name: grid[names.index(name)].astype(np.uint64) for name in rule.variables}
            forbidden |= (rule.truth(codes.__getitem__) == 0).reshape(shape)
    return forbidden
