"""How estimates by maximum likelihood lower: totals are the pieces of the score at the released parameters; residuals
are those of the fit itself, and their derivatives H⁻¹ times the score's (the influence function: Hampel 1974).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve, information, maximise, row_scores
from divulge.outputs.models.pieces import Piece, combine
from divulge.outputs.models.refit import drawn_table, inverted
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table


@dataclass(frozen=True, eq=False)
class Equation:
    """An estimating equation: which rows a table gives, the score and its slope at parameters, and the fit."""

    rows: Callable[[Table], ModelRows]
    curve: Curve
    p: int

    def slope(self, rows: ModelRows, theta: Floats) -> Floats:
        return information(self.curve, rows, theta[: self.p], theta[self.p :])

    def spread(self, rows: ModelRows, theta: Floats) -> Floats:
        """Σ of squared scores, which is the information where the model holds."""
        scores = row_scores(self.curve, rows, theta[: self.p], theta[self.p :]) / np.sqrt(rows.counts)[:, None]
        # A row without a score (thresholds that were printed alike) says nothing.
        scores = np.where(np.isfinite(scores), scores, 0.0)
        return scores.T @ scores

    def fit(self, rows: ModelRows, theta: Floats) -> Floats | None:
        found = maximise(self.curve, rows, theta[: self.p], theta[self.p :])
        return found.theta if found.status is Status.OK else None


@dataclass(frozen=True, eq=False)
class _EstimateResiduals:
    """Parameters of the fit − released, then the number of rows − released where it is a figure.

    Totals: the pieces, which `combine` adds up to the score; then the number of rows.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    equation: Equation
    theta: Floats
    combine: Floats
    released_rows: float | None

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        q, n_pieces = self.combine.shape
        score = self.combine @ totals[:n_pieces]
        rows = self.equation.rows(table)
        with np.errstate(all="ignore"):
            at = self.theta
            fitted = self.equation.fit(rows, self.theta)
            if fitted is not None and np.isfinite(fitted).all():
                at = fitted
            slope = self.equation.slope(rows, at)
            inverse, is_lost = inverted(slope if _is_usable(slope) else self.equation.spread(rows, at))
        residuals = at - self.theta if at is not self.theta else inverse @ score
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
        jacobian = np.zeros((q, len(totals)))
        jacobian[:, :n_pieces] = inverse @ self.combine
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        return np.append(residuals, totals[-1] - self.released_rows), np.concatenate([jacobian, count])


def _is_usable(slope: Floats) -> bool:
    """Whether an information matrix is one: finite, with nothing below 0 on its diagonal, and positive definite."""
    if not np.isfinite(slope).all():
        return False
    inside = np.diagonal(slope) > 0.0
    if (np.diagonal(slope) < 0.0).any():
        return False
    part = slope[np.ix_(inside, inside)]
    root = np.sqrt(np.diagonal(part))
    return not len(part) or float(np.linalg.eigvalsh(part / root / root[:, None])[0]) > 0.0


def lower_pieces(
    output: Output,
    model: Model,
    schema: Schema,
    released: Released,
    equation: Equation,
    pieces: tuple[Piece, ...],
) -> Lowered:
    """The additive form of parameters, and of the number of rows where the last label is `n`."""
    has_n = released.labels[-1] == "n"
    theta = released.centre[: len(released.labels) - has_n]
    p = model.design.n_columns
    names = list(output.own_variables())
    weight = weight_term(output, schema, names)
    blocks = [piece.block(model.design, theta[:p], weight) for piece in pieces]
    if has_n:
        blocks.append(Block((Term.constant(),), 1, weight=weight))
    residuals = _EstimateResiduals(
        equation,
        theta,
        combine(pieces, model.design, len(theta) - p),
        float(released.centre[-1]) if has_n else None,
    )
    unit = _expected_units(equation, theta, names, output, schema)
    if released.se is not None:
        se = released.se[: len(theta)]
        unit = np.where(np.nan_to_num(se) > 0.0, se, unit)
    if has_n:
        unit = np.append(unit, max(released.half[-1], 0.5))
    n_totals = sum(block.n_totals for block in blocks)
    return Lowered(
        tuple(blocks),
        np.zeros(n_totals),
        residuals,
        released.residual_low,
        released.residual_high,
        unit,
        is_linear=False,
    )


def _expected_units(equation: Equation, theta: Floats, names: list[str], output: Output, schema: Schema) -> Floats:
    """About how large standard errors are if variables were independent; only a unit for the discrepancy."""
    table, share = drawn_table([*names, *output.uses(schema)], schema)
    with np.errstate(all="ignore"):
        inverse, _ = inverted(equation.spread(equation.rows(table), theta) * share)
    return np.sqrt(np.diagonal(inverse))
