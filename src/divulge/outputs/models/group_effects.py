"""Linear models with an effect for each group that is not printed: absorbed, or random.

Both depend on rows through sums over all rows and sums over each group alone (Mundlak 1978), so both lower exactly: the
score at the released coefficients is a smooth function of these sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model, number_response
from divulge.outputs.models.pieces import crossed
from divulge.outputs.models.refit import drawn_table, inverted
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.outputs.stated import Stated
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums at given coefficients, r = y − x'b: Σ xr, Σ r², and of each group Σ r, its size and Σ x."""

    xr: Floats
    rr: float
    r: Floats
    n: Floats
    x: Floats

    @classmethod
    def of(cls, totals: Floats, p: int, n_groups: int) -> GroupSums:
        """From totals in the order of `blocks`."""
        xr, rr, r, n, x = np.split(totals[: p + 1 + n_groups * (p + 2)], np.cumsum([p, 1, n_groups, n_groups]))
        return cls(xr, float(rr[0]), r, n, x.reshape(n_groups, p))

    @classmethod
    def of_rows(cls, rows: ModelRows, beta: Floats) -> GroupSums:
        """Groups are numbered by `rows.second`; those without rows are left out."""
        _, group = np.unique(rows.second, return_inverse=True)
        r = rows.y - rows.x @ beta
        sums = np.zeros((int(group.max(initial=-1)) + 1, rows.x.shape[1]))
        np.add.at(sums, group, rows.x * rows.weight[:, None])
        return cls(
            rows.x.T @ (rows.weight * r),
            float(rows.weight @ r**2),
            np.bincount(group, rows.weight * r).astype(float),
            np.bincount(group, rows.weight).astype(float),
            sums,
        )

    def shrunken(self, share: Floats, share_slope: Floats) -> Floats:
        """Derivatives of Σ xr − Σ_g share_g · Σx_g · Σr_g in the sums. share: 1/n for absorbed effects."""
        g, p = self.x.shape
        nothing = np.zeros((p, 1))
        of_r = -(share[:, None] * self.x).T
        of_n = -(share_slope[:, None] * self.x * self.r[:, None]).T
        of_x = np.zeros((p, g, p))
        each = np.arange(p)
        of_x[each, :, each] = -(share * self.r)
        return np.concatenate([np.eye(p), nothing, of_r, of_n, of_x.reshape(p, g * p)], axis=1)


Slopes = Callable[[GroupSums], Floats]
"""Derivatives of the score in the sums, in the order of `blocks`: (parameters, totals)."""


@dataclass(frozen=True, eq=False)
class GroupResiduals:
    """Parameters of the fit − released, then the number of rows where it is a figure. Derivatives by the score's.

    fit: the parameters of a table, None where it has none. information: of a table. slopes: see `Slopes`.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    theta: Floats
    p: int
    n_groups: int
    fit: Callable[[Table], Floats | None]
    information: Callable[[Table], Floats]
    slopes: Slopes
    score: Callable[[GroupSums], Floats]
    released_rows: float | None

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        sums = GroupSums.of(totals, self.p, self.n_groups)
        inverse, is_lost = inverted(self.information(table))
        fitted = self.fit(table)
        residuals = inverse @ self.score(sums) if fitted is None else fitted - self.theta
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
        jacobian = inverse @ self.slopes(sums)
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, self.p + 1 + self.n_groups : self.p + 1 + 2 * self.n_groups] = 1.0
        return np.append(residuals, sums.n.sum() - self.released_rows), np.concatenate([jacobian, count])


def blocks(output: Output, model: Model, schema: Schema, group: str, beta: Floats) -> tuple[Block, ...]:
    """What is summed: Σ xr, Σ r², and of each group Σ r, its size and Σ x."""
    weight = weight_term(output, schema, (*model.variables(output.weights), group))
    link = Link("identity", model.design.terms, model.response_term(), beta)
    plain, squared = replace(link, moment="information"), replace(link, moment="loglikelihood")
    groups = Groups.of(schema, (group,))
    each, p, n = groups.term(), model.design.n_columns, groups.n_groups
    within = tuple(crossed(each, term, p) for term in model.design.terms)
    return (
        Block(model.design.terms, p, link, weight),
        Block((Term.constant(),), 1, squared, weight),
        Block((each,), n, link, weight),
        Block((each,), n, plain, weight),
        Block(within, n * p, plain, weight),
    )


def lower_group_effects(
    output: Output, made: tuple[Block, ...], residuals: GroupResiduals, released: Released, schema: Schema
) -> Lowered:
    """The additive form; units are standard errors as they would be if variables were independent."""
    table, share = drawn_table([*output.uses(schema)], schema)
    inverse, _ = inverted(residuals.information(table) * share)
    unit = np.sqrt(np.diagonal(inverse))
    if released.se is not None:
        se = released.se[: len(unit)]
        unit = np.where(np.nan_to_num(se) > 0.0, se, unit)
    if residuals.released_rows is not None:
        unit = np.append(unit, max(released.half[-1], 0.5))
    n_totals = sum(block.n_totals for block in made)
    return Lowered(
        made, np.zeros(n_totals), residuals, released.residual_low, released.residual_high, unit, is_linear=False
    )


@dataclass(frozen=True, kw_only=True)
class GroupEffects(Estimated):
    """A linear model with an effect of each group. A kind says which variable makes the groups (`grouped_by`)."""

    takes_weights: ClassVar[bool] = False
    usual_test: ClassVar[Literal["t", "z"]] = "t"

    def grouped_by(self) -> str:
        """The variable whose values are the groups."""
        raise NotImplementedError

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return number_response(formula, variable, counts)

    def needs(self) -> tuple[str, ...]:
        return (self.grouped_by(), *super().needs())

    def second(self, schema: Schema) -> tuple[str, Floats] | None:
        """The number of each row's group."""
        variable = schema[self.grouped_by()]
        return variable.name, np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """What everybody of a group has in common says nothing: predictors count as they differ from their group's."""
        (one,) = super().stated(table, released)
        inside, group = np.flatnonzero(one.inside), table[self.grouped_by()].astype(np.int64)
        design, n = one.columns(inside), table.schema[self.grouped_by()].n_codes
        sizes = np.maximum(np.bincount(group[inside], minlength=n), 1)
        means = np.stack([np.bincount(group[inside], x, minlength=n) / sizes for x in design.T], axis=1)

        def columns(rows: Integers) -> Floats:
            found, mean = one.columns(rows), means[group[rows]]
            # What a whole group has in common is nothing, whatever floats make of it.
            is_same = np.abs(found - mean) <= 1e-9 * np.maximum(np.abs(mean), 1.0)
            return np.where(one.inside[rows, None] & ~is_same, found - mean, 0.0)

        return (replace(one, columns=columns),)

    def rows(self, model: Model, table: Table) -> ModelRows:
        """The rows that take part, with their groups."""
        return model_rows(self, model, table, self.needs(), self.second(table.schema))
