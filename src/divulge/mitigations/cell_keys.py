"""Cell keys: counts changed by a little, always alike for the same cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.cell_key import CellKey
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class PerturbByKeys(Mitigation):
    """Change counts by keys of their cells."""

    name: ClassVar[str] = "cell-keys"
    rung: ClassVar[Rung] = Rung.PERTURB
    costs: ClassVar[str] = "Every count is off by a little; margins need not add up."
    reading: ClassVar[str] = "As intervals of the largest change on each side; the same cell is always printed alike."

    method: CellKey = field(default_factory=CellKey)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for most in (5, 10):
                yield cls(method=CellKey(most=most, variance=3.0 if most == 5 else 12.0, seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Change counts by at most {self.method.most}, by keys of the cells"
