"""How fit an individual is: Σ over outputs of weight · mean squared error of the figures (Elliot et al., section 3).

Figures of outputs that lower are taken to first order at a reference table, so that no candidate is refitted. Others
(`custom`) are computed anew. Nothing is reported from here: the final figures are exact (`embedding.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from divulge.kernels import evolution
from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.changes import Goal
from divulge.objective.objective import Objective, Target
from divulge.objective.views import View
from divulge.outputs.lowering.lowered import Lowered
from divulge.table import Table

Units = Literal["figures", "standard"]


@dataclass(frozen=True, eq=False)
class Fitness:
    """The criterion at one reference table, for an objective without known marginals.

    view: has the residuals there, weighted as the mean squared error asks.
    nearest: the same view with published intervals, which says when figures are likely to be as printed.
    """

    view: View
    nearest: View

    @classmethod
    def at(cls, objective: Objective, totals: Floats, table: Table, units: Units) -> Fitness:
        """Linearised at a table, whose totals are given.

        The figures of the table itself are exact. One step of Newton from the released coefficients would not do: a
        slope that is off by little in its own unit may be far off in standard errors, and bends the others with it.
        """
        nearest = objective.linearise(totals, table)
        parts = []
        for o, (target, lowered) in enumerate(zip(_lowering(objective), objective.lowered, strict=True)):
            parts.append(_goal(target, lowered, units))
            if target.output.residuals_are_figures and not target.output.is_exact:
                exact = (target.output.evaluate(table).values - target.released.centre)[: lowered.n_residuals]
                place = nearest.residuals[nearest.residual_start[o] :][: len(exact)]
                place[:] = np.where(np.isfinite(exact), exact, place)
        nothing = Goal(np.zeros(0), np.zeros(0), np.zeros(0))
        goal = Goal(*(np.concatenate(part) for part in zip(nothing, *parts, strict=True)))
        return cls(replace(nearest, goal=goal), nearest)

    def of(self, totals: Floats) -> float:
        """The fitness of an individual by its totals, without the outputs that do not lower."""
        view = self.view
        return float(evolution.fitness(view.metric, view.reference, view.residuals, totals, np.empty(view.n_residuals)))

    def is_inside(self, totals: Floats) -> bool:
        """Whether every figure is as printed, to first order."""
        return self.nearest.at(totals).is_inside(self.nearest.n_residuals)


def _lowering(objective: Objective) -> list[Target]:
    return [t for t in objective.targets if t.output.can_lower]


def _goal(target: Target, lowered: Lowered, units: Units) -> Goal:
    """What an output's residuals should be: a printed figure's aim is itself, another's its interval.

    What is no figure (an inequality: a group that must not be empty) has no unit of its own but the output's.
    """
    released, output = target.released, target.output
    n = lowered.n_residuals
    is_figure = np.zeros(n, dtype=bool)
    is_printed = np.zeros(n, dtype=bool)
    if output.residuals_are_figures:
        n_figures = min(n, len(released.values))
        is_figure[:n_figures] = True
        is_printed[:n_figures] = np.isfinite(released.values[:n_figures])
    unit = np.maximum(lowered.unit, 1e-300)  # a unit of 0 asks for exactness
    if units == "figures":
        unit = np.where(is_figure, 1.0, unit)
    count = max(int(is_printed.sum()) if is_printed.any() else n, 1)
    weight = output.weight / count / unit**2
    return Goal(weight, np.where(is_printed, 0.0, lowered.low), np.where(is_printed, 0.0, lowered.high))


def evaluated(objective: Objective, codes: Codes) -> float:
    """The part of the fitness that outputs which do not lower have: each is computed from the table.

    A figure that is undefined counts as off by its own size and 1: worse than nothing at all.
    """
    table = objective.table(codes)
    total = 0.0
    for target in objective.targets:
        if target.output.can_lower:
            continue
        released = target.released
        errors = target.output.evaluate(table).values - released.values
        given = np.isfinite(released.values)
        errors = np.where(np.isfinite(errors), errors, np.abs(released.values) + 1.0)[given]
        total += target.output.weight * float(np.mean(errors**2)) if errors.size else 0.0
    return total
