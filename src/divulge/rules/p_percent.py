"""p %: the second largest contributor can estimate the largest too closely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.kernels.arrays import Floats
from divulge.outputs import Statbarn
from divulge.outputs.lowering.rows import row_weights
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class PPercent(Rule):
    """X − x₁ − x₂ < p % of x₁: what the second largest has left to guess is too little.

    A linear model of a function of a variable states sums of that function. Of high powers and exponentials one person
    makes nearly all, and taken back the sum is nearly their value: x₁ + ln((X − g₂) / g₁) Δx / Δ ln g, with g = g(x)
    and the slope between the two largest.
    """

    name: ClassVar[str] = "p per cent"
    asks: ClassVar[str] = "No contributor may be able to estimate another's contribution to within p per cent."
    source: ClassVar[str] = (
        "X − x₁ − x₂ < p/100 x₁, strict: Handbook on SDC 2025, τ-ARGUS, ACRO (10); the largest without a waiver"
    )
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        Statbarn.AGGREGATES,
        Statbarn.CONCENTRATION,
        Statbarn.GINI,
        Statbarn.MODELS,
    )

    per_cent: Annotated[float, "How closely nobody may be estimated: p."] = 10.0
    weighting: Annotated[Weighting, "How survey weights count: repeat, total or public."] = "total"

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of_amounts():
            held = case.contributions(behind, self.weighting)
            rest = np.maximum(held.total - held.protected - held.others[:, 0], 0.0)
            near = (rest < self.per_cent / 100 * held.protected - 1e-12 * held.total) & (held.protected > 0)
            near &= case.shown(behind)
            closest = 100 * float(np.min(rest[near] / held.protected[near], initial=np.inf))
            sentence = (
                f"The second largest contributor to {{n}} figure{{s}} can estimate the largest to within "
                f"{self.per_cent:g} % (the closest to within {closest:.1f} %)."
            )
            found += self.breach(case, behind, near, sentence)
        return [*found, *self._of_functions(case)]

    def _of_functions(self, case: Case) -> list[Finding]:
        """The same of sums of a function of a response, in units of the response."""
        stated = next(iter(case.output.stated(case.table, case.released)), None)
        if stated is None or stated.link != "linear":
            return []
        name, what = stated.about
        if what in (name, f"{name}, coarser") or what.startswith("= "):
            return []
        number = np.nan_to_num(case.table.schema[name].numbers)[case.table[name]]
        size = stated.own * row_weights(case.output, case.table)
        found: list[Finding] = []
        for behind in (b for b in case.of("model", "term") if b.variable is None):
            held = [np.flatnonzero((behind.group == g) & stated.inside) for g in range(behind.n_groups)]
            off = [_off(number[rows], size[rows], case.table.times[rows]) for rows in held]
            near = np.array([o < self.per_cent / 100 for o in off], dtype=bool) & case.shown(behind)
            sentence = (
                f"{{n}} sum{{s}} of a function of {name} that one person makes: taken back to {name}, it lies within "
                f"{self.per_cent:g} % of theirs."
            )
            largest = np.zeros(case.table.n_rows, dtype=bool)
            largest[[rows[np.argmax(size[rows])] for rows in held if len(rows)]] = True
            found += [replace(f, people=f.people & largest) for f in self.breach(case, behind, near, sentence)]
        return found


def _off(number: Floats, size: Floats, times: Floats) -> float:
    """How far from the value of whoever adds most the sum lies when it is taken back, as a share of that value."""
    order = np.argsort(-size, kind="stable")
    if len(order) < 2 or size[order[-1]] < 0 or size[order[0]] <= 0 or not np.isfinite(size).all():
        return np.inf
    first = order[0]
    others = order[number[order] != number[first]]
    second = size[first] if times[first] > 1 else size[order[1]]
    if not len(others) or number[first] == 0 or not 0 < size[others[0]] < size[first]:
        return np.inf
    slope = (number[first] - number[others[0]]) / np.log(size[first] / size[others[0]])
    left = max(float(times @ size) - float(second), float(size[first]))
    return float(abs(slope * np.log(left / size[first])) / abs(number[first]))
