"""Fewer digits: figures printed more coarsely, down to what a reader needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.settings import Range
from divulge.table import Schema

MOST_TAKEN = 3
"""Digits that are taken away at most: beyond that something else is called for."""


@dataclass(frozen=True, kw_only=True)
class FewerDigits(Mitigation):
    """Print so many digits less."""

    name: ClassVar[str] = "fewer-digits"
    rung: ClassVar[Rung] = Rung.DIGITS
    costs: ClassVar[str] = "Every figure is rounded more coarsely."
    reading: ClassVar[str] = "As intervals: half a unit of the last printed digit on each side."

    less: Annotated[int, "How many digits are taken away.", Range(least=1)] = 1

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        precision = trouble.case.released.precision
        if precision.base is not None or trouble.output.growth == "extensive":
            return
        if precision.significant is not None:
            most = precision.significant - 1
        else:
            listed = precision.decimals if isinstance(precision.decimals, tuple) else (precision.decimals or 0,)
            most = min(listed)
        for less in range(1, min(MOST_TAKEN, most) + 1):
            yield cls(less=less)

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        precision = output.precision()
        if precision.significant is not None:
            return computed_again(output, significant=max(1, precision.significant - self.less))
        listed = precision.decimals
        fewer = tuple(d - self.less for d in listed) if isinstance(listed, tuple) else (listed or 0) - self.less
        return computed_again(output, decimals=fewer)

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Print {self.less} digit{'s' if self.less > 1 else ''} less"
