"""Exposure: for every person, the score when in the data less the score when out, with its test; and its mean.

The labels in/out of a person are random by design, so where being in does not change their scores the labels can be
shuffled (Fisher 1935), here within the blocks in which they are balanced. The statistic is the sum of the scores when
in, on a grid of whole numbers; its distribution over all arrangements is counted exactly (Streitberg & Röhmel 1986), so
a p-value is at most u with a probability of at most u, however few values the scores take.

Only those can be exposed by more than δ whose scores vary enough. How much they vary does not depend on the labels, so
the others are left out of the family of tests without harm to its error rate (Bourgon, Gentleman & Huber 2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from divulge.assess.statistics.intervals import Mean, mean_over
from divulge.designs import BLOCK
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.parting import add_to_those_in, parted
from divulge.kernels.permutation import permutation_tails
from divulge.scenario import Lookup, Matches

FINEST = 65_535
"""Scores between 0 and 1 are kept for the tests in steps of one over this: two bytes a cell and split."""

GRID = 40
"""Levels between a person's lowest and highest score in the test: rounding to them adds under 1 % of that range, less
than one search adds; the test is exact for the rounded scores."""


@dataclass
class ScoreSums:
    """Running sums of one scenario over splits: what exposure, tests and intervals need.

    People of one cell have the same score, so all but `inside` (rows) is kept by cell.
    """

    lookup: Lookup
    n_splits: int = 0
    inside: Floats = field(init=False)
    total: Floats = field(init=False)
    squares: Floats = field(init=False)
    n_inside: Integers32 = field(init=False)
    steps: list[NDArray[np.uint16]] = field(default_factory=list)
    contrasts: list[float] = field(default_factory=list)
    _freed: list[float] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        n, n_cells = len(self.lookup.cell_of_row), len(self.lookup.cells)
        self.inside, self.total, self.squares = np.zeros(n), np.zeros(n_cells), np.zeros(n_cells)
        self.n_inside = np.zeros(n, dtype=np.int32)

    def add(self, counts: Matches, inside: Mask) -> None:
        """One more split; always in the order of the splits, so that sums round alike however work was shared out."""
        by_cell = self.lookup.scores(counts)
        self.total += by_cell
        self.squares += by_cell * by_cell
        self.steps.append(np.rint(by_cell * FINEST).astype(np.uint16))
        of_those_in, of_the_others = parted(by_cell, self.lookup.cell_of_row, inside)
        add_to_those_in(self.inside, self.n_inside, by_cell, self.lookup.cell_of_row, inside)
        # Where nobody is out, as in some splits of the second look, there is nothing to compare.
        self.contrasts.append(float(of_those_in.mean() - of_the_others.mean()) if len(of_the_others) else 0.0)
        self.n_splits += 1
        self._freed = []

    def means(self) -> Floats:
        """Every row's mean score over the splits."""
        return (self.total / max(self.n_splits, 1))[self.lookup.cell_of_row]

    def exposures(self) -> Floats:
        """Mean score when in less mean score when out, for every row."""
        k, n = self.n_inside, self.n_splits
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.inside / k - (self.total[self.lookup.cell_of_row] - self.inside) / (n - k)
        return np.where((k > 0) & (k < n), found, 0.0)

    def can_exceed(self, delta: float) -> Mask:
        """Whose scores vary so much that some arrangement of their labels could make their exposure exceed δ.

        The difference of two means is at most the standard deviation × n/√(k(n − k)) (Cauchy–Schwarz).
        """
        k, n = self.n_inside.astype(float), max(self.n_splits, 1)
        variance = np.maximum(self.squares / n - (self.total / n) ** 2, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            bound = np.sqrt(variance)[self.lookup.cell_of_row] * n / np.sqrt(k * (n - k))
        # The bound is reached by whoever has one score in and one score out: rounding must not leave them out.
        return np.where((k > 0) & (k < n), bound * (1 + 1e-9) > delta, False)

    def p_values(
        self, masks: Sequence[Mask], blocks: Sequence[int], delta: float = -np.inf, among: Mask | None = None
    ) -> Floats:
        """One-sided: would shuffled labels give so large a difference? 1 for those whose exposure is not above δ.

        masks: who was in, and blocks: of which block, each in the order of the splits. among: who is tested; 1 for
        the others too.
        """
        found = np.ones(len(self.inside))
        rows = np.flatnonzero((self.exposures() > delta) & (True if among is None else among))
        if not len(rows):
            return found
        cells = self.lookup.cell_of_row[rows]
        scores = np.column_stack([step[cells] for step in self.steps]) / FINEST
        found[rows] = permutation_p(scores, np.column_stack([mask[rows] for mask in masks]), blocks)
        return found

    def marginal_risk(self, masks: Sequence[Mask]) -> Mean:
        """The mean exposure with its interval over splits. masks: who was in, in the order of the splits.

        Which people happen to be in moves the contrast of a split, but not the mean over splits, in which everybody is
        in as often as out. So each split's contrast is freed of it before the spread is taken: every person's scores
        are taken from their own mean over splits. What is left depends on pairs of people being in together.
        """
        return mean_over(self.freed(masks), float(self.exposures().mean()), pair_inflation(self.n_splits))

    def freed(self, masks: Sequence[Mask]) -> list[float]:
        """The contrast of every split, freed of who happened to be in; worked out once until the next split."""
        if not self._freed:
            self._freed = self._free(masks)
        return self._freed

    def _free(self, masks: Sequence[Mask]) -> list[float]:
        by_cell = self.total / max(self.n_splits, 1)
        parts = (parted(by_cell, self.lookup.cell_of_row, mask) for mask in masks)
        return [c - float(into.mean() - out.mean()) for c, (into, out) in zip(self.contrasts, parts, strict=True)]


def permutation_p(scores: Floats, inside: Mask, blocks: Sequence[int] | Integers) -> Floats:
    """One-sided: of each row (people, splits), would labels shuffled within blocks give so large a difference?"""
    lowest = scores.min(axis=1, keepdims=True)
    width = np.maximum(scores.max(axis=1, keepdims=True) - lowest, 1 / FINEST)
    levels = np.rint((scores - lowest) / width * GRID).astype(np.int64)
    tails = np.empty(len(scores))
    permutation_tails(levels, inside, _ends(blocks), tails)
    return tails


def pair_inflation(n_splits: int) -> float:
    """What balanced labels do to the spread of what depends on pairs of people.

    Within a block of m splits the labels of one person have the correlation −1/(m − 1), so the products of two persons'
    labels have 1/(m − 1)², and the variance of their mean is m/(m − 1) times that of independent splits.
    """
    size = min(BLOCK, max(n_splits, 2))
    return float(np.sqrt(size / (size - 1)))


def difference_error(
    now: Mean, now_splits: Mapping[int, float], then: Mean, then_splits: Mapping[int, float]
) -> tuple[float, float]:
    """How far the 95 % interval of the difference of two passes' marginal risks reaches below it and above it.

    Passes have the same splits, by number, and these move both alike, so the spread is that of the differences split by
    split. One pass may have stopped earlier, or a split failed in it: what only one has counts as in its own mean.
    """
    n, m = len(now_splits), len(then_splits)
    both = [k for k in now_splits if k in then_splits]
    below, above = [0.0], [0.0]
    if len(both) > 1:
        # Weighed so that their mean is what these splits contribute to the difference of the two means.
        paired = [len(both) * (now_splits[k] / n - then_splits[k] / m) for k in both]
        mean = mean_over(paired, inflate=pair_inflation(len(both)))
        below, above = [mean.value - mean.low], [mean.high - mean.value]
    shared = len(both) if len(both) > 1 else 0
    alone = [p.half_width * sqrt((k - shared) / k) for p, k in ((now, n), (then, m)) if k > shared]
    return hypot(*below, *alone), hypot(*above, *alone)


def _benjamini_hochberg(p: Floats, level: float) -> Mask:
    """Which hypotheses are rejected at this false discovery rate (Benjamini and Hochberg 1995)."""
    return _adjusted_p(p) <= level


def _adjusted_p(p: Floats) -> Floats:
    """The least false discovery rate at which each hypothesis is rejected (Benjamini and Hochberg 1995)."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def _ends(blocks: Sequence[int] | Integers) -> Integers:
    """Where each run of equal numbers ends."""
    given = np.asarray(blocks)
    return np.append(np.flatnonzero(np.diff(given)) + 1, len(given)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Exposed:
    """Who is exposed: by any look-up, and by each. One entry a look-up in the lists, one a person in the arrays.

    adjusted: of every person, the least rate of false discoveries at which they are among them; 1 where not tested.
    n_tested: how many people could be exposed by more than δ at all, and so were tested.
    n_lookups: the most look-ups that one of them was tested under.
    """

    by_any: Mask
    by_each: tuple[Mask, ...]
    exposures: tuple[Floats, ...]
    p_values: tuple[Floats, ...]
    adjusted: Floats
    n_tested: int
    n_lookups: int


def find_exposed(
    sums: Sequence[ScoreSums],
    masks: Sequence[Mask],
    blocks: Sequence[int],
    delta: float,
    level: float,
    first: Mask | None = None,
) -> Exposed:
    """Who is exposed at all, and by each look-up: significantly, and by more than δ.

    At all: a person's smallest p-value times the number of look-ups they were tested under (Bonferroni), so that the
    rate of false discoveries is that of people, however many look-ups there are. first: those whom the outputs are most
    likely to expose, known without a look at who was in; they have half of the weight of all tests.
    """
    exposures = tuple(s.exposures() for s in sums)
    p_values = tuple(s.p_values(masks, blocks, delta) for s in sums)
    tested = [s.can_exceed(delta) for s in sums]
    n_lookups = np.sum(tested, axis=0)
    people = n_lookups > 0
    weights = _test_weights(people, first)
    least = np.minimum(np.min(p_values, axis=0) * n_lookups, 1.0)
    adjusted = _adjusted(least / weights, people)
    by_any = (adjusted <= level) & (least < 1.0)
    # By each of those who are exposed at all: taken alone, a look-up does not pay for the others.
    each = tuple(
        (_adjusted(p / weights, t) <= level) & (p < 1.0) & by_any for p, t in zip(p_values, tested, strict=True)
    )
    return Exposed(by_any, each, exposures, p_values, adjusted, int(people.sum()), int(n_lookups.max(initial=0)))


def _test_weights(tested: Mask, first: Mask | None) -> Floats:
    """The weight of everybody's test, 1 in the mean of those who are tested (Genovese, Roeder & Wasserman 2006)."""
    weights = np.ones(len(tested))
    early = np.zeros_like(tested) if first is None else first & tested
    n, n_early = int(tested.sum()), int(early.sum())
    # Where so few are tested that half of the weight would be less than their share, all weigh the same.
    if 0 < n_early < n / 2:
        weights[tested] = n / 2 / (n - n_early)
        weights[early] = n / 2 / n_early
    return weights


CONFIRMED = 7e-5
"""What the p-values of the two tests of somebody must come to, multiplied (Fisher 1932). With nobody exposed, one
output in twenty has somebody to test again (Benjamini and Hochberg's level, 0.05). The second p-value is then a uniform
number, so one in two thousand keeps them: t (1 + ln(0.05 / t)) = 0.0005."""

_FOUND_LATER = 0.2
"""Share of the rate of false discoveries at which people are found who were not at first: in all it stays below it."""


def confirm(
    found: Exposed,
    again: Sequence[ScoreSums],
    masks: Sequence[Mask],
    blocks: Sequence[int],
    delta: float,
    level: float,
    named: Mask | None = None,
) -> Exposed:
    """Only those who are exposed in the whole: by more than δ where hardly anybody else is left out, beyond doubt.

    Of thousands who are tested one may stand out by chance, and an output must not be refused for that. Everybody who
    was found is tested once more, by the look-up that showed them most clearly, on fresh splits of nearly full size.
    Who stood out by far needs little more; who only just did must stand out again. Where somebody does, so may others
    who were not found at first: all whom the fresh splits show are judged by both tests, under control of the false
    discovery rate. named: people whom rules or the smallest groups name; what only the whole shows shows here, so they
    are judged by the second test alone too.
    """
    clearest = np.argmin(found.p_values, axis=0)
    named = np.zeros_like(found.by_any) if named is None else named

    def under_it(by_lookup: Sequence[Floats]) -> Floats:
        return np.array(by_lookup)[clearest, np.arange(len(clearest))]

    at_full_size = tuple(s.exposures() for s in again)
    first = under_it(found.p_values)
    among = (first < 1.0) | named
    p_again = [s.p_values(masks, blocks, 0.0, among=among) for s in again]
    fresh, exposures = under_it(p_again), under_it(at_full_size)
    by_any = found.by_any & (found.adjusted * fresh <= CONFIRMED) & (fresh < 1.0) & (exposures > delta)
    if by_any.any():
        seen = np.flatnonzero((first < 1.0) & (fresh <= level) & (exposures > delta))
        both = np.minimum(found.n_lookups * _product(first[seen], fresh[seen]), 1.0)
        # All the others who were tested count among the tests.
        tests = np.append(both, np.ones(max(found.n_tested - len(seen), 0)))
        by_any[seen] |= _benjamini_hochberg(tests, _FOUND_LATER * level)[: len(seen)]
    largest = np.where(np.array(at_full_size) > delta, np.array(p_again), 1.0)
    by_whole = np.zeros_like(by_any)
    by_whole[named] = _benjamini_hochberg(np.minimum(largest[:, named].min(axis=0) * len(again), 1.0), _CONFIRMED_ALONE)
    clearest = np.where(by_whole & ~by_any, np.argmin(largest, axis=0), clearest)
    by_any |= by_whole
    by_each = tuple((each | (clearest == k)) & by_any for k, each in enumerate(found.by_each))
    return replace(found, by_any=by_any, by_each=by_each, exposures=_after(found.exposures, at_full_size, masks))


_CONFIRMED_ALONE = 0.001
"""The rate of false discoveries among those who are judged by the second test alone: one output in a thousand."""


def _after(halves: Sequence[Floats], whole: Sequence[Floats], masks: Sequence[Mask]) -> tuple[Floats, ...]:
    """Everybody's exposure: at full size for those who were left out there, in halves for the others."""
    was_out = ~np.all(masks, axis=0)
    return tuple(np.where(was_out, new, old) for old, new in zip(halves, whole, strict=True))


def _product(first: Floats, second: Floats) -> Floats:
    """The p-value of two independent ones, by their product (Fisher 1932)."""
    product = np.maximum(first * second, np.finfo(float).tiny)
    combined: Floats = product * (1.0 - np.log(product))
    return combined


def _adjusted(p: Floats, tested: Mask) -> Floats:
    """Adjusted p-values of those who were tested; 1 for the others."""
    found = np.ones(len(p))
    found[tested] = _adjusted_p(p[tested])
    return found
