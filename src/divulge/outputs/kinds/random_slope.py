"""Linear regression with a random intercept and a random slope for each group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups
from divulge.outputs.models.group_effects import blocks
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Estimate, estimable
from divulge.outputs.models.pieces import crossed, times
from divulge.outputs.models.random_effects import RandomEffects
from divulge.outputs.models.refit import drawn_table, inverted
from divulge.outputs.models.slope_components import SlopeProfile, SlopeSums, score_slopes, slope_score
from divulge.outputs.output import Example, Growth
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

_NEAR = 1.0
"""Standard errors within which a fit is near to what was released."""


@dataclass(frozen=True, kw_only=True)
class RandomSlope(RandomEffects):
    """Coefficients and variances of a linear model whose groups have an intercept and a slope of one covariate each
    (Laird & Ware 1982), as lmer and mixed print them. It is lowered by its estimating equations, which are smooth
    functions of sums over all rows and over each group. Standard errors are those of the fixed part."""

    kind: ClassVar[str] = "random-slope"
    title: ClassVar[str] = "Random slope regression"
    usual_test: ClassVar[Literal["t", "z"]] = "z"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Weeks worked by age, with a slope for each education",
            {"formula": "weeks_worked ~ age", "group": "education", "slope": "age", "decimals": 2},
            data="cps",
        ),
    )

    formula: Annotated[str, "The fixed part of the model, as in `WAGE ~ AGE + C(AREA)`."]
    group: Annotated[str, "The variable each of whose values has an intercept and a slope."]
    slope: Annotated[str, "The covariate of numbers, among those of the formula, whose slope differs by group."]
    correlated: Annotated[bool, "Whether intercepts and slopes have a covariance: (x | g), not (x || g)."] = True
    likelihood: Annotated[Literal["reml", "ml"], "By restricted likelihood (lmer) or likelihood (mixed)."] = "reml"

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        self._column(self.model(schema))

    def _column(self, model: Model) -> int:
        """The column of the covariate whose slope differs."""
        if self.slope not in model.design.labels:
            raise OutputError(
                f"{self.slope!r} is no covariate of numbers of the formula.",
                where="slope",
                hint="The slope that differs by group is one of those in the fixed part.",
            )
        return model.design.labels.index(self.slope)

    def further(self, schema: Schema) -> tuple[str, ...]:
        both = (f"covariance of {self.group} and {self.slope}",) if self.correlated else ()
        return f"variance of {self.group}", f"variance of {self.slope} by {self.group}", *both, "residual variance"

    def range_of(self, label: str) -> tuple[float, float]:
        return (-np.inf, np.inf) if label.startswith("covariance") else (0.0, np.inf)

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model_in(table)
        rows = self.rows(model, table)
        return model, rows, self._fit(rows, self._column(model))

    def fitted_near(self, table: Table, parameters: Floats) -> Estimate:
        """The fit whose variances are near these, where there is one: found in a tenth of the time."""
        model = self.model_in(table)
        return self._fit(self.rows(model, table), self._column(model), parameters)

    def _fit(self, rows: ModelRows, column: int, near: Floats | None = None) -> Estimate:
        p, k = rows.x.shape[1], 4 if self.correlated else 3
        keep, status = estimable(rows.x, rows.weight)
        groups = len(np.unique(rows.second))
        if rows.n_rows <= int(keep.sum()) + k or groups < 2 or not keep[column]:
            short = Status.TOO_FEW_ROWS if rows.n_rows else Status.EMPTY
            lost = np.zeros(p + k, dtype=bool)
            return Estimate(np.full(p, np.nan), np.full(k, np.nan), np.zeros((p + k, p + k)), lost, np.nan, short)
        z = rows.x[:, column]
        fit = SlopeProfile.of(rows, z, keep, self.likelihood == "reml", self.correlated)
        root = None if near is None else fit.near(near)
        beta, parameters, information = fit.at(fit.best() if root is None else root)
        whole = np.zeros((p + k, p + k))
        chosen = np.append(keep, np.zeros(k, dtype=bool))
        whole[np.ix_(chosen, chosen)] = information / parameters[-1]
        found = np.full(p, np.nan)
        found[keep] = beta
        return Estimate(found, parameters, whole, chosen, np.nan, status)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        p, column, k = model.design.n_columns, self._column(model), len(self.further(schema))
        theta = released.centre[: p + k].copy()
        theta[p:] = np.where(self._are_variances(), np.maximum(theta[p:], 1e-9), theta[p:])
        plain = blocks(self, model, schema, self.group, theta[:p])
        groups = Groups.of(schema, (self.group,))
        held = next(t for t in model.design.terms if column in t.index.tolist())
        assert held.factors[0] is not None
        numbers = {self.slope: held.factors[0] * float(held.scale[0])}
        by_slope = (times(groups.term(), numbers),)
        within = tuple(crossed(groups.term(), times(term, numbers), p) for term in model.design.terms)
        made = (
            *plain,
            replace(plain[2], terms=by_slope),
            Block(within, groups.n_groups * p, plain[4].link, plain[4].weight),
        )
        has_n = released.labels[-1] == "n"
        rows = float(released.centre[-1]) if has_n else None
        residuals = _SlopeResiduals(self, theta, p, groups.n_groups, column, rows)
        table, share = drawn_table([*self.uses(schema)], schema)
        unit = np.sqrt(np.diagonal(inverted(residuals.information(table) * share)[0]))
        if released.se is not None:
            unit = np.where(np.nan_to_num(released.se[: p + k]) > 0.0, released.se[: p + k], unit)
        if has_n:
            unit = np.append(unit, max(released.half[-1], 0.5))
        low, high = released.residual_low, released.residual_high
        n_totals = sum(block.n_totals for block in made)
        return Lowered(made, np.zeros(n_totals), residuals, low, high, unit, is_linear=False)

    def _are_variances(self) -> list[bool]:
        return [True, True, *([False] if self.correlated else []), True]

    @property
    def growth(self) -> Growth:
        """Twice as many people in a group say more of its own line."""
        return "neither"

    def describe(self) -> str:
        return super().describe()[:-1] + f", with an intercept and a slope of {self.slope} for each {self.group}."


@dataclass(frozen=True, eq=False)
class _SlopeResiduals:
    """Parameters of the fit − released, then the number of rows where it is a figure. Derivatives by the score's.

    Totals: Σ xr, Σ r², and of each group Σ r, its size, Σ x, Σ zr, Σ zx.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    output: RandomSlope
    theta: Floats
    p: int
    n_groups: int
    column: int
    released_rows: float | None

    def _sums(self, totals: Floats) -> SlopeSums:
        p, g = self.p, self.n_groups
        xr, rr, r, n, x, zr, zx = np.split(totals, np.cumsum([p, 1, g, g, g * p, g]))
        x, zx = x.reshape(g, p), zx[: g * p].reshape(g, p)
        z, square = x[:, self.column], zx[:, self.column]
        zz = np.stack([np.stack([n, z], axis=1), np.stack([z, square], axis=1)], axis=1)
        return SlopeSums(xr, float(rr[0]), float(n.sum()), zz, np.stack([r, zr], axis=1), np.stack([x, zx], axis=1))

    def information(self, table: Table) -> Floats:
        """−∂ score in the parameters, by differences; where that is no information, its diagonal."""
        rows = self.output.rows(self.output.model_in(table), table)
        z, q = rows.x[:, self.column], len(self.theta)
        found = np.empty((q, q))
        for j in range(q):
            step = 1e-4 * max(abs(self.theta[j]), 1e-3)  # of central differences: far above rounding
            ends = []
            for sign in (1.0, -1.0):
                moved = self.theta.copy()
                moved[j] += sign * step
                sums = SlopeSums.of_rows(rows, z, moved[: self.p])
                ends.append(slope_score(moved[self.p :], self.output.correlated, sums))
            found[:, j] = -(ends[0] - ends[1]) / (2.0 * step)
        found = np.nan_to_num((found + found.T) / 2.0)
        size = np.sqrt(np.maximum(np.abs(np.diagonal(found)), np.finfo(float).tiny))
        if float(np.linalg.eigvalsh(found / size / size[:, None])[0]) > 0.0:
            return found
        return np.diag(np.abs(np.diagonal(found)))

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        sums, p, g = self._sums(totals), self.p, self.n_groups
        with np.errstate(all="ignore"):
            inverse, is_lost = inverted(self.information(table))
            fitted = self.output.fitted_near(table, self.theta[p:]).theta
            known = np.isfinite(fitted).all()
            score = slope_score(self.theta[p:], self.output.correlated, sums)
            residuals = inverse @ np.nan_to_num(score)
            # Far away the sums say more surely where to go than the variances there do.
            if known and (np.abs(fitted - self.theta) <= _NEAR * np.sqrt(np.diagonal(inverse))).all():
                residuals = fitted - self.theta
            slopes = np.nan_to_num(score_slopes(self.theta[p:], self.output.correlated, sums))
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
        whole, r, zr, n, z, square, x, zx = np.split(inverse @ slopes, np.cumsum([p + 1, g, g, g, g, g, g * p]), axis=1)
        x, zx = x.reshape(-1, g, p).copy(), zx.reshape(-1, g, p).copy()
        x[:, :, self.column] += z
        zx[:, :, self.column] += square
        q = len(self.theta)
        jacobian = np.concatenate([whole, r, n, x.reshape(q, -1), zr, zx.reshape(q, -1)], axis=1)
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, p + 1 + g : p + 1 + 2 * g] = 1.0
        return np.append(residuals, sums.n - self.released_rows), np.concatenate([jacobian, count])
