"""Round counts: to the nearest multiple of a base, each figure on its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.settings import Range
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class RoundCounts(Mitigation):
    """Conventional rounding to a base."""

    name: ClassVar[str] = "round-counts"
    rung: ClassVar[Rung] = Rung.ROUND
    costs: ClassVar[str] = "Every count is off by up to half the base; margins need not add up."
    reading: ClassVar[str] = "As intervals of half a base on each side, which margins make narrower."

    base: Annotated[int, "Printed numbers are multiples of this.", Range(least=2)] = 10

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for base in (5, 10, 20):
                yield cls(base=base)

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, base=float(self.base), decimals=None, significant=None, method=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Round counts to multiples of {self.base}"
