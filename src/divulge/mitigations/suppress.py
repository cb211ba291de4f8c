"""Suppress: withhold figures that give somebody away, and as many others as it takes that they do not follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np

from divulge.kernels.arrays import Mask
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.table import Schema
from divulge.withholding import complete_pattern

MOST_PEOPLE = 0.5
"""The share of people behind figures that must go, beyond which hardly anything would be left of a table."""


@dataclass(frozen=True, kw_only=True)
class Suppress(Mitigation):
    """Withhold figures by their labels. All are marked alike, so that nobody knows which of them were too small."""

    name: ClassVar[str] = "suppress"
    rung: ClassVar[Rung] = Rung.SUPPRESS
    costs: ClassVar[str] = "The withheld figures are lost; every figure that is left is exact."
    reading: ClassVar[str] = "As any count that the published figures allow: the audit proves how wide that is."

    withheld: Annotated[tuple[str, ...], "The labels of the figures."] = ()
    n_primary: Annotated[int, "How many of them are withheld for their own sake."] = 0

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        labels = trouble.case.labels
        primary = trouble.blame > 0
        if not trouble.output.can_suppress or not primary.any() or _people_behind(trouble, primary) > MOST_PEOPLE:
            return
        withheld = complete_pattern(trouble.submission(), primary)
        if withheld.all():
            return
        yield cls(withheld=tuple(labels[i] for i in np.flatnonzero(withheld)), n_primary=int(primary.sum()))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, suppressed=self.withheld, threshold=None)

    def describe(self, schema: Schema) -> str:
        del schema
        n, more = self.n_primary, len(self.withheld) - self.n_primary
        figures = "1 figure" if n == 1 else f"{n:,} figures"
        beside = f", and {more:,} more so that {'it does' if n == 1 else 'they do'} not follow" if more else ""
        return f"Withhold {figures}{beside}"


def _people_behind(trouble: Trouble, primary: Mask) -> float:
    """The share of people who stand behind the figures, in the division of people where it is largest."""
    shares = [1.0 if primary.all() else 0.0]
    for behind in trouble.case.behind:
        people, own = trouble.case.rows(behind), behind.figures >= 0
        hidden = own & primary[np.maximum(behind.figures, 0)]
        shares.append(float(people[hidden].sum() / max(people[own].sum(), 1)))
    return max(shares)
