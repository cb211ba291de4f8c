"""Fewer times: a survival curve at times between which enough people have the event, and not to its last people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Integers
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.kinds.survival import Survival
from divulge.table import Schema

MORE_TIMES = (1, 2, 4, 8)
"""Between two times so many times the fewest people are tried, the mildest change first."""


@dataclass(frozen=True, kw_only=True)
class FewerTimes(Mitigation):
    """Show a curve at these times alone."""

    name: ClassVar[str] = "fewer-times"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = (
        "Where between two times the curve falls is lost, and its end with few people; the rest is exact."
    )
    reading: ClassVar[str] = (
        "As the curve at these times: so many people have the event in between, at no particular time."
    )

    times: Annotated[tuple[float, ...], "The times that are left."]

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        written = trouble.output.written
        if not isinstance(written, Survival) or written.breaks or written.time in trouble.output.coarser:
            return
        (events, curves) = (next(b for b in trouble.case.behind if b.what == what) for what in ("events", "curve"))
        shown = np.array(written.times or trouble.schema[written.time].values.tolist(), dtype=np.float64)
        had = trouble.case.units(events).reshape(curves.n_groups, len(shown))
        time = trouble.schema[written.time].numbers[trouble.table[written.time]]
        after = np.stack(
            [trouble.case.units(replace(curves, group=np.where(time > t, curves.group, -1))) for t in shown.tolist()],
            axis=1,
        )
        seen: set[tuple[float, ...]] = {tuple(shown.tolist())}
        for more in MORE_TIMES:
            times = tuple(shown[_kept(had, after, more * trouble.fewest)].tolist())
            if times and times not in seen:
                seen.add(times)
                yield cls(times=times)

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        held: dict[str, Any] = vars(output.written)
        if not isinstance(output.written, Survival) or held["breaks"]:
            raise OutputError("only a survival curve is shown at fewer times.", where="kind")
        return computed_again(output, times=self.times, suppressed=())

    def describe(self, schema: Schema) -> str:
        del schema
        n = len(self.times)
        return f"Show the curve at {n:,} time{'' if n == 1 else 's'}"


def _kept(had: Integers, after: Integers, fewest: int) -> Integers:
    """The times, from the first on, between which of each curve enough people have the event or nobody has, and after
    which enough are left of each curve that goes on."""
    found, since = list[int](), np.zeros(len(had), dtype=np.int64)
    for at in range(had.shape[1]):
        since = since + had[:, at]
        is_enough = ((since == 0) | (since >= fewest)) & ((after[:, at] == 0) | (after[:, at] >= fewest))
        goes_on = after[:, at] > 0
        if is_enough.all() and goes_on.any() and (since > 0).any():
            found.append(at)
            since = np.zeros_like(since)
    return np.array(found, dtype=np.int64)
