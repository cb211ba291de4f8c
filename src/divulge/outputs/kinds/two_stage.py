"""Two-stage least squares: linear regression with instruments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.few_people import FewPeople
from divulge.outputs.fields import in_field
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.dense import few_of_least_squares
from divulge.outputs.models.design import LevelCounts, schema_counts
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula, formula_variables
from divulge.outputs.models.matrix import ModelRows, columns, model_rows
from divulge.outputs.models.model import Model, counts_in, number_response, read_model
from divulge.outputs.models.newton import LEAST_SQUARES, Curve, Estimate
from divulge.outputs.models.pieces import crossed
from divulge.outputs.models.refit import drawn_table, inverted, pair_of_terms
from divulge.outputs.models.standard_errors import Scores
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class TwoStage(Estimated):
    """Coefficients of a linear regression by two-stage least squares (Theil 1953), as ivregress, ivreg and linearmodels
    print them. `instruments` lists everything that is taken as exogenous, covariates of the formula included."""

    kind: ClassVar[str] = "two-stage"
    is_of_sums: ClassVar[bool] = True
    title: ClassVar[str] = "Two-stage least squares"
    takes_weights: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by illness and sex, with marital status as an instrument",
            {
                "formula": "AGE ~ LTILL + SEX",
                "instruments": "SEX + C(MSTATUS)",
                "statistics": ["se", "n"],
                "decimals": 2,
            },
        ),
    )

    formula: Annotated[str, "The model, as in `WAGE ~ EDUCATION + AGE`."]
    instruments: Annotated[str, "What is exogenous, as in `AGE + C(QUARTER)`: covariates and instruments."]
    scale: Annotated[
        Literal["n", "n-k"], "The variance is over n (ivregress, linearmodels) or over n less coefficients (ivreg)."
    ] = "n"

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return number_response(formula, variable, counts)

    def needs(self) -> tuple[str, ...]:
        return (*formula_variables(self._first_stage())[1:], *super().needs())

    def _first_stage(self) -> str:
        return f"{self.formula.partition('~')[0].strip()} ~ {self.instruments}"

    def _instruments(self, schema: Schema, counts: LevelCounts | None = None) -> Model:
        counts = counts or schema_counts(schema)
        with in_field("instruments"):
            return read_model(self._first_stage(), schema, self.family, self.response, counts)

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        n, given = self.model(schema).design.n_columns, self._instruments(schema).design.n_columns
        if given < n:
            raise OutputError(
                f"at least as many instruments as coefficients are needed: {n}, and there are {given}.",
                where="instruments",
                hint="List the exogenous covariates of the formula too.",
            )

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """The people of each term, and of each instrument that is no term: the fit meets whoever has it alone."""
        own = super().behind(table)
        first = self._instruments(table.schema, counts_in(self, table))
        found = []
        for behind in model_behind(self, table, first):
            if behind.what == "term" and not any(np.array_equal(behind.group, o.group) for o in own):
                texts = tuple(
                    first.design.labels[k] if k >= 0 else t for k, t in zip(behind.figures, behind.texts, strict=True)
                )
                found.append(replace(behind, figures=np.full(behind.n_groups, -1), texts=texts))
        return (*own, *found)

    def curve(self) -> Curve:
        return LEAST_SQUARES

    def stages(self, table: Table) -> tuple[Model, ModelRows, Floats]:
        """The model, its rows, and the columns of the instruments for these."""
        model, first = self.model_in(table), self._instruments(table.schema, counts_in(self, table))
        rows = model_rows(self, model, table, self.needs())
        z, _ = columns(first.design.terms, first.design.n_columns, table.take(rows.kept))
        return model, rows, z

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        """Least squares on what the instruments say of the covariates."""
        model, rows, z = self.stages(table)
        shown = replace(rows, x=z @ _first_stage(rows.x, z))
        return model, shown, LEAST_SQUARES.maximise(shown, np.zeros(rows.x.shape[1]), np.zeros(0))

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        """Least squares on what the instruments say of the covariates, which whoever knows both works out."""
        model = self.model_in(table)
        said = self.of_coefficients(table.schema, released)
        found = few_of_least_squares(self, table, model, said, most, lambda: self.fitted(table)[1])
        return () if found is None else (found,)

    def errors_of(self, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        if not fit.keep.any():
            return np.full(len(fit.theta), np.nan)
        gap = rows.y - self.stages(table)[1].x @ np.nan_to_num(fit.beta)  # by the covariates themselves
        inverse, k = fit.inverse(), int(fit.keep.sum())
        if self.errors == "model":
            df = rows.n_rows - (k if self.scale == "n-k" else 0)
            return np.sqrt(np.diagonal(inverse) * (float(gap @ gap) / df if df > 0 else np.nan))
        return self.by_scores(Scores(rows.x * gap[:, None], np.nan_to_num(inverse), None, k), rows, fit, table)

    def estimators(self) -> Iterator[Estimated]:
        yield self
        if self.errors == "model":
            yield replace(self, scale="n-k" if self.scale == "n" else "n")
        yield from (e for e in super().estimators() if e.errors != self.errors)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model, first = self.model(schema), self._instruments(schema)
        has_n = released.labels[-1] == "n"
        theta = released.centre[: model.design.n_columns]
        weight = weight_term(self, schema, self.own_variables())
        link = Link("identity", model.design.terms, model.response_term(), theta)
        plain, z, p, k = replace(link, moment="information"), first.design.terms, len(theta), first.design.n_columns
        pairs = tuple(pair_of_terms(z[a], z[b]) for a in range(len(z)) for b in range(a + 1))
        made = [
            Block(z, k, link, weight),
            Block(tuple(crossed(a, b, p) for a in z for b in model.design.terms), k * p, plain, weight),
            Block(pairs, k * (k + 1) // 2, plain, weight),
        ]
        if has_n:
            made.append(Block((Term.constant(),), 1, plain, weight))
        residuals = _StageResiduals(self, theta, float(released.centre[-1]) if has_n else None)
        table, share = drawn_table([*self.uses(schema)], schema)
        unit = np.sqrt(np.diagonal(inverted(residuals.stages(table)[0] * share)[0]))
        if released.se is not None:
            unit = np.where(np.nan_to_num(released.se[: len(unit)]) > 0.0, released.se[: len(unit)], unit)
        if has_n:
            unit = np.append(unit, max(released.half[-1], 0.5))
        n_totals = sum(block.n_totals for block in made)
        low, high = released.residual_low, released.residual_high
        return Lowered(tuple(made), np.zeros(n_totals), residuals, low, high, unit, is_linear=False)

    def describe(self) -> str:
        return super().describe()[:-1] + f", instruments {self.instruments}."


def _first_stage(x: Floats, z: Floats) -> Floats:
    """(Z'Z)⁻¹Z'X; columns of instruments that say nothing new have 0."""
    return np.asarray(np.linalg.lstsq(z, x, rcond=1e-10)[0] if len(x) else np.zeros((z.shape[1], x.shape[1])), float)


@dataclass(frozen=True, eq=False)
class _StageResiduals:
    """Coefficients of the fit − released. Totals: Σ zr with r = y − x'b as released, Σ zx', Σ zz', rows.

    The score is X'Z(Z'Z)⁻¹Z'r, with derivatives in all of them.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    output: TwoStage
    theta: Floats
    released_rows: float | None

    def stages(self, table: Table) -> tuple[Floats, Floats, Floats]:
        """X'P_Z X, and what the instruments say of the covariates and of r."""
        _, rows, z = self.output.stages(table)
        brought = _first_stage(rows.x, z)
        shown = z @ brought
        return shown.T @ shown, brought, _first_stage((rows.y - rows.x @ self.theta)[:, None], z)[:, 0]

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        square, brought, left = self.stages(table)
        inverse, is_lost = inverted(square)
        k, p = brought.shape
        a, b = np.tril_indices(k)
        both = brought[a] * left[b, None] + np.where(a == b, 0.0, 1.0)[:, None] * brought[b] * left[a, None]
        slope = np.concatenate([brought.T, np.kron(left, np.eye(p)), -both.T], axis=1)
        jacobian = np.zeros((p, len(totals)))
        jacobian[:, : slope.shape[1]] = inverse @ slope
        fitted = self.output.fitted(table)[2].beta
        residuals = fitted - self.theta if np.isfinite(fitted).all() else inverse @ brought.T @ totals[:k]
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        return np.append(residuals, totals[-1] - self.released_rows), np.concatenate([jacobian, count])
