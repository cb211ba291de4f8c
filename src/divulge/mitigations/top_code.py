"""Top and bottom codes: the ends of a range of numbers are taken together, where they are thin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, with_coarser
from divulge.outputs import Output
from divulge.outputs.behind import Behind
from divulge.table import Schema
from divulge.table.coarsening import Coarsening

_EDGES = ("minimum", "maximum", "last step")
"""Figures that are the value of the outermost person of a group."""


@dataclass(frozen=True, kw_only=True)
class TopCode(Mitigation):
    """Numbers above the top become the top, numbers below the bottom become the bottom."""

    name: ClassVar[str] = "top-code"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = "What the largest and smallest values are is lost; means and totals of them change a little."
    reading: ClassVar[str] = (
        "As figures of the coded values: nothing about values beyond the codes but how many they are."
    )

    variable: Annotated[str, "The variable of numbers."]
    top: Annotated[float | None, "Numbers above this become this."] = None
    bottom: Annotated[float | None, "Numbers below this become this."] = None

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        """Codes at which enough of all have a number, and codes at which enough of each group that has an edge have."""
        yield from cls._of_all(trouble)
        edges = [b for b in trouble.case.behind if b.what in _EDGES and b.variable is not None]
        for name in dict.fromkeys(b.variable for b in edges if b.variable in trouble.free_variables):
            assert name is not None, "only edges of a variable were taken"
            groups = [b for b in edges if b.variable == name]
            if trouble.schema[name].kind == "numeric" and name not in trouble.output.coarser:
                high = any(b.what != "minimum" for b in groups)
                top = min((_reached(trouble, b, name) for b in groups if b.what != "minimum"), default=np.inf)
                bottom = -min((_reached(trouble, b, name, -1) for b in groups if b.what == "minimum"), default=np.inf)
                if bottom < top and (high or np.isfinite(bottom)):
                    yield cls(
                        variable=name,
                        top=float(top) if np.isfinite(top) else None,
                        bottom=float(bottom) if np.isfinite(bottom) else None,
                    )

    @classmethod
    def _of_all(cls, trouble: Trouble) -> Iterator[Self]:
        for name in trouble.free_variables:
            variable = trouble.schema[name]
            if variable.kind != "numeric" or variable.n_values < 4 or name in trouble.output.coarser:
                continue
            codes = trouble.table[name].astype(np.int64)
            people = np.bincount(codes[codes < variable.n_values], minlength=variable.n_values)
            numbers = variable.numbers[: variable.n_values]
            above, below = np.cumsum(people[::-1])[::-1], np.cumsum(people)
            top, bottom = (
                numbers[above >= trouble.fewest].max(initial=-np.inf),
                numbers[below >= trouble.fewest].min(initial=np.inf),
            )
            if np.isfinite(top) and np.isfinite(bottom) and bottom < top and (top < numbers[-1] or bottom > numbers[0]):
                yield cls(
                    variable=name,
                    top=float(top) if top < numbers[-1] else None,
                    bottom=float(bottom) if bottom > numbers[0] else None,
                )

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return with_coarser(output, self.variable, Coarsening(top=self.top, bottom=self.bottom))

    def describe(self, schema: Schema) -> str:
        del schema
        ends = [f"above {self.top:g}"] if self.top is not None else []
        ends += [f"below {self.bottom:g}"] if self.bottom is not None else []
        return f"Take values of {self.variable} {' and '.join(ends)} together"


def _reached(trouble: Trouble, behind: Behind, name: str, sign: int = 1) -> float:
    """The largest number that enough people of each group reach; of the negative numbers, where the sign is −1."""
    variable, codes = trouble.schema[name], trouble.table[name].astype(np.int64)
    numbers = sign * variable.numbers[codes]
    found = np.inf
    for group in range(behind.n_groups):
        inside = (behind.group == group) & (codes < variable.n_values)
        ranked = np.sort(np.repeat(numbers[inside], trouble.table.times[inside].astype(np.int64)))
        if len(ranked):
            found = min(found, float(ranked[-min(trouble.fewest, len(ranked))]))
    return found
