"""Controlled rounding: counts to multiples of a base, so that margins still add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.controlled_rounding import ControlledRounding
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class RoundControlled(Mitigation):
    """Round counts so that they add up."""

    name: ClassVar[str] = "controlled-rounding"
    rung: ClassVar[Rung] = Rung.ROUND
    costs: ClassVar[str] = "Every count is off by less than the base; margins add up."
    reading: ClassVar[str] = "As intervals of less than a base on each side, of cells and margins together."

    method: ControlledRounding = field(default_factory=ControlledRounding)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for base in (5, 10, 20):
                yield cls(method=ControlledRounding(base=base, seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Round counts to multiples of {self.method.base} that add up"
