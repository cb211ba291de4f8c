"""How much of an assessment is left: the splits of this stage, and what comes after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WHOLE = 4.0
"""Splits that the search on all rows is worth: twice the rows, every last digit, and once more with snapshots."""

ALONE = 0.5
"""An output alone beside all together, where there are several: in between nothing and as much."""

SMALLER = 0.4
"""A part of the learning curve beside a split: it has a quarter of the rows and less."""


@dataclass(frozen=True)
class PassAhead:
    """What a pass has to do. stage: what it is called; splits: how many; smaller: parts of its learning curve.

    at_least: splits after which it may stop; as many as there are where it may not.
    """

    stage: str
    splits: int
    at_least: int
    smaller: int = 0

    def expected(self, done: int) -> float:
        """How many splits there will be, as far as is known once so many are done: some stop early, some do not."""
        return (self.at_least + self.splits) / 2 if done < self.at_least else float(self.splits)


@dataclass
class TimeLeft:
    """The passes in their order, and what a split of the first took. most: seconds that all may take from now on."""

    passes: Sequence[PassAhead]
    most: Callable[[], float] = lambda: float("inf")
    _each: float = field(default=0.0, init=False)

    def seconds(self, stage: str, done: int, total: int, each: float) -> float:
        """Seconds until the end. stage, done, total: what is being done; each: seconds that one of these took so far.

        A second look is not foreseen: whether there will be one shows when it begins.
        """
        name, _, part = stage.partition(", ")
        number = next((i for i, p in enumerate(self.passes) if p.stage == name), None)
        if number is None:
            return each * (total - done)
        own = self.passes[number]
        if part:
            left = each * (total - done)
        else:
            left = each * (max(own.expected(done), done) - done + SMALLER * own.smaller)
            self._each = each if number == 0 else self._each
        usual = self._each or each
        later = self.passes[number + 1 :]
        return min(left + usual * ALONE * sum(WHOLE + p.expected(0) for p in later), self.most())
