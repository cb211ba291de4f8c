"""Mutation: every cell is redrawn with a small probability, which falls from generation to generation by a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import EmbedError
from divulge.kernels import evolution
from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.randomness import alias_table
from divulge.kernels.rules import Rules
from divulge.objective.compiled import moves_of
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Program

Source = Literal["marginal", "uniform"]


@dataclass(frozen=True)
class Stepped:
    """A rate that is divided every so many generations."""

    rate: float
    divide: float
    every: int

    def __post_init__(self) -> None:
        _rate(self.rate, "mutation.rate")
        if not _is_number(self.divide) or not 1 <= self.divide < np.inf:
            raise EmbedError(f"a divisor of at least 1 is needed, {self.divide!r} is given.", where="mutation.divide")
        if not _is_whole(self.every) or self.every < 1:
            raise EmbedError(f"a number of generations is needed, {self.every!r} is given.", where="mutation.every")


Rates = float | Stepped | Mapping[str, float] | Sequence[Sequence[float]]
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
        """A schedule as a spec has it; an error at `mutation` where it makes none."""
        if isinstance(rates, Mapping):
            if set(rates) != {"rate", "divide", "every"}:
                raise _wrong(f"rate, divide and every are needed, {', '.join(map(str, rates)) or 'nothing'} is given.")
            rates = Stepped(rates["rate"], rates["divide"], rates["every"])  # type: ignore[arg-type]  # checked there
        if isinstance(rates, Stepped):
            return cls((0,), (float(rates.rate),), float(rates.divide), int(rates.every))
        if isinstance(rates, Sequence) and not isinstance(rates, str):
            return cls._listed(rates)
        return cls((0,), (_rate(rates, "mutation"),))

    @classmethod
    def _listed(cls, given: Sequence[Sequence[float]]) -> Schedule:
        if not given or any(not isinstance(part, list | tuple) or len(part) != 2 for part in given):
            raise _wrong("pairs of a generation and a rate are needed.")
        starts = [part[0] for part in given]
        if not all(map(_is_whole, starts)) or starts[0] != 0 or sorted(set(starts)) != starts:
            raise _wrong("generations that start at 0 and ascend are needed.")
        rates = tuple(_rate(part[1], f"mutation[{k}]") for k, part in enumerate(given))
        return cls(tuple(int(s) for s in starts), rates)

    def rate(self, generation: int) -> float:
        """How likely each cell is to be redrawn in a generation; the first is 0."""
        k = sum(start <= generation for start in self.starts) - 1
        return float(self.rates[k] / self.divide ** (generation // self.every))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)


def _rate(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise EmbedError(f"a mutation rate between 0 and 1 is needed, {value!r} is given.", where=where)
    return float(value)


def _wrong(message: str) -> EmbedError:
    return EmbedError(
        message,
        where="mutation",
        hint="Write {rate: 0.005, divide: 3, every: 250}, or [[0, 0.01], [250, 0.005]], or one rate.",
    )


def redraw(objective: Objective, source: Source) -> evolution.Redraw:
    """What cells are redrawn from: the granted marginals, or all values that these allow, equally likely.

    Every variable mutates, also those that no output looks at, as in the authors' program.
    """
    moves = moves_of(objective, 0.0, 0.0)
    thresholds, aliases, columns = [], [], []
    for j, variable in enumerate(objective.schema):
        share = objective.marginals[variable.name]
        threshold, alias = alias_table(share if source == "marginal" else (share > 0).astype(float))
        thresholds.append(threshold)
        aliases.append(alias)
        if np.count_nonzero(share) > 1:
            columns.append(j)
    return evolution.Redraw(
        columns=np.array(columns, dtype=np.int64),
        n_codes=moves.n_codes,
        threshold=np.concatenate(thresholds),
        alias=np.concatenate(aliases),
        alias_start=moves.alias_start,
        block_start=moves.block_start,
        blocks=moves.blocks,
    )


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
    return int(
        evolution.mutate(
            program.ints,
            program.floats,
            cells,
            rules,
            codes,
            totals,
            stream,
            evolution.jump_scale(rate),
            np.empty(program.longest, dtype=np.int64),
            np.empty(program.longest),
        )
    )
