"""How to split the rows: whole, folds, folds of folds, repeated halves, learning curve. Nothing here looks at values.

A design is a frozen list of splits that follows from its settings, the number of rows and the seed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb, exp, log
from typing import Annotated, ClassVar, Self

import numpy as np

from divulge.errors import DesignError, SpecError
from divulge.kernels.arrays import Integers, Mask
from divulge.settings import Called, Range, check_settings

FEWEST_ROWS = 50
"""Below this no split says anything: halves of 25 rows make every interval wider than any threshold."""

LEAST_ON_CURVE = 200
"""Below this a point of the learning curve says nothing: its interval is wider than what it should show."""

BLOCK = 10
"""Halves come in blocks of so many splits; in each block every row is in for exactly half of the splits."""

CONFIRMING = 2 * BLOCK
"""Splits of the second look at those who were found exposed: 63,504 arrangements of labels, enough for a handful."""

CONFIRMING_ALONE = 3 * BLOCK
"""The same where people are judged by the second look alone: 16 million arrangements, enough for a hundred people."""

LEFT_OUT = 10_000
"""Number of the first split of the second look: above those of any design, so that none shares its random numbers."""

_TAGS = {"halves": 1, "folds": 2, "curve": 3}
"""First words of the keys of the random streams, so that designs of one seed share no numbers."""


@dataclass(frozen=True)
class Split:
    """One split: which part of the design it belongs to, its number there, and how its rows are chosen.

    part: `whole`, `halves`, `folds`, `folds of folds`, `left out`, or `n/4` … of the learning curve.
    run: the number of the random stream of its search.
    """

    part: str
    number: int
    label: str
    run: int
    n_rows: int
    seed: int
    settings: tuple[int, ...] = ()

    @property
    def has_holdout(self) -> bool:
        return self.part != "whole"

    @property
    def is_on_curve(self) -> bool:
        """Whether it is there for the learning curve alone."""
        return self.part.startswith("n/")

    def rows(self) -> tuple[Mask, Mask]:
        """(in, out): whose output is computed, and who stays out. Whole: everybody is in and nobody out."""
        if self.part == "whole":
            return np.ones(self.n_rows, dtype=bool), np.zeros(self.n_rows, dtype=bool)
        if self.part == "left out":
            inside = np.ones(self.n_rows, dtype=bool)
            inside[list(self.settings)] = False
            return inside, ~inside
        if self.part == "halves":
            inside = _half_labels(self.n_rows, self.seed, self.number // BLOCK, self.settings[0])
            column = np.ascontiguousarray(inside[:, self.number % BLOCK])
            return column, ~column
        if self.part == "folds":
            fold = _folds(self.n_rows, self.settings[0], self.seed)
            return fold != self.number, fold == self.number
        if self.part == "folds of folds":
            outer, folds, inner = self.settings
            members = np.flatnonzero(_folds(self.n_rows, folds, self.seed) == outer)
            within = _folds(len(members), folds, self.seed + 1 + outer)
            inside, outside = np.zeros(self.n_rows, dtype=bool), np.zeros(self.n_rows, dtype=bool)
            inside[members[within != inner]] = True
            outside[members[within == inner]] = True
            return inside, outside
        divisor = self.settings[0]
        rng = np.random.default_rng([self.seed, _TAGS["curve"], divisor, self.number])
        inside = np.zeros(self.n_rows, dtype=bool)
        inside[rng.permutation(self.n_rows)[: self.n_rows // divisor]] = True
        return inside, ~inside


def left_out_split(number: int, rows: Sequence[int], n_rows: int, seed: int) -> Split:
    """A split in which everybody is in but the people of these rows."""
    return Split("left out", number, f"Second look, split {number + 1}", LEFT_OUT + number, n_rows, seed, tuple(rows))


@lru_cache(maxsize=1)  # the splits of a block follow one another, and each asks twice
def _half_labels(n_rows: int, seed: int, block: int, size: int) -> Mask:
    """(rows, splits) of one block: each row is in for half of the splits, each split has half of the rows.

    Rows are paired at random; one of a pair has a random arrangement of as many ins as outs, the other its opposite.
    So each row's labels are uniform over all arrangements, which is what a permutation test needs.
    """
    rng = np.random.default_rng([seed, _TAGS["halves"], block])
    order = rng.permutation(n_rows)  # what half_pairs repeats
    n_pairs = (n_rows + 1) // 2
    pattern = np.argsort(rng.random((n_pairs, size)), axis=1) < size // 2
    labels = np.empty((n_rows, size), dtype=bool)
    labels[order[:n_pairs]] = pattern
    labels[order[n_pairs:]] = ~pattern[: n_rows - n_pairs]
    labels.flags.writeable = False
    return labels


def half_pairs(n_rows: int, seed: int, block: int) -> tuple[Integers, Integers]:
    """The pairs of rows of one block: in each of its splits one of a pair is in and the other out, by a fair coin.

    Coins of different pairs are independent. A row without a partner is left out.
    """
    order = np.random.default_rng([seed, _TAGS["halves"], block]).permutation(n_rows)
    first, second = order[: (n_rows + 1) // 2], order[(n_rows + 1) // 2 :]
    return first[: len(second)], second


def _folds(n_rows: int, k: int, seed: int) -> Integers:
    """The fold of every row; sizes differ by one at most."""
    fold = np.empty(n_rows, dtype=np.int64)
    fold[np.random.default_rng([seed, _TAGS["folds"]]).permutation(n_rows)] = np.arange(n_rows) % k
    return fold


@dataclass(frozen=True, kw_only=True)
class Whole:
    """All rows, several runs of the search: how the risk varies with the search (Elliot et al., experiment 1)."""

    kind: ClassVar[str] = "whole"
    runs: Annotated[int, "How many runs.", Range(least=1)] = 10

    def __post_init__(self) -> None:
        check_settings(self)

    def doubled(self) -> Self:
        """The same with twice the splits, where that shows more; else the same."""
        return self

    def splits(self, n_rows: int, seed: int) -> tuple[Split, ...]:
        return tuple(Split("whole", i, f"Run {i + 1}", i, n_rows, seed) for i in range(self.runs))


@dataclass(frozen=True, kw_only=True)
class Folds:
    """k folds, each the holdout in turn (experiment 2)."""

    kind: ClassVar[str] = "folds"
    folds: Annotated[int, "How many folds.", Range(least=2)] = 2

    def __post_init__(self) -> None:
        check_settings(self)

    def doubled(self) -> Self:
        """The same with twice the splits, where that shows more; else the same."""
        return self

    def splits(self, n_rows: int, seed: int) -> tuple[Split, ...]:
        _at_most("folds", self.folds, n_rows // FEWEST_ROWS, n_rows)
        return tuple(Split("folds", i, f"Fold {i + 1}", i, n_rows, seed, (self.folds,)) for i in range(self.folds))


@dataclass(frozen=True, kw_only=True)
class FoldsOfFolds:
    """k folds, and each of these split into k again: does the contrast depend on the size? (experiment 3)"""

    kind: ClassVar[str] = "folds-of-folds"
    folds: Annotated[int, "How many folds, and how many folds of each.", Range(least=2)] = 2

    def __post_init__(self) -> None:
        check_settings(self)

    def doubled(self) -> Self:
        """The same with twice the splits, where that shows more; else the same."""
        return self

    def splits(self, n_rows: int, seed: int) -> tuple[Split, ...]:
        first = Folds(folds=self.folds).splits(n_rows, seed)
        _at_most("folds", self.folds**2, n_rows // FEWEST_ROWS, n_rows)
        k = self.folds
        second = [
            Split("folds of folds", k * i + j, f"Fold-Fold {i + 1}.{j + 1}", k + k * i + j, n_rows, seed, (i, k, j))
            for i in range(k)
            for j in range(k)
        ]
        return (*first, *second)


@dataclass(frozen=True, kw_only=True)
class RepeatedHalves:
    """Random halves, many times; every row is in for half of them. The default.

    stop_early: no further block of splits once the intervals are narrow enough for the policy and there are enough
    splits that a single exposed row could be told from chance.
    """

    kind: ClassVar[str] = "repeated-halves"
    splits_wanted: Annotated[int, "How many splits; an even number.", Called("splits"), Range(least=2)] = 30
    stop_early: Annotated[bool, "Whether to stop once the intervals are narrow enough."] = True
    further: Annotated[
        int,
        "How many splits more, at most, where these leave power or an interval short of the policy and there is time. "
        "Whoever asks for fewer splits than usual has no more.",
        Range(least=0),
    ] = 30
    curve: Annotated[bool, "Whether the contrast is measured at n/4, n/8 and n/16 too."] = True
    curve_splits: Annotated[int, "How many splits at each size of the curve.", Range(least=2)] = 10

    def __post_init__(self) -> None:
        check_settings(self)
        if self.splits_wanted % 2:
            raise SpecError(
                f"an even number of splits is needed, {self.splits_wanted} is given.",
                where="splits",
                hint=f"Write splits: {self.splits_wanted + 1}. Every row is in for half of the splits.",
            )

    def doubled(self) -> Self:
        """The same with twice the splits, all of them made."""
        return replace(self, splits_wanted=2 * self.splits_wanted, stop_early=False)

    def splits(self, n_rows: int, seed: int) -> tuple[Split, ...]:
        return tuple(
            Split("halves", i, f"Split {i + 1}", i, n_rows, seed, (self.block_size(i),))
            for i in range(self.splits_wanted)
        )

    def block_size(self, number: int) -> int:
        """How many splits the block of a split has: the last one may be shorter."""
        return min(BLOCK, self.splits_wanted - number // BLOCK * BLOCK)

    def extended(self) -> Self:
        """The same with the further splits; as it is where there are none, or the last block is not whole."""
        is_usual = self.stop_early and self.splits_wanted >= RepeatedHalves.splits_wanted
        if not is_usual or self.splits_wanted % BLOCK or not self.further:
            return self
        return replace(self, splits_wanted=self.splits_wanted + self.further // BLOCK * BLOCK)

    def blocks(self) -> tuple[int, ...]:
        """The sizes of the blocks."""
        return tuple(self.block_size(first) for first in range(0, self.splits_wanted, BLOCK))

    def curve_at(self, n_rows: int, seed: int) -> tuple[Split, ...]:
        """The splits of the learning curve below n/2, at sizes that leave LEAST_ON_CURVE rows at least."""
        if not self.curve:
            return ()
        divisors = [d for d in (4, 8, 16) if n_rows // d >= LEAST_ON_CURVE]
        return tuple(
            Split(f"n/{d}", i, f"n/{d}, split {i + 1}", 1000 * d + i, n_rows, seed, (d,))
            for d in divisors
            for i in range(self.curve_splits)
        )


def smallest_p(blocks: tuple[int, ...]) -> float:
    """The smallest p-value that a permutation of a row's labels can have: one over the number of arrangements."""
    # A thousand splits have more arrangements than a floating-point number can say.
    return exp(-sum(log(comb(size, size // 2)) for size in blocks))


Design = Whole | Folds | FoldsOfFolds | RepeatedHalves

DESIGNS: tuple[type[Design], ...] = (RepeatedHalves, Folds, FoldsOfFolds, Whole)
"""Every design; the first is the default."""


def check_holdout(n_shared: int, n_holdout: int) -> None:
    """Raise where rows of the holdout are rows of the original too."""
    if n_shared:
        raise DesignError(
            f"{n_shared:,} of {n_holdout:,} rows of the holdout are in the original too.",
            where="holdout",
            hint="A holdout is people who were not in the data: take them out.",
        )


def _at_most(name: str, value: int, most: int, n_rows: int) -> None:
    if value > most:
        raise DesignError(
            f"{n_rows:,} rows make at most {most} parts of {FEWEST_ROWS} rows, {value} are asked for.",
            where=f"design.{name}",
        )
