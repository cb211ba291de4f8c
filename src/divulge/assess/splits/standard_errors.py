"""Standard errors of figures, also of kinds that print none: what tells how near is near enough for a test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.objective.reproduction import Reproduction
from divulge.outputs import Figures, Output, Released, Statbarn
from divulge.outputs.lowering.influence import NOTHING, influence
from divulge.table import Table

_FEWEST = 10
"""People behind a figure, at least: of fewer its last digits may be what gives somebody away."""

_ESTIMATES = (Statbarn.AGGREGATES, Statbarn.SHAPE, Statbarn.MODELS)
"""Statistics whose last digits say little of anybody. A count says of one person whether they are in it."""


def near_of(outputs: Sequence[Output], number: int, figures: Figures, found: Reproduction, table: Table) -> Mask:
    """Which figures of an output are as printed, or near enough to put them to the test.

    figures: as the people of the table give them; found: as the synthetic rows do.
    """
    if found.is_complete:
        return found.agrees
    return found.near(errors_of(outputs, number, figures, found.target.released, table))


def errors_of(
    outputs: Sequence[Output], number: int, figures: Figures, released: Released, table: Table
) -> Floats | None:
    """The standard errors of an output's figures, as its software has them or from the influence of each row.

    The root of the sum of squared influences (Jaeckel 1972; Efron 1982): of a mean s / √n. NaN where fewer than ten
    people are behind a figure; None where the last digit counts: of counts and totals, and where another output of the
    kind says something of the same variables, so that one person may be the difference between the two.
    """
    output = outputs[number]
    if figures.se is not None:
        return figures.se
    is_estimate = output.statbarn in _ESTIMATES and (output.growth == "intensive" or output.statbarn is Statbarn.SHAPE)
    others = [o for i, o in enumerate(outputs) if i != number and o.kind == output.kind]
    if not is_estimate or any(_described(output) & _described(other) for other in others):
        return None
    found = influence(output, released, table)
    if found is None:
        return None
    moves = np.abs(found.moves)
    n_people = (moves > NOTHING * moves.max(axis=0, initial=0.0)).sum(axis=0) * found.each
    errors: Floats = np.sqrt((moves**2).sum(axis=0) * found.each)
    return np.where(n_people >= _FEWEST, errors, np.nan)


def _described(output: Output) -> set[str]:
    """The variables that figures are of, without those that only make groups."""
    return set(output.own_variables()) - set(vars(output).get("by") or ())
