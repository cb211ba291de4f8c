"""Safe quantiles: percentiles with enough people beyond them, in the place of a minimum and a maximum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from divulge.errors import OutputError
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble
from divulge.outputs import Output, as_read
from divulge.outputs.kinds.box_plot import BoxPlot
from divulge.outputs.kinds.position import Position
from divulge.settings import Range
from divulge.table import Schema

STEPS = (0.01, 0.02, 0.05, 0.1, 0.25)
"""Percentiles that people know; those that leave enough people beyond them in every group are tried."""


@dataclass(frozen=True, kw_only=True)
class SafeQuantiles(Mitigation):
    """Show quantiles at this share from each end instead of extremes."""

    name: ClassVar[str] = "safe-quantiles"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = "The extremes themselves are lost; how wide the middle of the distribution is stays."
    reading: ClassVar[str] = "As quantiles: so many people lie beyond, nobody in particular at them."

    share: Annotated[float, "How far from each end.", Range(above=0, below=0.5)] = 0.05

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        edges = [b for b in trouble.case.behind if b.what in ("minimum", "maximum")]
        if not edges:
            return
        sizes = np.concatenate([trouble.case.units(b) for b in edges])
        smallest = int(sizes[sizes > 0].min(initial=np.iinfo(np.int64).max))
        yield from (cls(share=share) for share in STEPS if share * smallest >= trouble.fewest)

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        held: dict[str, Any] = vars(output.written)
        ends = {"minimum": self.share, "maximum": 1 - self.share}
        is_box = output.kind == BoxPlot.kind
        if not is_box and not ("variables" in held and set(held.get("show", ("",))) <= set(ends)):
            raise OutputError("only extremes are replaced by quantiles.", where="kind")
        shared = {n: held[n] for n in ("name", "where", "by", "decimals", "significant", "base", "empty", "coarser")}
        # The box of a box plot stays. The whiskers end where enough people lie beyond.
        shares = [self.share, 0.25, 0.5, 0.75, 1 - self.share] if is_box else [ends[which] for which in held["show"]]
        quantiles = tuple(dict.fromkeys(shares))
        return as_read(Position(variables=held["variables"], quantiles=quantiles, compute=True, **shared))

    def describe(self, schema: Schema) -> str:
        del schema
        return f"Show percentiles {100 * self.share:g} and {100 - 100 * self.share:g} instead of the extremes"
