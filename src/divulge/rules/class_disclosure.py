"""Class disclosure: all of a group, or all but k, have the same value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs import Statbarn
from divulge.outputs.behind import Behind
from divulge.rules.rule import Finding, Rule, Severity


@dataclass(frozen=True, kw_only=True)
class ClassDisclosure(Rule):
    """k-disclosure: a margin p of a variable and one of its cells c with |p| − k ≤ |c|: all but k of p are in c.

    A mean of 0 and 1 that is 0 or 1, a level of a regression on which all have the same response, and a survival curve
    along which everybody or nobody has the event are cells too. So is a group without spread: with its mean everybody's
    value is told.
    """

    name: ClassVar[str] = "class disclosure"
    asks: ClassVar[str] = "No group may have everybody, or everybody but k, in one cell."
    source: ClassVar[str] = "|p| − k ≤ |c|, not strict: Handbook on SDC 2025, group disclosure; GaussSuppression"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (
        Statbarn.FREQUENCIES,
        Statbarn.AGGREGATES,
        Statbarn.SHAPE,
        Statbarn.GINI,
        Statbarn.MODELS,
        Statbarn.SURVIVAL,
    )

    k: Annotated[int, "How many of the group may know their own value: 0 outsiders, 1 an insider."] = 0
    sensitive: Annotated[str | None, "The variable that nobody's value of may be told; none: each in turn."] = None
    fewest: Annotated[int, "Groups of fewer people count however common the value is."] = 10
    rarest: Annotated[
        float,
        "Larger groups count where at most this share of all other people have the value, unless every group has one "
        "value only: then one variable defines the other. 1: always.",
    ] = 1.0

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("count", "share"):
            if len(behind.shape) < 2:
                continue
            n = case.units(behind).reshape(behind.shape)
            full, counts = np.zeros(behind.shape, dtype=bool), np.zeros(behind.shape, dtype=bool)
            names = behind.names if behind.told is None else (*[None] * (len(behind.shape) - 1), behind.told)
            for axis, (name, size) in enumerate(zip(names, behind.shape, strict=True)):
                if size > 1 and self.sensitive in (None, name):
                    alike, is_news = self._alike(n, axis)
                    full |= alike
                    counts |= alike & is_news
            shown = case.shown(behind) & ~case.leaves_open(behind, 1)
            sentence = "Class disclosure: {n} cell{s} with everybody of a group" + (
                f", or all but {self.k}." if self.k else "."
            )
            found += self._told(case, behind, full.ravel() & shown, counts.ravel(), sentence)
        for behind, own in _two_valued(case):
            inside = behind.group >= 0
            cell = 2 * np.maximum(behind.group, 0) + own.astype(np.int64)
            n = case.table.tally(cell, 2 * behind.n_groups, inside).reshape(-1, 2)
            alike, is_news = self._alike(n, 1)
            full, counts = (np.asarray(cells.any(axis=1)) for cells in (alike, alike & is_news))
            sentence = "Class disclosure: everybody of {n} group{s} has the same value."
            found += self._told(case, behind, full & case.shown(behind), counts, sentence)
        for behind in case.of("sd", "variance", "concentration"):
            full, counts = self._without_spread(case, behind)
            sentence = "Class disclosure: {n} group{s} without spread, whose people all have the same value."
            found += self._told(case, behind, full & case.shown(behind), counts, sentence)
        return found

    def _without_spread(self, case: Case, behind: Behind) -> tuple[Mask, Mask]:
        """Groups of several people with one value, and whether these are few or the value is rare elsewhere."""
        number, inside, n = case.numbers(behind), behind.group >= 0, case.rows(behind)
        low, high = np.full(behind.n_groups, np.inf), np.full(behind.n_groups, -np.inf)
        np.minimum.at(low, behind.group[inside], number[inside])
        np.maximum.at(high, behind.group[inside], number[inside])
        alike, is_news = (low == high) & (n > 1), n < self.fewest
        for g in np.flatnonzero(alike & ~is_news).tolist():
            elsewhere = inside & (behind.group != g)
            shared = case.table.count(elsewhere & (number == low[g])) / max(case.table.count(elsewhere), 1)
            is_news[g] = self.rarest >= 1 or (shared <= self.rarest and elsewhere.any())
        return alike, is_news

    def _told(self, case: Case, behind: Behind, full: Mask, counts: Mask, sentence: str) -> list[Finding]:
        """Groups of which everybody is alike: those that count, and the others as a note."""
        others = self.breach(case, behind, full & ~counts, sentence)
        return [
            *self.breach(case, behind, full & counts, sentence),
            *(replace(f, severity=Severity.NOTE) for f in others),
        ]

    def _alike(self, n: Integers, axis: int) -> tuple[Mask, Mask]:
        """Cells with everybody (but k) of a group, and whether that says more than what a variable means."""
        group = n.sum(axis=axis, keepdims=True)
        alike = (group - self.k <= n) & (n > 0)
        others = tuple(a for a in range(n.ndim) if a != axis)
        # A group's own people do not make its value common.
        share = (n.sum(axis=others, keepdims=True) - n) / np.maximum(n.sum() - group, 1)
        # The one by the other or the other by the one: of two variables it says nothing of anybody.
        is_definition = any(_is_definition(n, a, self.k) for a in range(n.ndim) if n.shape[a] > 1)
        is_news = (group < self.fewest) | (self.rarest >= 1) | ((share <= self.rarest) & (not is_definition))
        return alike, np.broadcast_to(is_news, n.shape)


def _is_definition(n: Integers, axis: int, k: int) -> bool:
    """Whether everybody (but k) of every group has the same value of a variable."""
    group = n.sum(axis=axis)
    return bool(((group - k <= n.max(axis=axis)) | (group == 0)).all())


def _two_valued(case: Case) -> Iterator[tuple[Behind, Floats]]:
    """The groups of which means of 0 and 1 or regressions of two values tell how many have the one; and who has it."""
    for behind in case.of("mean"):
        if behind.variable is not None and behind.variable not in [b.variable for b in case.of_amounts()]:
            yield behind, case.numbers(behind)
    for events, curve in zip(case.of("events"), case.of("curve"), strict=False):
        yield curve, (events.group >= 0).astype(np.float64)
    stated = next(iter(case.stated), None)
    if stated is None or not np.isin(stated.own[stated.inside], (0.0, 1.0)).all():
        return
    for behind in case.of("term", "saturated"):
        if behind.variable is None:
            yield behind, stated.own
