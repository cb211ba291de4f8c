"""Mutation: every cell is redrawn with a small probability, which falls from generation to generation by a schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import SpecError
from divulge.kernels import evolution
from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.rules import Rules
from divulge.objective.moves import draws_of, users_of
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Program
from divulge.settings import Range, check_settings

Source = Literal["marginal", "uniform"]

_SHARE = Range(least=0, most=1)


@dataclass(frozen=True)
class Stepped:
    """A rate that is divided every so many generations."""

    rate: Annotated[float, "How likely each cell is to be redrawn at first.", _SHARE]
    divide: Annotated[float, "What the rate is divided by.", Range(least=1)]
    every: Annotated[int, "After how many generations.", Range(least=1)]

    def __post_init__(self) -> None:
        check_settings(self)


Rates = Annotated[float, _SHARE] | Stepped | tuple[tuple[int, Annotated[float, _SHARE]], ...]
"""One rate; {rate, divide, every}: divided every so many generations; or a list of [generation, rate]."""


@dataclass(frozen=True)
class Schedule:
    """The mutation rate of every generation: `rates[k]` holds from generation `starts[k]` on, divided as it goes."""

    starts: tuple[int, ...]
    rates: tuple[float, ...]
    divide: float = 1.0
    every: int = 1

    @classmethod
    def of(cls, rates: Rates) -> Schedule:
        """A schedule as the settings have it; an error at `mutation` where it makes none."""
        if isinstance(rates, Stepped):
            return cls((0,), (rates.rate,), rates.divide, rates.every)
        if not isinstance(rates, tuple):
            return cls((0,), (rates,))
        starts = tuple(start for start, _ in rates)
        if starts[:1] != (0,) or sorted(set(starts)) != list(starts):
            raise SpecError(
                "generations that start at 0 and ascend are needed.",
                where="mutation",
                hint="Write for example [[0, 0.01], [250, 0.005]].",
            )
        return cls(starts, tuple(rate for _, rate in rates))

    def rate(self, generation: int) -> float:
        """How likely each cell is to be redrawn in a generation; the first is 0."""
        k = sum(start <= generation for start in self.starts) - 1
        return float(self.rates[k] / self.divide ** (generation // self.every))


def redraw(objective: Objective, source: Source) -> evolution.Redraw:
    """What cells are redrawn from: the granted marginals, or all values that these allow, equally likely.

    Every variable mutates, also those that no output looks at, as in the authors' program.
    """
    shares = [objective.marginals[variable.name] for variable in objective.schema]
    columns = [j for j, share in enumerate(shares) if np.count_nonzero(share) > 1]
    if source == "uniform":
        shares = [(share > 0).astype(float) for share in shares]
    return evolution.Redraw(np.array(columns, dtype=np.int64), draws_of(objective, shares), users_of(objective))


def mutate(
    program: Program,
    cells: evolution.Redraw,
    rules: Rules,
    codes: Codes,
    totals: Floats,
    rate: float,
    stream: NDArray[np.uint64],
) -> int:
    """Redraw cells in place, and move the totals along; return how many were changed."""
    scale = evolution.jump_scale(rate)
    return int(evolution.mutate(program.blocks(), cells, rules, codes, totals, stream, scale))
