"""Linear regression with a random intercept for each group (multilevel model).

With W = σ² + τ²n of a group of n rows, whose residuals add up to r, twice the log-likelihood is, but for a constant,
−(n − G) log σ² − Σ log W − (Σ r² − Σ r_g²/n_g)/σ² − Σ r_g²/(n_g W_g) (Longford 1987); restricted likelihood takes
log |X'V⁻¹X| off (Patterson & Thompson 1971).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.models.group_effects import (
    GroupResiduals,
    GroupSums,
    blocks,
    lower_group_effects,
)
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Estimate, estimable
from divulge.outputs.models.random_effects import RandomEffects
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

_ENDS = (-20.0, 20.0)
"""Of log λ: beyond them groups do not differ at all, or people within groups do not."""


@dataclass(frozen=True, eq=False)
class _Profile:
    """The likelihood as a function of λ alone, the variance between groups over that within them.

    square, n, sums: Σ zz' of z = (x, y), and of each group its size and Σ z. Complex λ give derivatives without
    differences (Squire & Trapp 1998).
    """

    square: Floats
    n: Floats
    sums: Floats
    is_restricted: bool

    @classmethod
    def of(cls, rows: ModelRows, keep: Mask, is_restricted: bool) -> _Profile:
        z = np.column_stack([rows.x[:, keep], rows.y])
        _, group = np.unique(rows.second, return_inverse=True)
        sums = np.zeros((int(group.max()) + 1, z.shape[1]))
        np.add.at(sums, group, z)
        return cls(z.T @ z, np.bincount(group).astype(float), sums, is_restricted)

    def _crossed(self, ratio: Any) -> Any:
        share = ratio / (1.0 + ratio * self.n)
        return self.square - (self.sums * share[:, None]).T @ self.sums

    def at(self, ratio: float) -> tuple[Floats, float, Floats]:
        """Coefficients, the variance within groups, and Σ xx' with the groups' share taken out."""
        found = self._crossed(ratio)
        p = len(found) - 1
        beta = glm.solve_scaled(found[:p, :p], found[:p, p])
        assert beta is not None, "columns that are not independent were left out"
        df = self.n.sum() - (p if self.is_restricted else 0)
        return beta, float(found[p, p] - found[p, :p] @ beta) / df, found[:p, :p]

    def _deviance(self, ratio: complex) -> complex:
        found = self._crossed(ratio)
        p = len(found) - 1
        left = found[p, p] - found[p, :p] @ np.linalg.solve(found[:p, :p], found[:p, p])
        df = self.n.sum() - (p if self.is_restricted else 0)
        value = df * np.log(left) + np.log(1.0 + ratio * self.n).sum()
        if self.is_restricted:
            value = value + np.log(np.linalg.det(found[:p, :p] / np.abs(np.diagonal(self.square)[:p])))
        return complex(value)

    def best(self) -> float:
        """λ of the greatest likelihood; 0 where it falls from there on."""

        def slope(log_ratio: float) -> float:
            step = 1e-20
            return self._deviance(np.exp(log_ratio) * (1.0 + 1j * step)).imag / step

        grid = np.linspace(*_ENDS, 81)
        values = [self._deviance(float(np.exp(g))).real for g in grid]
        at = int(np.argmin(values))
        if at == 0:
            return 0.0
        low, high = grid[at - 1], grid[min(at + 1, len(grid) - 1)]
        if slope(low) * slope(high) > 0.0:
            return float(np.exp(grid[at]))
        return float(np.exp(scipy.optimize.brentq(slope, low, high, xtol=1e-13)))


@dataclass(frozen=True, eq=False)
class _Components:
    """The score at given coefficients and variances (between groups: τ², within them: σ²)."""

    beta: Floats
    between: float
    inside: float
    is_restricted: bool

    def score(self, sums: GroupSums) -> Floats:
        """Of the likelihood in coefficients, τ² and σ²."""
        whole = self.inside + self.between * sums.n
        is_there = sums.n > 0.5
        n = np.where(is_there, sums.n, 1.0)
        squared = np.where(is_there, sums.r**2 / n, 0.0)
        of_beta = (sums.xr - sums.x.T @ (sums.r * self.between / whole)) / self.inside
        of_between = float((squared * n / whole**2 - sums.n / whole).sum()) / 2.0
        of_inside = (
            -(sums.n.sum() - is_there.sum()) / self.inside
            - float((is_there / whole).sum())
            + (sums.rr - squared.sum()) / self.inside**2
            + float((squared / whole**2).sum())
        ) / 2.0
        return np.concatenate([of_beta, [of_between, of_inside]])

    def slopes(self, sums: GroupSums) -> Floats:
        """Derivatives of the score in the sums. What restricted likelihood adds changes less than a row's own part."""
        g, p = sums.x.shape
        between, inside = self.between, self.inside
        whole = inside + between * sums.n
        is_there = sums.n > 0.5
        n = np.where(is_there, sums.n, 1.0)
        r = np.where(is_there, sums.r, 0.0)
        share = between / whole
        found = np.zeros((p + 2, p + 1 + g * (p + 2)))
        found[:p] = sums.shrunken(share, -(share**2)) / inside
        of_r, of_n = slice(p + 1, p + 1 + g), slice(p + 1 + g, p + 1 + 2 * g)
        found[p, of_r] = r / whole**2
        found[p, of_n] = -(r**2) * between / whole**3 - inside / (2.0 * whole**2)
        found[p + 1, p] = 0.5 / inside**2
        found[p + 1, of_r] = r / n * (1.0 / whole**2 - 1.0 / inside**2)
        changed = (r / n) ** 2 * (1.0 / whole**2 - 1.0 / inside**2) + 2.0 * (r**2 / n) * between / whole**3
        found[p + 1, of_n] = -(1.0 / inside - between / whole**2 + changed) / 2.0
        return found

    def information(self, rows: ModelRows) -> Floats:
        """−∂ score in the parameters, by differences; as expected where that is no information."""
        square = rows.x.T @ rows.x
        theta = np.concatenate([self.beta, [self.between, self.inside]])
        q = len(theta)
        found = np.empty((q, q))
        for j in range(q):
            step = 1e-4 * max(abs(theta[j]), 1e-3)  # of central differences: far above rounding
            ends = []
            for sign in (1.0, -1.0):
                moved = theta.copy()
                moved[j] += sign * step
                at = _Components(moved[:-2], float(moved[-2]), float(moved[-1]), self.is_restricted)
                sums = GroupSums.of_rows(rows, moved[:-2])
                ends.append(at.score(sums) + at.restriction(sums, square))
            found[:, j] = -(ends[0] - ends[1]) / (2.0 * step)
        found = (found + found.T) / 2.0
        size = np.sqrt(np.maximum(np.abs(np.diagonal(found)), np.finfo(float).tiny))
        if np.isfinite(found).all() and float(np.linalg.eigvalsh(found / size / size[:, None])[0]) > 0.0:
            return found
        return self._expected(GroupSums.of_rows(rows, self.beta), square)

    def _left(self, sums: GroupSums, square: Floats, between: float, inside: float) -> Floats:
        share = between / (inside + between * sums.n)
        return (square - (sums.x * share[:, None]).T @ sums.x) / inside

    def restriction(self, sums: GroupSums, square: Floats) -> Floats:
        """The score of −½ log |X'V⁻¹X|."""
        found = np.zeros(len(self.beta) + 2)
        if self.is_restricted:
            for j, (a, b) in enumerate(((1.0, 0.0), (0.0, 1.0))):
                step = 1e-5 * max(self.between * a + self.inside * b, 1e-3)
                up, down = (
                    np.linalg.slogdet(self._left(sums, square, self.between + s * a, self.inside + s * b))[1]
                    for s in (step, -step)
                )
                if np.isfinite(up) and np.isfinite(down):  # not where a level has no rows
                    found[len(self.beta) + j] = -(up - down) / (4.0 * step)
        return found

    def _expected(self, sums: GroupSums, square: Floats) -> Floats:
        p = len(self.beta)
        whole = self.inside + self.between * sums.n
        is_there = sums.n > 0.5
        found = np.zeros((p + 2, p + 2))
        found[:p, :p] = self._left(sums, square, self.between, self.inside)
        found[p, p] = (sums.n**2 / whole**2).sum() / 2.0
        found[p, p + 1] = found[p + 1, p] = (sums.n / whole**2).sum() / 2.0
        alone = (sums.n.sum() - is_there.sum()) / self.inside**2
        found[p + 1, p + 1] = (alone + (is_there / whole**2).sum()) / 2.0
        return found


@dataclass(frozen=True, kw_only=True)
class RandomIntercept(RandomEffects):
    """Coefficients and two variances, between groups and within them, of a linear model with a random intercept (Laird
    & Ware 1982), as lmer and mixed print them: by restricted maximum likelihood (Patterson & Thompson 1971) or maximum
    likelihood. Standard errors are those of the fixed part."""

    kind: ClassVar[str] = "random-intercept"
    title: ClassVar[str] = "Random intercept regression"
    usual_test: ClassVar[Literal["t", "z"]] = "z"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by sex and tenure, groups by marital status",
            {"formula": "AGE ~ SEX + TENURE", "group": "MSTATUS", "statistics": ["se", "n"], "decimals": 2},
        ),
    )

    formula: Annotated[str, "The fixed part of the model, as in `WAGE ~ AGE + C(AREA)`."]
    group: Annotated[str, "The variable each of whose values has an intercept."]
    likelihood: Annotated[Literal["reml", "ml"], "By restricted likelihood (lmer) or likelihood (mixed)."] = "reml"

    def further(self, schema: Schema) -> tuple[str, ...]:
        return f"variance of {self.group}", "residual variance"

    def range_of(self, label: str) -> tuple[float, float]:
        return 0.0, np.inf

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model_in(table)
        rows = self.rows(model, table)
        return model, rows, self._fit(rows)

    def _fit(self, rows: ModelRows) -> Estimate:
        p = rows.x.shape[1]
        keep, status = estimable(rows.x, rows.weight)
        n_fixed = int(keep.sum())
        if rows.n_rows <= n_fixed + 1 or len(np.unique(rows.second)) < 2:
            status = Status.TOO_FEW_ROWS if rows.n_rows else Status.EMPTY
            return Estimate(
                np.full(p, np.nan), np.full(2, np.nan), np.zeros((p + 2, p + 2)), np.zeros(p + 2, bool), np.nan, status
            )
        fit = _Profile.of(rows, keep, self.likelihood == "reml")
        ratio = fit.best()
        beta, variance, information = fit.at(ratio)
        whole = np.zeros((p + 2, p + 2))
        chosen = np.append(keep, [False, False])
        whole[np.ix_(chosen, chosen)] = information / variance
        found = np.full(p, np.nan)
        found[keep] = beta
        return Estimate(found, np.array([ratio * variance, variance]), whole, chosen, np.nan, status)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        p = model.design.n_columns
        theta = released.centre[: p + 2]
        between, inside = np.maximum(theta[p:], 1e-9).tolist()
        at = _Components(theta[:p], between, inside, self.likelihood == "reml")
        residuals = GroupResiduals(
            theta,
            p,
            schema[self.group].n_values,
            self._parameters,
            lambda table: at.information(self.rows(model, table)),
            at.slopes,
            at.score,
            float(released.centre[-1]) if released.labels[-1] == "n" else None,
        )
        made = blocks(self, model, schema, self.group, theta[:p])
        return lower_group_effects(self, made, residuals, released, schema)

    def _parameters(self, table: Table) -> Floats | None:
        found = self.fitted(table)[2].theta
        return found if np.isfinite(found).all() else None

    def describe(self) -> str:
        return super().describe()[:-1] + f", with an intercept for each {self.group}."
