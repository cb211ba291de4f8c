"""Quantile regression: the median, or another quantile, of a response by covariates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.behind import Behind, one_group
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.check_loss import DENSITIES, Density, plane_covariance, quantile_plane
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model, number_response
from divulge.outputs.models.newton import Curve, Estimate, estimable
from divulge.outputs.models.refit import drawn_table
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.settings import Range
from divulge.table import Schema, Table, Variable

SHARP = 1e3
"""How steep a step is: over a thousandth of the last printed digit it is a step."""


@dataclass(frozen=True, kw_only=True)
class QuantileRegression(Estimated):
    """Coefficients of a quantile regression (Koenker & Bassett 1978), as rq, qreg and QuantReg print them. The plane
    passes through the points of as many people as it has coefficients. It is lowered: a plane is the released one where
    rows below it and rows up to it, column by column, balance."""

    kind: ClassVar[str] = "quantile-regression"
    title: ClassVar[str] = "Quantile regression"
    statsmodels: ClassVar[str] = "QuantReg"
    attributes: ClassVar[Mapping[str, str]] = {"quantile": "q"}
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    takes_weights: ClassVar[bool] = False
    residuals_are_figures: ClassVar[bool] = False
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"quantreg": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "The median age, by sex and tenure",
            {"formula": "AGE ~ SEX + TENURE", "decimals": 2},
        ),
        Example(
            "The upper quarter of weeks worked, by age",
            {
                "formula": "weeks_worked ~ age",
                "quantile": 0.75,
                "density": "kernel-iid",
                "statistics": ["se", "n"],
                "decimals": 3,
            },
            data="cps",
        ),
    )

    formula: Annotated[str, "The model, as in `WAGE ~ AGE + C(AREA)`."]
    quantile: Annotated[float, "Which quantile, between 0 and 1: 0.5 is the median.", Range(above=0, below=1)] = 0.5
    density: Annotated[
        Density,
        "How standard errors are computed: kernel or kernel-iid (statsmodels), nid, iid or ker (R), fitted (Stata).",
    ] = "kernel"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.errors != "model":
            raise OutputError(
                "robust and clustered standard errors of quantile regressions are not computed.",
                where="errors",
                hint=f"Say how the density is estimated instead: density: {', '.join(DENSITIES)}.",
            )

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return number_response(formula, variable, counts)

    def curve(self) -> Curve:
        raise NotImplementedError("a plane has no likelihood")

    def estimators(self) -> Iterator[Estimated]:
        yield self
        yield from (replace(self, density=density) for density in DENSITIES if density != self.density)

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model_in(table)
        rows = model_rows(self, model, table, self.needs(), is_collapsed=True)
        return model, rows, self._plane(rows)

    def _plane(self, rows: ModelRows) -> Estimate:
        p = rows.x.shape[1]
        keep, status = estimable(rows.x, rows.weight)
        beta = np.full(p, np.nan)
        if rows.n_rows < max(int(keep.sum()), 1):
            status = Status.TOO_FEW_ROWS if rows.n_rows else Status.EMPTY
        elif keep.any():
            found = quantile_plane(rows.x[:, keep], rows.y, rows.weight, self.quantile)
            if found is None:
                status = Status.NOT_CONVERGED
            else:
                beta[keep] = found
        return Estimate(beta, np.zeros(0), np.zeros((p, p)), keep & np.isfinite(beta), np.nan, status)

    def errors_of(self, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        se = np.full(len(fit.beta), np.nan)
        k = int(fit.keep.sum())
        if self.publishes_se and 0 < k < rows.n_rows:
            each = model_rows(self, self.model_in(table), table, self.needs())  # in their order, as R takes them
            x, beta = each.x[:, fit.keep], fit.beta[fit.keep]
            variance = np.diagonal(plane_covariance(x, each.y, beta, self.quantile, self.density))
            se[fit.keep] = np.sqrt(np.where(variance > 0.0, variance, np.nan))
        return se

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """As for every model; and a quantile has few people beyond it where it is near the edge, of all rows and of
        the rows of each level: with categories alone a coefficient is a difference of groups' quantiles."""
        found = super().behind(table)
        name = self.model_in(table).formula.response.variable
        whole = replace(one_group("quantile", found[0].group >= 0), variable=name, quantile=self.quantile)
        levels = [
            replace(b, what="quantile", variable=name, quantile=self.quantile)
            for b in found
            if b.what == "term" and b.variable is None
        ]
        return (*found, whole, *levels, *self._told(table))

    def _told(self, table: Table) -> Iterator[Behind]:
        """People on the plane, where figures as printed tell who they are: for at least half of the different people
        whose prediction is a possible value of the response, it is their own."""
        model, rows, fit = self.fitted(table)
        numbers = table.schema[model.formula.response.variable].numbers
        if not np.isfinite(fit.beta).all() or model.formula.response.text != model.formula.response.variable:
            return
        half = self.precision().half_units(fit.beta)
        step = _step(numbers[np.isfinite(numbers)])
        low, high = rows.x @ fit.beta, np.abs(rows.x) @ half
        could = np.floor((low + high) / step + 1e-9) >= np.ceil((low - high) / step - 1e-9)
        _, pattern = np.unique(rows.x, axis=0, return_inverse=True)
        pattern = pattern.ravel()
        on = could & (np.abs(rows.y - low) <= high + 1e-9 * step) & (high < step / 2.0)
        told = np.unique(pattern[on])
        if 2 * len(told) < len(np.unique(pattern[could])) or not len(told):
            return
        each = model_rows(self, model, table, self.needs())
        same = {row.tobytes(): place for row, place in zip(rows.x, pattern.tolist(), strict=True)}
        number = np.searchsorted(told, [same[row.tobytes()] for row in each.x])
        number = np.where(np.isin([same[row.tobytes()] for row in each.x], told), number, -1)
        group = np.full(table.n_rows, -1, dtype=np.int64)
        group[each.kept] = number
        yield Behind("plane", np.full(len(told), -1), group, texts=("point on the plane",) * len(told))

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        p, has_n = model.design.n_columns, released.labels[-1] == "n"
        weight = weight_term(self, schema, list(self.own_variables()))
        made = _plane_blocks(model, released, self.quantile, weight)
        if has_n:
            made = (*made, Block((Term.constant(),), 1, weight=weight))
        table, _ = drawn_table([*self.uses(schema)], schema)
        x = self.fitted(table)[1].x
        unit = np.sqrt((x**2).mean(axis=0)) if len(x) else np.ones(p)
        unit = np.tile(0.5 * np.where(unit > 0.0, unit, 1.0), 2)
        low = np.concatenate([np.zeros(p), np.full(p, -np.inf)])
        high = np.concatenate([np.full(p, np.inf), np.zeros(p)])
        if has_n:
            unit = np.append(unit, max(released.half[-1], 0.5))
            low, high = np.append(low, released.residual_low[-1]), np.append(high, released.residual_high[-1])
        n_totals = sum(block.n_totals for block in made)
        residuals = _PlaneResiduals(self, released, p, len(made) - has_n, has_n)
        return Lowered(made, np.zeros(n_totals), residuals, low, high, unit, is_linear=False)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.density not in ("kernel", "kernel-iid"):
            return None
        if has_se and self.density == "kernel" and self.quantile != 0.5:
            return None  # on which side rows on the plane lie hangs on rounding there
        vcov = "robust" if self.density == "kernel" else "iid"
        fit = (
            f"smf.quantreg({self.formula!r}, rows).fit(q={self.quantile!r}, vcov={vcov!r}, p_tol=1e-10, max_iter=9999)"
        )
        return [f"model = {fit}", *self.figures_code()]


def _step(numbers: Floats) -> float:
    """To what the response is measured: the last decimal that any of its values has."""
    for decimals in range(10):
        if np.allclose(numbers, np.round(numbers, decimals), rtol=0.0, atol=1e-10):
            return float(10.0**-decimals)
    return 1e-10


def _plane_blocks(model: Model, released: Released, tau: float, weight: Term | None) -> tuple[Block, ...]:
    """Σ x (τ − 1[y below a plane]) for the lowest and the highest plane that is printed alike, then with |x| for x.

    A step is a steep logistic curve; the |x| are left out where no column is ever below 0.
    """
    p = model.design.n_columns
    name = model.formula.response.variable
    terms = model.design.terms
    plain = tuple(_absolute(term, 0) for term in terms)
    beta, half = released.centre[:p], np.where(np.isfinite(released.half[:p]), released.half[:p], 0.0)
    steep = SHARP / max(float(half[half > 0.0].min(initial=np.inf)) if (half > 0.0).any() else 1e-6, 1e-9)
    response = Term.lookup(name, -steep * model.y, 2 * p)
    wider = tuple(_absolute(term, p) for term in terms)
    links = [
        Link(
            "logistic",
            (*terms, *wider, response),
            Term.constant(0, tau),
            np.concatenate([steep * beta, sign * steep * half * (1.0 + 1e-6), [1.0]]),
        )
        for sign in (-1.0, 1.0)
    ]
    has_negative = any(
        (t.scale < 0.0).any() or any(f is not None and (f < 0.0).any() for f in t.factors) for t in terms
    )
    columns = (terms, plain) if has_negative else (terms,)
    return tuple(Block(chosen, p, link, weight) for chosen in columns for link in links)


def _absolute(term: Term, shift: int) -> Term:
    """The absolute values of a term's columns, as other columns."""
    factors = tuple(None if f is None else np.abs(f) for f in term.factors)
    index = np.where(term.index >= 0, term.index + shift, -1).astype(np.int32)
    return Term(term.variables, term.cells, factors, index, np.abs(term.scale))


@dataclass(frozen=True, eq=False)
class _PlaneResiduals:
    """Two residuals a coefficient, then the number of rows − released where it is a figure.

    A plane is the best one where Σ x (τ − a) = 0 with a = 1 below it, 0 above it and anything between for rows on it
    (Koenker 2005, 2.2). So the sum with every row on the plane as favourable as can be is at least 0, and the sum with
    every such row as unfavourable at most 0: column by column that is asked for. It is not always enough; where the
    sums say yes and the plane itself is another, they are asked to leave more room. Rows that lie on any plane that is
    printed alike count as on it. Where the plane is as printed, the table itself says so.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    output: QuantileRegression
    released: Released
    p: int
    n_blocks: int
    has_n: bool

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        p = self.p
        each = np.eye(p)
        nothing = np.zeros((p, p))
        if self.n_blocks == 4:
            best = np.concatenate([each, each, each, -each], axis=1) / 2.0
            worst = np.concatenate([each, each, -each, each], axis=1) / 2.0
        else:
            best, worst = np.concatenate([each, nothing], axis=1), np.concatenate([nothing, each], axis=1)
        jacobian = np.zeros((2 * p, len(totals)))
        jacobian[:p, : best.shape[1]], jacobian[p:, : worst.shape[1]] = best, worst
        residuals = jacobian @ totals
        beta = self.output.fitted(table)[2].beta
        if _within(beta, self.released, p).all():
            residuals = np.concatenate([np.maximum(residuals[:p], 0.0), np.minimum(residuals[p:], 0.0)])
        elif (residuals[:p] >= 0.0).all() and (residuals[p:] <= 0.0).all():
            # The nearer the middle of what the rows on the plane can balance, the surer the plane.
            middle = (residuals[:p] + residuals[p:]) / 2.0
            residuals = np.tile(middle, 2)
        if not self.has_n:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        rows = totals[-1] - float(self.released.centre[-1])
        return np.append(residuals, rows), np.concatenate([jacobian, count])


def _within(beta: Floats, released: Released, p: int) -> Mask:
    slack = 1e-9 * np.maximum(np.abs(beta), 1e-300)
    return np.isfinite(beta) & (beta >= released.low[:p] - slack) & (beta <= released.high[:p] + slack)
