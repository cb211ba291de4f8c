"""A regression read against a schema, and its fit to a table. How a model lowers is in `refit.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels import glm, lowering
from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.cells import Rows, Source
from divulge.kernels.layout import RawTerm
from divulge.outputs.fields import in_field
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Family, Term
from divulge.outputs.models.design import Design, LevelCounts, design_of, response_values, table_counts
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.output import Output
from divulge.table import Condition, Schema, Table, Variable

FAMILY = {
    "identity": lowering.IDENTITY,
    "logistic": lowering.LOGISTIC,
    "poisson": lowering.POISSON,
    "multinomial": lowering.MULTINOMIAL,
}

Statistic = Literal["se", "r2", "loglik", "n"]
"""What may be published beside coefficients: standard errors, R² (McFadden 1974 unless linear), likelihood, rows."""

_STATISTIC_NAMES = {
    "r2": "r2",
    "r²": "r2",
    "rsquared": "r2",
    "r-squared": "r2",
    "pseudor2": "r2",
    "pseudor²": "r2",
    "pseudor-squ.": "r2",
    "loglik": "loglik",
    "llf": "loglik",
    "log-likelihood": "loglik",
    "loglikelihood": "loglik",
    "n": "n",
    "nobs": "n",
    "no.observations": "n",
    "observations": "n",
}

Response = Callable[[Formula, Variable, Floats], Floats]
"""The response as a number for every code of its variable (NaN: the row takes no part), given how often each occurs."""


@dataclass(frozen=True, eq=False)
class Model:
    """A regression read against a schema. y: the response (multinomial: class number) for every code.

    classes: what each class beside the reference is called, for multinomial models.
    """

    family: Family
    formula: Formula
    design: Design
    y: Floats
    classes: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        return max(1, len(self.classes))

    @property
    def kernel(self) -> int:
        """The family as the kernels number it; with two classes a multinomial model is logistic."""
        return FAMILY["logistic" if self.family == "multinomial" and self.n_classes == 1 else self.family]

    @property
    def n_coefficients(self) -> int:
        return self.n_classes * self.design.n_columns

    @property
    def labels(self) -> tuple[str, ...]:
        """One label a coefficient; class by class for multinomial models."""
        if not self.classes:
            return self.design.labels
        return tuple(f"{name} & {label}" for name in self.classes for label in self.design.labels)

    def find(self, text: str) -> str | None:
        """The label of a coefficient or statistic however it is written."""
        plain = "".join(text.split()).casefold()
        if plain in _STATISTIC_NAMES and plain not in self.design.aliases:
            return _STATISTIC_NAMES[plain]
        if not self.classes:
            return self.design.find(text)
        start, _, rest = text.partition(" & ")
        column = self.design.find(rest)
        return None if column is None else f"{start.strip()} & {column}"

    def response_term(self) -> Term:
        """The response as the lowering wants it: as a value, or as a class number."""
        name = self.formula.response.variable
        if self.family != "multinomial":
            return Term.lookup(name, self.y)
        known = np.isfinite(self.y)
        return Term.cross((name,), (np.where(known, np.nan_to_num(self.y), -1).astype(np.int64),))

    def variables(self, weights: str | None) -> list[str]:
        """The variables of design, response and weights."""
        names = [n for t in self.design.terms for n in t.variables]
        return list(dict.fromkeys([*names, self.formula.response.variable, *([weights] if weights else [])]))

    def source(self, table: Table, weights: str | None, keep: Mask | None) -> Source:
        """The rows of a table as the kernel takes them."""
        names = self.variables(weights)
        place = {name: i for i, name in enumerate(names)}
        columns = [table[n] if keep is None else table[n][keep] for n in names]
        terms = [
            RawTerm(tuple(place[v] for v in t.variables), t.cells, t.factors, t.index, t.scale)
            for t in self.design.terms
        ]
        rows = Rows(
            tuple(columns),
            tuple(table.schema[n].n_codes for n in names),
            len(columns[0]),
            place[self.formula.response.variable],
            self.y,
            place[weights] if weights else -1,
            table.schema[weights].numbers if weights else np.ones(1),
            _people(table, keep),
        )
        return Source(terms, self.design.n_columns, rows, self.n_classes)


def read_model(
    text: str, schema: Schema, family: Family, response: Response, counts: LevelCounts, classes: tuple[str, ...] = ()
) -> Model:
    """The model of a formula; an error in the formula is at `formula`."""
    with in_field("formula"):
        formula = parse_formula(text, schema)
        design = design_of(formula, schema, counts)
    name = formula.response.variable
    return Model(family, formula, design, response(formula, schema[name], counts(name)), classes)


def _people(table: Table, keep: Mask | None) -> Floats:
    """How many people each row stands for; nothing where each is one."""
    if table.people is None:
        return np.zeros(0)
    return (table.people if keep is None else table.people[keep]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A model and its fit to a table; fit is None where a factor is not defined for somebody."""

    model: Model
    fit: glm.Fit | None
    status: Status


def counts_in(output: Output, table: Table) -> LevelCounts:
    """How often each code occurs in the rows that an output's condition selects: what knots and centres depend on."""
    if output.where is None:
        return table_counts(table)
    return table_counts(table.take(Condition.parse(output.where, table.schema).selects(table)))


def fit_model(output: Output, table: Table, read: Callable[[Schema, LevelCounts], Model]) -> _Fitted:
    """Fit a model to the rows of a table that count."""
    keep = None if output.where is None else Condition.parse(output.where, table.schema).selects(table)
    counts = counts_in(output, table)
    model = read(table.schema, counts)
    for name, wrong in model.design.undefined.items():
        # A factor such as log(x) has no finite value for somebody's x: programs stop here, and so does the model.
        if (counts(name)[wrong] > 0).any():
            return _Fitted(model, None, Status.FAILED)
    fit = glm.fit(model.source(table, output.weights, keep), model.kernel, model.design.spans_constant)
    return _Fitted(model, fit, Status.EMPTY if fit.n_rows == 0 else Status(fit.status))


def number_response(formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """The response of a linear model: numbers, of which functions such as a logarithm may leave some undefined."""
    values = response_values(formula.response, variable, counts)
    known = np.isfinite(values[: variable.n_values])
    if not (known.all() if formula.response.text == variable.name else known.any()):
        raise OutputError(
            f"a response of numbers is needed, {formula.response.text!r} has values that are none.",
            where="formula",
            hint="A response with two values may have a logistic model, with more a multinomial one.",
        )
    return values


def figures_beside(statistics: Sequence[str]) -> tuple[Statistic, ...]:
    """The statistics that are figures of their own (standard errors belong to coefficients)."""
    beside: tuple[Statistic, ...] = ("r2", "loglik", "n")
    return tuple(s for s in beside if s in statistics)


def fit_statistic(fit: glm.Fit, model: Model, name: Statistic) -> float:
    """R² (McFadden 1974 unless linear), log-likelihood, or the number of rows."""
    if name == "n":
        return float(fit.n_rows)
    if name == "loglik":
        return fit.loglikelihood if fit.n_rows else np.nan
    if model.family != "identity":
        return 1.0 - fit.loglikelihood / fit.null_loglikelihood if fit.null_loglikelihood else np.nan
    return 1.0 - fit.deviance / fit.null_deviance if fit.null_deviance > 0.0 else np.nan
