"""Two mitigations of one output, one after the other: coarser groups, and fewer digits or withheld figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Self

from divulge.mitigations.fewer_digits import FewerDigits
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble
from divulge.outputs import Output
from divulge.table import Schema

MOST = 2
"""Of each of the two the mildest so many are put together."""


@dataclass(frozen=True, kw_only=True)
class Both(Mitigation):
    """A mitigation, and another of what it leaves."""

    name: ClassVar[str] = "both"
    rung: ClassVar[Rung] = Rung.DIGITS
    costs: ClassVar[str] = "What the first costs, and what the second costs of the figures that are left."
    reading: ClassVar[str] = "As the first is read, and what is left as the second is."

    first: Mitigation
    second: Mitigation

    @classmethod
    def fewer_digits(cls, mildest: Sequence[Mitigation], trouble: Trouble) -> Iterator[Self]:
        """Those that change groups or withhold figures, the mildest first, each with fewer digits."""
        coarse = [one for one in mildest if one.rung in (Rung.COARSEN, Rung.SUPPRESS)]
        for first in coarse[:MOST]:
            for digits in islice(FewerDigits.propose(trouble), MOST):
                yield cls(first=first, second=digits)

    def apply(self, output: Output, schema: Schema) -> Output:
        return self.second.apply(self.first.apply(output, schema), schema)

    def loses(self, schema: Schema) -> tuple[str, ...]:
        return (*self.first.loses(schema), *self.second.loses(schema))

    def describe(self, schema: Schema) -> str:
        told = self.second.describe(schema)
        return f"{self.first.describe(schema)}; {told[0].lower()}{told[1:]}"
