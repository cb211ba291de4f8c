"""What the regression kinds share: the model that a formula and a schema make, its fit to a table, and its lowering.

A coefficient vector is reproduced exactly when its estimating equation holds at it (design: "every output is a sum over
records"), so what is lowered is the score at the released coefficients; the refit is, to first order, H⁻¹ · score away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.errors import OutputError
from divulge.kernels import glm, lowering
from divulge.kernels.cells import Rows, Source
from divulge.kernels.layout import RawTerm
from divulge.kernels.moments import moments
from divulge.outputs.design import Counts, Design, design_of, schema_counts, table_counts
from divulge.outputs.formula import Formula, parse_formula
from divulge.outputs.lowered import Block, Family, Floats, Link, Lowered, Term
from divulge.outputs.output import Figures, Output, Status, in_field
from divulge.outputs.precision import Released
from divulge.outputs.rows import weight_term
from divulge.table import Condition, Schema, Table, Variable

_FAMILY = {
    "identity": lowering.IDENTITY,
    "logistic": lowering.LOGISTIC,
    "poisson": lowering.POISSON,
    "multinomial": lowering.MULTINOMIAL,
}

Response = Callable[[Formula, Variable, Floats], Floats]
"""The response as a number for every code of its variable (NaN: the row takes no part), given how often each occurs."""

N_EXPECTED = 4096
"""Rows drawn to say how precise a model's coefficients are where no standard error was released: 2 % off at most."""


@dataclass(frozen=True, eq=False)
class Model:
    """A regression read against a schema. y: the response (multinomial: class number) for every code."""

    family: Family
    formula: Formula
    design: Design
    y: Floats
    n_classes: int = 1

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.design.terms

    def response_term(self) -> Term:
        """The response as the lowering wants it: as a value, or as a class number."""
        name = self.formula.response.variable
        if self.family != "multinomial":
            return Term.lookup(name, self.y)
        known = np.isfinite(self.y)
        return Term.cross((name,), (np.where(known, np.nan_to_num(self.y), -1).astype(np.int64),))

    def variables(self, weights: str | None) -> list[str]:
        """The variables of design, response and weights."""
        names = [n for t in self.terms for n in t.variables]
        return list(dict.fromkeys([*names, self.formula.response.variable, *([weights] if weights else [])]))


def read_model(text: str, schema: Schema, family: Family, response: Response, counts: Counts) -> Model:
    """The model of a formula; an error in the formula is at `formula`."""
    with in_field("formula"):
        formula = parse_formula(text, schema)
        design = design_of(formula, schema, counts)
        name = formula.response.variable
        y = response(formula, schema[name], counts(name))
    n_classes = int(np.nanmax(y)) if family == "multinomial" else 1
    return Model(family, formula, design, y, n_classes)


def selected(output: Output, table: Table) -> NDArray[np.bool_] | None:
    """The rows of the subpopulation; None: all."""
    return None if output.where is None else Condition.parse(output.where, table.schema).selects(table)


def source_of(model: Model, table: Table, weights: str | None, keep: NDArray[np.bool_] | None) -> Source:
    """The rows of a table as the kernel takes them."""
    names = model.variables(weights)
    place = {name: i for i, name in enumerate(names)}
    columns = [table[n] if keep is None else table[n][keep] for n in names]
    terms = [RawTerm(tuple(place[v] for v in t.variables), t.cells, t.factors, t.index, t.scale) for t in model.terms]
    rows = Rows(
        tuple(columns),
        tuple(table.schema[n].n_codes for n in names),
        len(columns[0]),
        place[model.formula.response.variable],
        model.y,
        place[weights] if weights else -1,
        table.schema[weights].numbers if weights else np.ones(1),
    )
    return Source(terms, model.design.n_columns, rows, model.n_classes)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model fitted to a table, with the status in the room's words; fit is None where nothing could be fitted."""

    model: Model
    fit: glm.Fit | None
    status: Status
    concerned: tuple[int, ...] = ()


def fit_to(output: Output, table: Table, read: Callable[[Schema, Counts], Model]) -> Fitted:
    """Fit a model to the rows of a table that count."""
    keep = selected(output, table)
    counts = table_counts(table) if keep is None else table_counts(table.take(keep))
    model = read(table.schema, counts)
    for name, wrong in model.design.undefined.items():
        # A factor such as log(x) has no finite value for somebody's x: programs stop here, and so does the model.
        if (counts(name)[wrong] > 0).any():
            return Fitted(model, None, Status.FAILED)
    source = source_of(model, table, output.weights, keep)
    fit = glm.fit(source, _FAMILY[model.family], model.design.intercept)
    status = Status.EMPTY if fit.n_rows == 0 else Status(fit.status)
    return Fitted(model, fit, status, tuple(fit.columns.tolist()))


@dataclass(frozen=True, eq=False)
class ScoreHead:
    """Coefficients now − released = H⁻¹ · score, with H the information of the table at the released coefficients."""

    model: Model
    beta: Floats
    weights: str | None
    where: Condition | None

    def information(self, table: Table) -> Floats:
        keep = None if self.where is None else self.where.selects(table)
        source = source_of(self.model, table, self.weights, keep)
        return moments(source, _FAMILY[self.model.family], np.atleast_2d(self.beta)).information

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        inverse, is_lost = inverted(self.information(table))
        residuals = inverse @ totals
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals[is_lost] += np.sqrt(np.diagonal(inverse)[is_lost])
        return residuals, inverse


def inverted(information: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The inverse of an information matrix, and which columns have none of it.

    A column without rows, or one that others give, is taken as if half a row spoke for it alone: then the search sees
    which way to go.
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


def expected_se(model: Model, beta: Floats, schema: Schema, weights: str | None, where: Condition | None) -> Floats:
    """Standard errors under the released model if variables were independent, with the frequencies the schema knows.

    Only a unit for the discrepancy, so that no coefficient weighs far more than another; nothing is reported in it.
    """
    rng = np.random.default_rng(1)  # any seed: see N_EXPECTED
    names = [*model.variables(weights), *(where.variables if where is not None else ())]
    counts = schema_counts(schema)
    small = Schema(tuple(schema[n] for n in dict.fromkeys(names)))
    columns, total = [], float(N_EXPECTED)
    for variable in small:
        weight = counts(variable.name)
        if variable.frequencies is not None:
            total = max(total, float(weight.sum()))
        drawn = rng.choice(variable.n_codes, N_EXPECTED, p=weight / weight.sum())
        columns.append(drawn.astype(variable.dtype))
    head = ScoreHead(model, beta, weights, where)
    inverse, _ = inverted(head.information(Table(small, tuple(columns))) * (total / N_EXPECTED))
    return np.sqrt(np.diagonal(inverse))


def score_block(model: Model, beta: Floats, weight: Term | None) -> Block:
    """Σ rows of x (y − μ) at given coefficients."""
    link = Link(model.family, model.terms, model.response_term(), beta)
    return Block(model.terms, model.design.n_columns, link, weight)


def lower_coefficients(output: Output, model: Model, schema: Schema, released: Released) -> Lowered:
    """The coefficients alone: totals are the score at the released coefficients."""
    n = model.design.n_columns * model.n_classes
    beta = released.centre[:n]
    if model.family == "multinomial":
        beta = beta.reshape(model.n_classes, -1)
    where = None if output.where is None else Condition.parse(output.where, schema)
    block = score_block(model, beta, weight_term(output, schema))
    head = ScoreHead(model, beta, output.weights, where)
    unit = expected_se(model, beta, schema, output.weights, where)
    if released.se is not None:
        unit = np.where(released.se[:n] > 0.0, released.se[:n], unit)
    return Lowered(
        (block,),
        np.zeros(n),
        head,
        released.residual_low[:n],
        released.residual_high[:n],
        unit,
        is_linear=False,
    )


def coefficient_figures(fitted: Fitted, labels: tuple[str, ...]) -> Figures:
    """Coefficients with their standard errors; all NaN where nothing could be fitted."""
    if fitted.fit is None:
        nothing = np.full(len(labels), np.nan)
        return Figures(labels, nothing, fitted.status, nothing)
    concerned = tuple(labels[i] for i in fitted.concerned)
    return Figures(labels, fitted.fit.beta.ravel(), fitted.status, fitted.fit.se.ravel(), concerned=concerned)


def refuse_response(message: str, hint: str | None = None) -> OutputError:
    return OutputError(message, where="formula", hint=hint)
