"""How a regression lowers: totals are the score at the released coefficients, residuals what a refit would change.

A coefficient vector is reproduced exactly when its estimating equation holds at it (design: "every output is a sum over
records"). The refit is, to first order, H⁻¹ · score away, with H the information of the table at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.cells import Source
from divulge.kernels.lowering import NOTHING
from divulge.kernels.moments import bends, information, moments
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.design import schema_counts
from divulge.outputs.models.model import Model, Statistic, figures_beside
from divulge.outputs.models.separated import limit_inverse, with_sums
from divulge.outputs.models.statistics import count_blocks, statistics_of
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Condition, Schema, Table

NO_SECOND_STEP = 1_000_000
"""Rows from which on estimates are so precise, and so near to those released, that it is not worth its memory."""

N_EXPECTED = 4096
"""Rows drawn to say how precise coefficients would be where no standard error was released: within some per cent."""


_SETTLING = 12
"""Newton steps from a guess to the sums of coefficients without finite values: each goes 1 at most."""


@dataclass(frozen=True, eq=False)
class _RefitResiduals:
    """Coefficients now − released = H⁻¹ · score; then statistics and standard errors of the refit − released.

    Totals: the score; the information (lower triangle, row by row) where standard errors are released; the
    log-likelihood's kernel and the counts of `statistics.count_blocks` where statistics are.

    endless: −1 or 1 for a coefficient that was released without a finite value, else 0. Such a release says that along
    this direction no row has the other outcome (Albert and Anderson 1984), so its residual counts those that have.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    model: Model
    beta: Floats
    weights: str | None
    where: Condition | None
    se: Floats | None
    statistics: tuple[Statistic, ...]
    released: Floats  # of the statistics
    endless: Floats

    def source(self, table: Table) -> Source:
        keep = None if self.where is None else self.where.selects(table)
        return self.model.source(table, self.weights, keep)

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        m = self.model.n_coefficients
        score, rest = totals[:m], totals[m:]
        source = self.source(table)
        if self.se is None:
            curvature = information(source, self.model.kernel, self.beta)
        else:
            curvature = np.zeros((m, m))
            curvature[np.tril_indices(m)] = rest[: m * (m + 1) // 2]
            curvature = np.tril(curvature) + np.tril(curvature, -1).T
            rest = rest[m * (m + 1) // 2 :]
        inverse, is_lost = self.inverse(source, curvature)
        change = inverse @ score
        residuals, jacobian = [self._refitted(source, change, is_lost)], [np.zeros((m, len(totals)))]
        jacobian[0][:, :m] = inverse
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals[0][is_lost] += np.sqrt(np.diagonal(inverse)[is_lost])
        is_endless = self.endless != 0.0
        if is_endless.any():
            # Every row with the other outcome lowers the score along the direction by 1; half a row is none.
            against = 0.5 + float(self.endless @ score)
            residuals[0][is_endless] = self.endless[is_endless] * against
            jacobian[0][is_endless, :m] = np.outer(self.endless[is_endless], self.endless)
        if len(rest):
            # A refit gains half of score · change on the released coefficients (twice that in squared residuals).
            rest = rest.copy()
            gain = -2.0 if self.model.family == "identity" else 1.0
            rest[0] += gain * 0.5 * float(score @ change)
        if self.statistics:
            value, slope = _sloped(lambda r: statistics_of(self.model, self.statistics, r), rest)
            row = np.zeros((len(value), len(totals)))
            row[:, len(totals) - len(rest) :] = slope
            row[:, :m] = np.outer(slope[:, 0] * gain, change)
            residuals.append(value - self.released)
            jacobian.append(row)
        if self.se is not None:
            self._add_se(source, inverse, change, rest, totals, residuals, jacobian)
        return np.concatenate(residuals), np.concatenate(jacobian)

    def variables(self) -> list[str]:
        """Of the model, and of the condition that says which rows it is fitted to."""
        return [*self.model.variables(self.weights), *(self.where.variables if self.where is not None else ())]

    def inverse(self, source: Source, curvature: Floats) -> tuple[Floats, Mask]:
        """The inverse of the information, and which columns have none."""
        if not self.endless.any():
            return inverted(curvature)
        return limit_inverse(curvature, information(source, self.model.kernel, 0.0 * self.beta), self.endless)

    def settled(self, table: Table) -> Floats:
        """The coefficients with sums of −∞ and ∞ as this table has them."""
        source, beta = self.source(table), np.atleast_2d(self.beta)
        for _ in range(_SETTLING):
            there = moments(source, self.model.kernel, beta)
            step = self.inverse(source, there.information)[0] @ there.score
            beta = beta + np.where(self.endless != 0.0, np.clip(step, -1.0, 1.0), 0.0)
        return beta.reshape(self.beta.shape)

    def _refitted(self, source: Source, change: Floats, is_lost: Mask) -> Floats:
        """Coefficients of the refit − released: a second step of Newton's, for what the first one leaves.

        Where estimates are strongly correlated (a slope per year with its intercept), that is more than a last digit.
        """
        if self.model.family == "identity" or is_lost.any() or source.rows.n_rows >= NO_SECOND_STEP:
            return change.copy()
        beta = np.atleast_2d(self.beta)
        there = moments(source, self.model.kernel, beta + change.reshape(beta.shape))
        if self.endless.any():
            step: Floats | None = self.inverse(source, there.information)[0] @ there.score
        else:
            step = glm.solve_scaled(there.information, there.score)
        # Far away the second step may lead anywhere, and the first is enough to go by: by as much as the standard error
        # that a coefficient would have by itself, no second step is to be trusted.
        alone = 1.0 / np.sqrt(np.maximum(np.diagonal(there.information), np.finfo(float).tiny))
        if step is None or np.any(np.abs(step) > alone):
            return change.copy()
        return change + step

    def _add_se(
        self,
        source: Source,
        inverse: Floats,
        change: Floats,
        rest: Floats,
        totals: Floats,
        residuals: list[Floats],
        jacobian: list[Floats],
    ) -> None:
        """se² = scale · (H⁻¹)ⱼⱼ, with H at the refit: d(H⁻¹)ⱼⱼ = −cⱼ'·dH·cⱼ, c the columns of H⁻¹."""
        m = len(change)
        bend = np.zeros((m, m))
        if self.model.family != "identity":
            bend = bends(source, self.model.kernel, np.atleast_2d(self.beta), inverse)
        # Far from the released figures the first order may leave no variance at all; a hundredth keeps slopes finite.
        variance = np.maximum(np.diagonal(inverse) - bend @ change, 0.01 * np.diagonal(inverse))
        scale, scale_slope = 1.0, np.zeros(len(rest))
        if self.model.family == "identity":
            # rest: squared residuals, then rows (see `statistics.count_blocks`).
            df = max(rest[1] - m, 1.0)
            scale = max(rest[0], np.finfo(float).tiny) / df
            scale_slope[0], scale_slope[1] = 1.0 / df, -scale / df
        se = np.sqrt(scale * variance)
        rows, columns = np.tril_indices(m)
        twice = np.where(rows == columns, 1.0, 2.0)
        slope = np.zeros((m, len(totals)))
        slope[:, :m] = -scale * bend @ inverse
        slope[:, m : m + len(rows)] = -scale * inverse[:, rows] * inverse[:, columns] * twice
        if len(rest):
            slope[:, len(totals) - len(rest) :] += variance[:, None] * scale_slope
            slope[:, :m] -= 2.0 * np.outer(variance, change) * scale_slope[0]
        assert self.se is not None
        given = np.isfinite(self.se)
        residuals.append((se - np.nan_to_num(self.se))[given])
        # A released error of nothing has no slope that says anything; any finite one will do.
        jacobian.append(slope[given] / (2.0 * np.maximum(se[given], np.finfo(float).tiny))[:, None])


def _sloped(function: Callable[[Floats], Floats], at: Floats) -> tuple[Floats, Floats]:
    """A smooth function of few numbers, and its derivatives by central differences."""
    value = function(at)
    slope = np.empty((len(value), len(at)))
    for j in range(len(at)):
        step = 1e-5 * max(1.0, abs(at[j]))  # the cube root of rounding, where central differences are best
        up, down = at.copy(), at.copy()
        up[j] += step
        down[j] -= step
        slope[:, j] = (function(up) - function(down)) / (2 * step)
    return value, slope


def inverted(information: Floats) -> tuple[Floats, Mask]:
    """The inverse of an information matrix, and which columns have none of it.

    A column without rows is taken as if half a row spoke for it alone: then the search sees which way to go.
    """
    diagonal = np.diagonal(information)
    is_lost = diagonal <= 0.0
    mended = information + np.diag(np.where(is_lost, 0.5, 0.0))
    inverse = glm.solve_scaled(mended, np.eye(len(mended)))
    if inverse is None:
        # Collinear: a ridge of 1e-8 of each diagonal is far above rounding and far below one row.
        mended = mended + np.diag(1e-8 * np.maximum(np.diagonal(mended), 1e-8))
        inverse = glm.solve_scaled(mended, np.eye(len(mended)))
    if inverse is None:
        inverse = np.diag(1.0 / np.diagonal(mended))
    return inverse, is_lost


def drawn_table(names: list[str], schema: Schema) -> tuple[Table, float]:
    """Rows drawn from the frequencies that the schema knows, each variable by itself, and how many each stands for."""
    rng = np.random.default_rng(1)  # any seed: see N_EXPECTED
    counts = schema_counts(schema)
    small = Schema(tuple(schema[n] for n in dict.fromkeys(names)))
    columns, total = [], float(N_EXPECTED)
    for variable in small:
        weight = counts(variable.name)
        if variable.frequencies is not None:
            total = max(total, float(weight.sum()))
        columns.append(rng.choice(variable.n_codes, N_EXPECTED, p=weight / weight.sum()).astype(variable.dtype))
    return Table(small, tuple(columns)), total / N_EXPECTED


def _expected_se(refit: _RefitResiduals, schema: Schema) -> Floats:
    """Standard errors under the released model if variables were independent, with the frequencies the schema knows.

    Only a unit for the discrepancy, so that no coefficient weighs far more than another; nothing is reported in it.
    """
    table, share = drawn_table(refit.variables(), schema)
    source = refit.source(table)
    inverse, _ = refit.inverse(source, information(source, refit.model.kernel, refit.beta))
    inverse = inverse / share
    scale = 1.0
    if refit.model.family == "identity":
        weight = schema_counts(schema)(refit.model.formula.response.variable)
        known = np.isfinite(refit.model.y)
        mean = _mean_response(refit.model, schema)
        scale = float(np.average((refit.model.y[known] - mean) ** 2, weights=weight[known])) or 1.0
    se: Floats = np.sqrt(scale * np.diagonal(inverse))
    return se


def _mean_response(model: Model, schema: Schema) -> float:
    """The mean of the response by the frequencies that the schema knows."""
    known = np.isfinite(model.y)
    return float(np.average(model.y[known], weights=schema_counts(schema)(model.formula.response.variable)[known]))


def lower_model(
    output: Output,
    model: Model,
    schema: Schema,
    released: Released,
    statistics: tuple[Statistic, ...],
    lowers_se: bool = True,
    near: Table | None = None,
) -> Lowered:
    """The additive form of a model's figures. Standard errors of multinomial models are not lowered: their information
    has too many totals. lowers_se: whether others are (those of the model itself: yes). near: a table of which the sums
    are taken that −∞ and ∞ have together; as the mean response asks for where there is none."""
    m = model.n_coefficients
    centre = released.centre
    beta = centre[:m] if not model.classes else centre[:m].reshape(model.n_classes, -1)
    where = None if output.where is None else Condition.parse(output.where, schema)
    se = released.se[:m] if released.se is not None and not model.classes and lowers_se else None
    beside = figures_beside(statistics)
    endless = np.where(np.isinf(released.values[:m]), np.sign(released.values[:m]), 0.0)
    refit = _RefitResiduals(model, beta, output.weights, where, se, beside, centre[m:], endless)
    has_sums = bool(endless.any()) and not model.classes
    if has_sums:
        if near is not None:
            beta = refit.settled(near)
        else:
            drawn, _ = drawn_table(refit.variables(), schema)
            beta = with_sums(model, beta, endless, drawn, _mean_response(model, schema))
        refit = replace(refit, beta=beta)
    weight = weight_term(output, schema)
    blocks = [_score_block(model, beta, weight)]
    if se is not None:
        blocks.append(_information_block(model, beta, weight))
    if beside or (se is not None and model.family == "identity"):
        link = replace(blocks[0].link, moment="loglikelihood")  # type: ignore[type-var]
        blocks += [Block((Term.constant(),), 1, link, weight), *count_blocks(output, model, schema)]
    unit = _expected_se(refit, schema)
    if released.se is not None:
        unit = np.where(np.nan_to_num(released.se[:m]) > 0.0, released.se[:m], unit)
    unit = np.where((endless != 0.0) | (unit <= 0.0), 1.0, unit)
    low, high = released.residual_low, released.residual_high
    n_rows = about_rows(beside, centre[m:], schema)
    unit = np.append(unit, _statistic_units(beside, centre[m:], released.half[m:], n_rows))
    if se is not None:
        given = se[np.isfinite(se)]
        half = released.se_half[:m][np.isfinite(se)]
        low, high = np.append(low, -half), np.append(high, half)
        # A standard error is itself known to one part in √(2n).
        unit = np.append(unit, np.maximum(given / np.sqrt(2.0 * n_rows), half))
    n_totals = sum(b.n_totals for b in blocks)
    is_bent = model.family != "identity"
    settled = partial(_near, output, model, schema, released, statistics, lowers_se) if has_sums else None
    zero = np.zeros(n_totals)
    return Lowered(tuple(blocks), zero, refit, low, high, unit, is_linear=False, is_bent=is_bent, settled=settled)


def _near(
    output: Output,
    model: Model,
    schema: Schema,
    released: Released,
    statistics: tuple[Statistic, ...],
    lowers_se: bool,
    table: Table,
) -> Lowered:
    return lower_model(output, model, schema, released, statistics, lowers_se, table)


def about_rows(names: tuple[Statistic, ...], values: Floats, schema: Schema) -> float:
    """About how many rows the model has: as released, else as the schema's frequencies say, else some thousand."""
    if "n" in names:
        return max(float(values[names.index("n")]), 1.0)
    known = [float(v.frequencies.sum()) for v in schema if v.frequencies is not None]
    return max([1.0, *known]) if known else float(N_EXPECTED)


def _score_block(model: Model, beta: Floats, weight: Term | None) -> Block:
    """Σ rows of x (y − μ) at given coefficients."""
    link = Link(model.family, model.design.terms, model.response_term(), beta)
    return Block(model.design.terms, model.design.n_columns, link, weight)


def _information_block(model: Model, beta: Floats, weight: Term | None) -> Block:
    """Σ rows of x x' dμ/dη, lower triangle row by row: one term for each pair of the design's."""
    terms = model.design.terms
    n = model.design.n_columns
    pairs = tuple(pair_of_terms(terms[a], terms[c]) for a in range(len(terms)) for c in range(a + 1))
    link = Link(model.family, terms, model.response_term(), beta, "information")
    return Block(pairs, n * (n + 1) // 2, link, weight)


def pair_of_terms(a: Term, c: Term) -> Term:
    """x·x' of two terms: the cell of both, and the place of their columns in the lower triangle."""
    size = len(c.index)
    scaled = tuple(np.where(cells < 0, NOTHING, cells * size).astype(np.int32) for cells in a.cells)
    rows, columns = np.meshgrid(a.index.astype(np.int64), c.index.astype(np.int64), indexing="ij")
    high, low = np.maximum(rows, columns), np.minimum(rows, columns)
    index = np.where(low < 0, -1, high * (high + 1) // 2 + low).ravel().astype(np.int32)
    return Term(
        (*a.variables, *c.variables),
        (*scaled, *c.cells),
        (*a.factors, *c.factors),
        index,
        np.outer(a.scale, c.scale).ravel(),
    )


def _statistic_units(names: tuple[Statistic, ...], values: Floats, half: Floats, n: float) -> Floats:
    """About how far each statistic varies from sample to sample; never less than what is printed."""
    units = []
    for name, value in zip(names, values, strict=True):
        if name == "r2":  # Stuart & Ord 1991, 28.32: variance 4 R² (1 − R²)² / n
            units.append(2.0 * np.sqrt(max(value, 1.0 / n) / n) * (1.0 - min(value, 0.99)))
        else:
            units.append(np.sqrt(n) * max(abs(value) / n, 0.1))
    return np.maximum(np.array(units), half)
