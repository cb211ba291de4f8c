"""How much of an assessment is left: the splits of this stage, and what comes after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SMALLER_PARTS, SECOND_LOOK = "smaller parts", "second look"
"""What the parts of a pass are called that come after its splits."""

WHOLE = 4.0
"""Splits that the search on all rows is worth: twice the rows, every last digit, and once more with snapshots."""

ALONE = 0.5
"""An output alone beside all together, where there are several: in between nothing and as much."""

SMALLER = 0.7
"""A part of the learning curve beside a split: it has a quarter of the rows and less, and its digits are harder."""

FIRST = 5
"""Splits of a pass that are searched for to their last digits, whatever these cost."""

_STOPPING = 0.25
"""Share of the assessments whose splits stop early, as was found of ten: most of them run all."""


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
        return self.splits - (_STOPPING * (self.splits - self.at_least) if done < self.at_least else 0.0)


@dataclass
class TimeLeft:
    """The passes in their order, and what a split of the first took. most: seconds that all may take from now on.

    looks: splits of the second look that passes have in any case, since rules or arithmetic name somebody.
    dear, near: where the first splits take more seconds each than the one, the others take about the other.
    """

    passes: Sequence[PassAhead]
    most: Callable[[], float] = lambda: float("inf")
    looks: int = 0
    dear: float = float("inf")
    near: float = 0.0
    _each: float = field(default=0.0, init=False)

    def seconds_after(self, n_done: int, each: float) -> float:
        """Seconds that the passes after so many take at least. each: what a split of the first took."""
        return each * ALONE * sum(WHOLE + p.at_least + self.looks for p in self.passes[n_done:])

    def seconds(self, stage: str, done: int, total: int, each: float) -> float:
        """Seconds until the end. stage, done, total: what is being done; each: seconds that one of these took so far.

        Where nobody is named a second look is not foreseen: whether there will be one shows when it begins.
        """
        name, _, part = stage.partition(", ")
        number = next((i for i, p in enumerate(self.passes) if p.stage == name), None)
        if number is None:
            return each * (total - done)
        own = self.passes[number]
        each = self.near if not part and done <= FIRST and each > self.dear else each
        left = each * (total - done)
        if not part:
            left = each * (max(own.expected(done), done) - done + SMALLER * own.smaller + self.looks)
            self._each = each if number == 0 else self._each
        usual = self._each or each
        if part == SMALLER_PARTS:
            left += usual * self.looks
        later = self.passes[number + 1 :]
        return min(left + usual * ALONE * sum(WHOLE + p.expected(0) + self.looks for p in later), self.most())
