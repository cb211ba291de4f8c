"""Outputs recomputed exactly from synthetic microdata, beside what was released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.objective.objective import Objective, Target
from divulge.outputs import Status
from divulge.table import Table

_NEAR = 0.05
"""Within so many standard errors an estimate counts as tested though its last digits differ. The coefficient of a
dummy for one person has about the standard deviation of the response as its error, and a numeric target counts as
hit within 0.05 of that (scenario/score.py, TOLERANCE)."""

_IN_THE_MEAN = 0.02
"""Standard errors that estimates of one output may be off in the mean for a search to end: a fiftieth of what the
people who happen to be in a half add to them."""


@dataclass(frozen=True, eq=False)
class Enough:
    """How near estimates have to be where the last digits are not to be had at once.

    se: the standard errors of every output's figures. is_final: whether the last digits are not even tried for.
    """

    se: tuple[Floats, ...]
    is_final: bool = False

    def is_met(self, number: int, errors: Floats, agrees: Mask) -> bool:
        """Whether the figures of an output are: a twentieth of a standard error each, and less in the mean."""
        if number >= len(self.se):
            return bool(agrees.all())
        with np.errstate(invalid="ignore", divide="ignore"):
            off = np.where(agrees, 0.0, np.abs(errors) / self.se[number])
        return bool((off <= _NEAR).all() and off.mean() <= _IN_THE_MEAN)


_UNDEFINED = 1e12
"""Half units that an undefined figure is off by: more than any other."""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """One output, released and recomputed exactly from the synthetic table.

    agrees: as printed, or not searched for. searched: the figures that the search is held to; None: all.
    """

    target: Target
    labels: tuple[str, ...]
    released: Floats
    values: Floats
    agrees: Mask
    status: Status
    se: Floats | None = None
    searched: Mask | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every released figure is reproduced at its published precision."""
        return bool(self.agrees.all())

    def near(self, se: Floats | None) -> Mask:
        """Which figures are as printed, or within a twentieth of these standard errors of what was printed."""
        if se is None:
            return self.agrees
        with np.errstate(invalid="ignore"):
            return self.agrees | (np.abs(self.values - self.released) <= _NEAR * se)

    def judged(self, target: Target) -> Reproduction:
        """The same beside narrower figures: what was asked for, where the search was held to less."""
        agrees = self.agrees & (target.released.agrees(self.values) | ~self.held)
        return replace(self, target=target, released=target.released.values, agrees=agrees)

    @property
    def held(self) -> Mask:
        """The figures that the search is held to."""
        return np.ones(len(self.values), dtype=bool) if self.searched is None else self.searched

    @property
    def n_reproduced(self) -> int:
        """How many of them are as printed."""
        return int(self.agrees[self.held].sum())

    @property
    def off(self) -> float:
        """How far figures are from what was printed, in half units of the last digit: the sum of logarithms, since the
        farthest one says little of the others."""
        half = np.maximum(self.target.released.half, 1e-300)
        with np.errstate(invalid="ignore", over="ignore"):
            units = np.nan_to_num(np.abs(self.values - self.released) / half, nan=_UNDEFINED, posinf=_UNDEFINED)
        return float(np.log1p(units[~self.agrees]).sum())

    @property
    def as_printed(self) -> Mask:
        """Which figures are as printed, whether they were searched for or not."""
        return self.agrees & self.target.released.agrees(self.values)

    @property
    def errors(self) -> Floats:
        """Recomputed − released, for the figures that were released and that the search is held to."""
        given = np.isfinite(self.released) & self.held
        return self.values[given] - self.released[given]

    @property
    def mae(self) -> float:
        """Mean absolute error; NaN where a figure is undefined."""
        return float(np.mean(np.abs(self.errors))) if self.errors.size else 0.0

    @property
    def mse(self) -> float:
        return float(np.mean(self.errors**2)) if self.errors.size else 0.0

    def as_json(self) -> dict[str, Any]:
        """The JSON names that scripts rely on."""
        figures = [
            {"label": label, "released": float(r), "value": float(v), "reproduced": bool(a)}
            for label, r, v, a in zip(self.labels, self.released, self.values, self.as_printed, strict=True)
        ]
        return {
            "kind": self.target.output.kind,
            "name": self.target.output.name,
            "status": str(self.status),
            "mae": self.mae,
            "mse": self.mse,
            "reproduced": self.n_reproduced / int(self.held.sum()) if self.held.any() else 1.0,
            "figures": figures,
        }


def reproduce(objective: Objective, table: Table) -> tuple[Reproduction, ...]:
    """Every output recomputed exactly from a table."""
    found = []
    for target in objective.targets:
        figures = target.output.evaluate(table)
        agrees = target.released.agrees(figures.values)
        if figures.se is not None and target.output.searches_se(table.schema, target.released):
            agrees = agrees & target.released.agrees_se(figures.se)
        searched = target.output.searched(table.schema)
        if searched is not None:
            agrees = agrees | ~searched
        found.append(
            Reproduction(
                target,
                figures.labels,
                target.released.values,
                figures.values,
                agrees,
                figures.status,
                figures.se,
                searched,
            )
        )
    return tuple(found)
