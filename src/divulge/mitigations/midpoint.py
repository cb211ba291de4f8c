"""Midpoint rounding: counts in bands, each printed as the middle of its band."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.midpoint import Midpoint
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class RoundToMidpoint(Mitigation):
    """Print the middles of bands of counts."""

    name: ClassVar[str] = "midpoint"
    rung: ClassVar[Rung] = Rung.ROUND
    costs: ClassVar[str] = "Every count is off by up to half the base; zeros stay."
    reading: ClassVar[str] = "As bands: each printed number stands for as many counts as the base says."

    method: Midpoint = field(default_factory=Midpoint)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for base in (6, 12, 20):
                yield cls(method=Midpoint(base=base, seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Print counts as the middles of bands of {self.method.base}"
