"""Modes of people who differ by one: where the modes differ, the one has the mode of the larger group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class DifferencedModes(Rule):
    """The mode of a group, and another mode of all of the group but a few.

    Whoever is left out takes nothing from any value but their own. So a mode that is no mode without them is the value
    of one of them: of the one where one is left out, and with two or three it tells each of them of the others.
    """

    name: ClassVar[str] = "differenced modes"
    asks: ClassVar[str] = "No two modes of people who differ by a few may be different."
    source: ClassVar[str] = "0 < n₁ − n₂ ≤ n, not strict: Eurostat guidelines 2015, differencing"
    remedy: ClassVar[str] = "Release one of the two outputs, or compute both on the same people."
    severity: ClassVar[Severity] = Severity.REFUSE
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODE,)

    most: Annotated[int, "Differences of at most so many people are too small; of more than one a checker looks."] = 3

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        found: list[Finding] = []
        for whole, part in permutations(cases, 2):
            if whole.output.weights != part.output.weights or whole.output.coarser != part.output.coarser:
                continue
            for one, other in product(whole.of("mode"), part.of("mode")):
                if one.variable == other.variable:
                    found += self._between(whole, one, part, other)
        return found

    def _between(self, whole: Case, one: Behind, part: Case, other: Behind) -> list[Finding]:
        """Groups of the one that are a group of the other and a few people more."""
        found = []
        sizes, parts = (whole.table.tally(b.group, b.n_groups, b.group >= 0) for b in (one, other))
        both = (one.group >= 0) & (other.group >= 0)
        pairs, place = np.unique(one.group[both] * other.n_groups + other.group[both], return_inverse=True)
        shared = np.bincount(place.ravel(), whole.table.times[both], minlength=len(pairs))
        for pair, n in zip(pairs.tolist(), shared.tolist(), strict=True):
            g, h = divmod(pair, other.n_groups)
            modes = whole.released.values[one.figures[g]], part.released.values[other.figures[h]]
            n_more = int(sizes[g] - n)
            if parts[h] != n or not 0 < n_more <= self.most or not np.isfinite(modes).all() or modes[0] == modes[1]:
                continue
            people = (one.group == g) & (other.group != h)
            but, whose = ("one", "the one has it") if n_more == 1 else (n_more, f"at least one of the {n_more} has it")
            sentence = f"The mode of these people is not that of all but {but} of them: {whose}."
            severity = self.severity if n_more == 1 else Severity.REVIEW
            numbers = whole.number, part.number
            found.append(Finding(self.name, severity, numbers, (one.label(g, whole.labels),), sentence, people))
        return found
