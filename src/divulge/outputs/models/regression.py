"""What the regression kinds share: they differ in the response, the family and the program that a class would use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.lowered import Family, Lowered
from divulge.outputs.lowering.rows import Groups, counted
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.dense import few_people
from divulge.outputs.models.design import Counts, schema_counts
from divulge.outputs.models.formula import Formula, formula_variables
from divulge.outputs.models.model import Model, Statistic, figures_beside, fit_model, read_model
from divulge.outputs.models.predictions import model_predictions
from divulge.outputs.models.refit import lower_model
from divulge.outputs.models.robust import recomputed_errors, robust_errors
from divulge.outputs.models.standard_errors import CLUSTERED, Errors
from divulge.outputs.output import Growth, Output
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table, Variable

RESPONSE = "response"
"""What the response is called in a recipe where it has to be made 0 and 1 first."""

_OTHERWISE = re.compile(r"`|\b(bs|poly|scale|standardize|square)\s*\(")
"""What statsmodels' formulas write otherwise, or compute otherwise."""


@dataclass(frozen=True, kw_only=True)
class Regression(Output):
    """A model with a formula. A kind says its family, its title, what its response is, and its recipe."""

    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    has_se: ClassVar[bool] = True
    family: ClassVar[Family]
    title: ClassVar[str]
    statsmodels: ClassVar[str]
    """The class of the model there."""
    beside: ClassVar[tuple[str, ...]] = ("se", "r2", "loglik", "n")
    """What may be published beside the coefficients."""
    as_glm: ClassVar[tuple[str, str] | None] = None
    """Family and link of the same model as a GLM of statsmodels."""

    formula: Annotated[str, "The model, as in `INCOME ~ AGE + C(AREA)`."]
    statistics: Annotated[
        tuple[Statistic, ...],
        "What is published beside the coefficients: se, r2, loglik, n.",
    ] = ()
    se_decimals: Annotated[
        int | None, "How many decimals the standard errors are printed with, where not as many as the coefficients."
    ] = None
    errors: Annotated[
        Errors, "How standard errors are computed: by the model, robust (HC0 to HC3, robust-ml) or clustered."
    ] = "model"
    cluster: Annotated[str | None, "The variable that makes the clusters of clustered standard errors."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.cluster is not None) != (self.errors in CLUSTERED):
            raise OutputError(
                "clustered standard errors need the variable that makes the clusters, and no others take one.",
                where="cluster",
                hint="Write for example {errors: cluster, cluster: REGION}.",
            )

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        """The response as a number for every code of its variable; NaN: the row takes no part."""
        raise NotImplementedError

    def classes(self, schema: Schema) -> tuple[str, ...]:
        """What the classes beside the reference are called, where the response has several."""
        del schema
        return ()

    def model(self, schema: Schema, counts: Counts | None = None) -> Model:
        """The model read against a schema. counts: how often codes occur; as the schema says where it is not given."""
        known = schema_counts(schema) if counts is None else counts
        return read_model(self.formula, schema, self.family, self.response, known, self.classes(schema))

    def own_variables(self) -> tuple[str, ...]:
        names = formula_variables(self.formula)
        return names if self.cluster is None else tuple(dict.fromkeys([*names, self.cluster]))

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        formula = self.model(schema).formula
        terms = [(formula.response.variable, *(f.variable for f in term)) for term in formula.terms if term]
        return (self.uses(schema), *dict.fromkeys(tuple(dict.fromkeys(names)) for names in terms))

    def few_people(self, table: Table, released: Released, most: int) -> FewPeople | None:
        return few_people(self, table, self.model(table.schema), released, most)

    def predictions(self, table: Table, released: Released) -> Predictions | None:
        return model_predictions(self, table, self.model(table.schema), released)

    def check_fields(self, schema: Schema) -> None:
        self.model(schema)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return (*self.model(schema).labels, *figures_beside(self.statistics))

    def grid(self, schema: Schema) -> Grid:
        """Terms down; coefficients, or the classes of the response, across. Statistics stand below."""
        model, beside = self.model(schema), figures_beside(self.statistics)
        n_terms, n_classes = model.design.n_columns, model.n_classes
        numbers = np.full((n_terms + len(beside), n_classes), -1)
        numbers[:n_terms] = np.arange(model.n_coefficients).reshape(n_classes, n_terms).T
        numbers[n_terms:, 0] = model.n_coefficients + np.arange(len(beside))
        rows = [(text,) for text in (*model.design.labels, *beside)]
        return grid_of(("Term",), rows, model.classes or ("Coefficient",), numbers)

    def find_label(self, text: str, schema: Schema) -> str | None:
        return self.model(schema).find(text)

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        ranges: dict[str, tuple[float, float]] = {
            "r2": (0.0, 1.0),
            # The likelihood of classes and counts is a probability; that of a normal response is a density.
            "loglik": (-np.inf, np.inf if self.family == "identity" else 0.0),
            "n": (0.0, np.inf if n_rows is None else float(n_rows)),
        }
        ends = [(-np.inf, np.inf)] * self.model(schema).n_coefficients
        ends += [ranges[name] for name in figures_beside(self.statistics)]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    @property
    def publishes_se(self) -> bool:
        return "se" in self.statistics

    @property
    def searches_se(self) -> bool:
        return self.errors == "model"

    @property
    def growth(self) -> Growth:
        return "neither" if {"loglik", "n"} & set(self.statistics) else "intensive"

    def as_released(self, released: Released, table: Table) -> Output:
        """With standard errors among what is published, by the estimator that gives those that were printed."""
        if released.se is None or not np.isfinite(released.se).any():
            return self
        said = self if self.publishes_se else replace(self, statistics=("se", *self.statistics))
        figures = said.evaluate(table)
        if self.errors != "model" or figures.se is None or released.agrees_se(figures.se).all():
            return said
        model = self.model(table.schema)
        n = model.n_coefficients
        beta = figures.values[:n].reshape(model.n_classes, -1)
        if not np.isfinite(beta).any():
            return said
        for (errors, _), se in recomputed_errors(self, model, table, beta).items():
            if released.agrees_se(np.concatenate([se, np.full(len(figures.values) - n, np.nan)])).all():
                return replace(said, errors=errors)
        return said

    def behind(self, table: Table) -> tuple[Behind, ...]:
        return model_behind(self, table, self.model(table.schema))

    def crowds(self, table: Table) -> Iterator[tuple[str, Integers]]:
        for name in self.own_variables():
            if table.schema[name].kind == "categorical":
                number = Groups.of(table.schema, (name,)).numbers(table)[counted(self, table, (name,))]
                yield f"levels of {name}", np.bincount(number, minlength=table.schema[name].n_values).astype(np.int64)

    def evaluate(self, table: Table) -> Figures:
        """Coefficients with their standard errors, then statistics."""
        fitted = fit_model(self, table, self.model)
        model, fit, status = fitted.model, fitted.fit, fitted.status
        labels = (*model.labels, *figures_beside(self.statistics))
        values, se = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
        if fit is None:
            return Figures(labels, values, status, se)
        n = model.n_coefficients
        values[:n], se[:n] = fit.beta.ravel(), fit.se.ravel()
        if self.errors != "model":
            se[:n] = robust_errors(self, model, table, fit, self.errors, self.cluster)
        values[n:] = [_statistic(fit, model, name) for name in figures_beside(self.statistics)]
        # A separated coefficient is −∞ or ∞, which says something; a statistic of a perfect fit says nothing.
        values[n:][np.isinf(values[n:])] = np.nan
        if status is Status.OK and not np.isfinite(values).all():
            status = Status.CONSTANT
        concerned = tuple(labels[i] for i in fit.columns.tolist())
        return Figures(labels, values, status, se, concerned=concerned)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return lower_model(self, self.model(schema), schema, released, self.statistics, lowers_se=self.searches_se)

    def describe(self) -> str:
        errors = "" if self.errors == "model" or not self.publishes_se else f", standard errors {self.errors}"
        errors += f" by {self.cluster}" if errors and self.cluster else ""
        return f"{self.title} {self.formula}" + (f", where {self.where}" if self.where else "") + f"{errors}."

    # What the kinds' recipes for statsmodels share.

    def figures_code(self, is_named: bool = True) -> list[str]:
        """Coefficients by name and their standard errors (is_named), then what is published beside them."""
        lines = ["found = model.params.copy()", 'found = pd.concat([found, model.bse.add_suffix(" (se)")])']
        beside = {"r2": "rsquared" if self.family == "identity" else "prsquared", "loglik": "llf", "n": "nobs"}
        return [
            *(lines if is_named else []),
            *(f"found[{name!r}] = model.{beside[name]}" for name in figures_beside(self.statistics)),
        ]

    def likelihood_code(self, method: str, formula: str) -> list[str] | None:
        """A fit by maximum likelihood: `smf.logit`, or with weights the same model as a GLM."""
        if self.errors != "model" and self.publishes_se:
            return None
        if self.weights is None:
            # Newton's method from zero may overshoot where it says nothing about convergence; more steps do no harm.
            return [f"model = smf.{method}({formula!r}, rows).fit(disp=0, maxiter=100)", *self.figures_code()]
        if self.statistics or self.as_glm is None:
            return None  # what a likelihood is with survey weights, programs do not agree on
        weights = f"freq_weights=rows[{self.weights!r}].astype(float)"
        fit = f"smf.glm({formula!r}, rows, family=sm.families.{self.as_glm[0]}(), {weights}).fit()"
        return [f"model = {fit}", *self.figures_code()]

    def with_response(self, name: str) -> str:
        """The formula with another response."""
        return f"{name} ~ {self.formula.partition('~')[2].strip()}"


def fits_statsmodels(formula: str) -> bool:
    """Whether statsmodels reads a formula as we do."""
    return not _OTHERWISE.search(formula)


def without_missing(name: str) -> str:
    """Code that leaves out the rows where a variable is missing."""
    return f"rows = rows.dropna(subset={[name]!r})"


def _statistic(fit: glm.Fit, model: Model, name: Statistic) -> float:
    """R² (McFadden 1974 unless linear), log-likelihood, or the number of rows."""
    if name == "n":
        return float(fit.n_rows)
    if name == "loglik":
        return fit.loglikelihood if fit.n_rows else np.nan
    if model.family != "identity":
        return 1.0 - fit.loglikelihood / fit.null_loglikelihood if fit.null_loglikelihood else np.nan
    return 1.0 - fit.deviance / fit.null_deviance if fit.null_deviance > 0.0 else np.nan
