"""p %: the second largest contributor can estimate the largest too closely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.contributions.case import Weighting
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs import Statbarn
from divulge.outputs.stated import Stated
from divulge.rules.rule import Finding, Rule

_BLOCK = 50_000
"""Rows of a design that are worked out at once."""


@dataclass(frozen=True, kw_only=True)
class PPercent(Rule):
    """X − x₁ − x₂ < p % of x₁: what the second largest has left to guess is too little.

    Models state sums of their response too, or of a function of it. Of high powers and exponentials one person makes
    nearly all, and taken back the sum is nearly their value.
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
        return [*found, *self._of_models(case)]

    def _of_models(self, case: Case) -> list[Finding]:
        """The same of sums that models state, of a response or of a function of it, in units of the response."""
        stated = next(iter(case.stated), None)
        if stated is None or stated.about[1].startswith("= ") or not (stated.own[stated.inside] >= 0).all():
            return []
        name, what = stated.about
        is_itself = what in (name, f"{name}, coarser")
        if (is_itself and stated.link == "linear") or not stated.inside.any():
            return []  # sums of groups, which are looked at above
        if stated.link == "other" and case.of("class", "plane", "quantile"):
            return []  # no model of a mean
        number = np.nan_to_num(case.table.schema[name].numbers)[case.table[name]]
        largest = _largest(stated, case.table.times)
        near = [_off(one, stated.own, number) < self.per_cent / 100 for one in largest]
        if not any(near):
            return []
        people = np.zeros(case.table.n_rows, dtype=bool)
        for one in (one for one, is_near in zip(largest, near, strict=True) if is_near):
            people[one.alike] = True
        sentence = (
            f"A sum of {name if is_itself else what} that the model states is nearly what one person adds: taken back "
            f"to {name}, it lies within {self.per_cent:g} % of theirs."
        )
        return [Finding(self.name, self.severity, (case.number,), ("all rows",), sentence, people)]


class _Largest(NamedTuple):
    """Who adds most to a sum (alike: all who add as much), who next to most but for those with the same value, and what
    is left without the second largest, in units of what the largest adds."""

    first: int
    alike: Integers
    next: int
    left: float


def _largest(stated: Stated, times: Floats) -> list[_Largest]:
    """Of each sum that is stated; those that nobody adds to, or only people with the same value, are left out."""
    rows = np.flatnonzero(stated.inside)
    blocks = [rows[at : at + _BLOCK] for at in range(0, len(rows), _BLOCK)]
    n, own = len(stated.error), stated.own
    total, most, second = np.zeros(n), np.zeros(n), np.zeros(n)
    first, after = np.zeros(n, dtype=np.int64), np.full(n, -1)
    for block in blocks:
        size = _sizes(stated, block)
        total += times[block] @ size
        top = np.partition(np.vstack([size, most, second]), -2, axis=0)[-2:]
        is_more = size.max(axis=0) > most
        first = np.where(is_more, block[size.argmax(axis=0)], first)
        second, most = top
    second = np.where(times[first] > 1, most, second)
    next_to_most, alike = np.zeros(n), [np.zeros(0, dtype=np.int64)] * n
    for block in blocks:
        size = _sizes(stated, block)
        others = np.where(own[block][:, None] == own[first], 0.0, size)
        after = np.where(others.max(axis=0) > next_to_most, block[others.argmax(axis=0)], after)
        next_to_most = np.maximum(next_to_most, others.max(axis=0))
        alike = [np.append(alike[j], block[size[:, j] == most[j]]) for j in range(n)]
    found = []
    for j in range(n):
        # Where nobody else adds anything, anybody with another value stands for them.
        others = rows[own[rows] != own[first[j]]] if after[j] < 0 else after[j : j + 1]
        if most[j] > 0 and len(others):
            left = float(max((total[j] - second[j]) / most[j], 1.0))
            found.append(_Largest(int(first[j]), alike[j], int(others[0]), left))
    return found


def _sizes(stated: Stated, rows: Integers) -> Floats:
    """What each of these rows adds to each sum."""
    return np.asarray(np.abs(stated.columns(rows)) * stated.own[rows, None], dtype=np.float64)


def _off(one: _Largest, own: Floats, number: Floats) -> float:
    """How far from the value of whoever adds most the sum lies when it is taken back, as a share of that value.

    A function is taken for a power of the response between the two largest: g₁ / g₂ = (x₁ / x₂)ᵏ.
    """
    (x, y), (g, h) = number[[one.first, one.next]], own[[one.first, one.next]]
    if (g, h) == (x, y) or min(x, y, g, h) <= 0:
        return one.left - 1  # the response itself, or a function of which no power is known
    if g == h or x == y:
        return np.inf
    power = np.log(g / h) / np.log(x / y)
    return float(abs(one.left ** (1 / power) - 1))
