"""Fewer digits: figures printed more coarsely, down to what a reader needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np

from divulge.lattice.turning import MOST_PEOPLE, turning_digits
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.digits import less_until_told
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
        first = _turning(trouble, most)
        for less in range(first, min(max(MOST_TAKEN, first), most) + 1):
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


def _turning(trouble: Trouble, most: int) -> int:
    """How many digits have to go, at least: with fewer gone, figures still hold all that rows have, or responses follow
    from them. 1 where arithmetic does not say."""
    output, released = trouble.output, trouble.case.released
    few = next(iter(output.few_people(trouble.table, released, MOST_PEOPLE)), None)
    if few is None or few.says.design.shape[1] < 2:
        return max(1, less_until_told(output, released, trouble.table, most) or 1)
    n = len(few.rows)
    among = replace(few.says, rows=np.arange(n))
    safe = turning_digits([among], MOST_DIGITS, few.values, n, seconds=SECONDS, step=few.among(trouble.table).step).most
    if safe is None:
        return 1
    # Significant digits of the figure that has most of them now.
    sizes = np.abs((few.says.low + few.says.high) / 2)
    units = few.says.high - few.says.low
    shown = np.floor(np.log10(np.maximum(sizes, units))) + 1 - np.round(np.log10(units))
    return int(np.clip(shown.max() - safe, 1, most))


MOST_DIGITS, SECONDS = 8, 2.0
"""Significant digits up to which it is asked how many may be printed, and how long."""
