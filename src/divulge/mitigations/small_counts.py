"""Small counts rounded: to zero or the base, everything else stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.small_counts import SmallCounts
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class RoundSmallCounts(Mitigation):
    """Round the small counts alone."""

    name: ClassVar[str] = "small-counts"
    rung: ClassVar[Rung] = Rung.ROUND
    costs: ClassVar[str] = "Only small counts change, to zero or the base; margins add up and change a little."
    reading: ClassVar[str] = "A printed zero or base stands for any small count; all other cells are exact."

    method: SmallCounts = field(default_factory=SmallCounts)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for base in (trouble.fewest, 2 * trouble.fewest):
                yield cls(method=SmallCounts(base=base, seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Round counts below {self.method.base} to 0 or {self.method.base}"
