"""Random rounding: counts to one of the two multiples next to them, right on average."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.random_rounding import RandomRounding
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class RoundAtRandom(Mitigation):
    """Round counts at random."""

    name: ClassVar[str] = "random-rounding"
    rung: ClassVar[Rung] = Rung.ROUND
    costs: ClassVar[str] = "Every count is off by less than the base, on average by nothing; margins need not add up."
    reading: ClassVar[str] = "As intervals of less than a base on each side; the same cell is always printed alike."

    method: RandomRounding = field(default_factory=RandomRounding)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for base in (3, 5, 10):
                yield cls(method=RandomRounding(base=base, seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Round counts at random to multiples of {self.method.base}"
