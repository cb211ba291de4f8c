"""What the regression kinds share: they differ in the response, the family and the program that a class would use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, Picture, grid_of
from divulge.outputs.lowering.lowered import Family, Lowered
from divulge.outputs.lowering.rows import Groups, counted
from divulge.outputs.models.behind import model_behind, with_two_clusters
from divulge.outputs.models.beside import DERIVED, Columns, as_logarithms, as_ratios, first, lower_beside
from divulge.outputs.models.dense import few_people
from divulge.outputs.models.design import LevelCounts, schema_counts
from divulge.outputs.models.endless import as_endless, endless_value
from divulge.outputs.models.formula import Formula, formula_variables
from divulge.outputs.models.model import Model, counts_in, figures_beside, fit_model, fit_statistic, read_model
from divulge.outputs.models.predictions import model_predictions, model_stated
from divulge.outputs.models.refit import lower_model
from divulge.outputs.models.separated import contrary
from divulge.outputs.models.standard_errors import OF_CLUSTERS, Errors, agreeing_errors, robust_errors
from divulge.outputs.models.statsmodels_code import coefficients_code, fit_code
from divulge.outputs.models.summaries import (
    CODES,
    LABELS,
    OF_LIKELIHOODS,
    OF_LINEAR,
    Published,
    label_of,
    mean_response,
    range_of_summary,
    summaries,
)
from divulge.outputs.output import Growth, Output
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import Stated
from divulge.settings import Entries, Range
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class Regression(Output):
    """A model with a formula. A kind says its family, its title, what its response is, and its recipe."""

    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    has_se: ClassVar[bool] = True
    family: ClassVar[Family]
    title: ClassVar[str]
    statsmodels: ClassVar[str]  # the class of the model there
    beside: ClassVar[tuple[str, ...]] = ("se", "r2", "loglik", "n")
    """What may be published beside the coefficients."""
    as_glm: ClassVar[tuple[str, str] | None] = None
    """Family and link of the same model as a GLM of statsmodels."""
    links: ClassVar[Mapping[str, str]] = {}
    """Links of that family that the kind has a field for, by their class in statsmodels."""
    attributes: ClassVar[Mapping[str, str]] = {}
    """Fields of the kind that a fitted model of statsmodels has as an attribute, by name: quantile, its q."""
    ratio: ClassVar[str] = ""
    """What e^coefficient is called; empty where it is nothing that people print."""
    usual_test: ClassVar[Literal["t", "z"]] = "z"

    formula: Annotated[str, "The model, as in `INCOME ~ AGE + C(AREA)`."]
    statistics: Annotated[
        tuple[Published, ...],
        "What is published beside the coefficients: se, r2, loglik, n; t, p, interval, ratio, ratio-interval; "
        "adj-r2, f, f-p (linear) or lr, lr-p; aic, bic, df, df-residual, mean.",
        Entries(differ=True),
    ] = ()
    counts_variance: Annotated[bool, "AIC and BIC count the variance of a linear model as a parameter, as R does."] = (
        False
    )
    exponentiated: Annotated[bool, "The coefficients are printed as ratios: odds ratios, hazard ratios."] = False
    tests: Annotated[
        Literal["t", "z"] | None, "Tests and intervals by the t or the normal distribution, where not as is usual."
    ] = None
    level: Annotated[float, "Of the intervals, in per cent.", Range(above=0, below=100)] = 95.0
    se_decimals: Annotated[
        int | None, "How many decimals the standard errors are printed with, where not as many as the coefficients."
    ] = None
    errors: Annotated[
        Errors,
        "How standard errors are computed: by the model, robust (HC0 to HC3, robust-ml), quasi, clustered, survey.",
    ] = "model"
    cluster: Annotated[str | None, "The variable that makes the clusters of clustered standard errors."] = None
    design_strata: Annotated[str | None, "The variable of the strata of a survey design (errors: survey)."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.design_strata is not None and self.errors != "survey":
            raise OutputError("strata of a design need errors: survey.", where="design_strata")
        if self.errors != "survey" and (self.cluster is not None) != (self.errors in OF_CLUSTERS):
            raise OutputError(
                "clustered standard errors need the variable that makes the clusters, and no others take one.",
                where="cluster",
                hint="Write for example {errors: cluster, cluster: REGION}.",
            )
        wrong = [name for name in self.statistics if name in LABELS and name not in (*self.may_sum_up, *self.beside)]
        if wrong:
            raise OutputError(f"{wrong[0]!r} is not computed for kind {self.kind!r}.", where="statistics")
        ratios = {"ratio", "ratio-interval"} & set(self.statistics)
        if not self.ratio and (self.exponentiated or ratios):
            where = "exponentiated" if self.exponentiated else "statistics"
            raise OutputError(f"coefficients of kind {self.kind!r} are not printed as ratios.", where=where)
        if self.exponentiated and ratios:
            raise OutputError(
                "the coefficients are printed as ratios already.", where="statistics", hint="Write interval for theirs."
            )

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        """The response as a number for every code of its variable; NaN: the row takes no part."""
        raise NotImplementedError

    def classes(self, schema: Schema) -> tuple[str, ...]:
        """What the classes beside the reference are called, where the response has several."""
        del schema
        return ()

    def model(self, schema: Schema, counts: LevelCounts | None = None) -> Model:
        """The model read against a schema. counts: how often codes occur; as the schema says where it is not given."""
        counts = counts or schema_counts(schema)
        return read_model(self.formula, schema, self.family, self.response, counts, self.classes(schema))

    def model_in(self, table: Table) -> Model:
        """The model with knots, centres and scales as the rows of a table have them."""
        return self.model(table.schema, counts_in(self, table))

    def own_variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*formula_variables(self.formula), *self.of_design()]))

    def of_design(self) -> tuple[str, ...]:
        """The variables that standard errors need: of clusters and strata."""
        return tuple(name for name in (self.cluster, self.design_strata) if name is not None)

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        formula = self.model(schema).formula
        terms = [(formula.response.variable, *(f.variable for f in term)) for term in formula.terms if term]
        return (self.uses(schema), *dict.fromkeys(tuple(dict.fromkeys(names)) for names in terms))

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        found = few_people(self, table, self.model_in(table), self.of_coefficients(table.schema, released), most)
        return () if found is None else (found,)

    def responses(self) -> tuple[str, ...]:
        return formula_variables(self.formula)[:1]

    def predictions(self, table: Table, released: Released) -> Predictions | None:
        return model_predictions(self, table, self.model_in(table), self.of_coefficients(table.schema, released))

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        said = self.of_coefficients(table.schema, released)
        return model_stated(self, table, self.model_in(table), said, is_scored=True)

    def excluded(self, table: Table, released: Released) -> Mask:
        return contrary(self.model_in(table), table, self.of_coefficients(table.schema, released).values)

    def check_fields(self, schema: Schema) -> None:
        self.model(schema)

    def columns(self) -> Columns:
        """The figures that follow from a coefficient and its standard error, as far as they are published."""
        names = tuple(name for name in DERIVED if name in self.statistics)
        return Columns(names, self.usual_test, self.ratio or "ratio", self.level, self.exponentiated)

    def beside_them(self, schema: Schema) -> tuple[str, ...]:
        """The labels of figures that are no coefficients and do not follow from one."""
        del schema
        return figures_beside(self.statistics)

    @property
    def may_sum_up(self) -> tuple[str, ...]:
        """Which figures that sum up the fit are computed for the kind."""
        return OF_LINEAR if self.family == "identity" else OF_LIKELIHOODS

    def summed(self) -> tuple[str, ...]:
        """Those that are published."""
        return tuple(name for name in self.may_sum_up if name in self.statistics)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        terms = self.model(schema).labels
        return (*terms, *self.beside_them(schema), *self.columns().labels(terms), *(LABELS[s] for s in self.summed()))

    def grid(self, schema: Schema) -> Grid:
        """Terms down; coefficients, or the classes of the response, across, each with what follows from it. Statistics
        stand below."""
        model, beside, heads = self.model(schema), self.beside_them(schema), self.columns().heads
        n_terms, n_classes, m = model.design.n_columns, model.n_classes, model.n_coefficients
        width, summed = 1 + len(heads), [LABELS[name] for name in self.summed()]
        numbers = np.full((n_terms + len(beside) + len(summed), n_classes * width), -1)
        for k in range(width):
            first_of = 0 if k == 0 else m + len(beside) + (k - 1) * m
            numbers[:n_terms, k::width] = (first_of + np.arange(m)).reshape(n_classes, n_terms).T
        below = np.arange(len(beside) + len(summed))
        numbers[n_terms:, 0] = m + below + np.where(below < len(beside), 0, len(heads) * m)
        rows = [(text,) for text in (*model.design.labels, *beside, *summed)]
        plain = self.ratio.capitalize() if self.exponentiated else "Coefficient"
        names = [c for name in model.classes or (plain,) for c in (name, *(f"{name} {h}".strip() for h in heads))]
        if not model.classes:
            names = [plain, *heads]
        # A ratio has no interval of so many standard errors around it; several classes are several pictures.
        picture: Picture = "table" if model.classes or self.exponentiated else "coefficients"
        return grid_of(("Term",), rows, tuple(names), numbers, picture=picture)

    def find_label(self, text: str, schema: Schema) -> str | None:
        found = self.columns().find(text)
        if found is not None:
            return f"{self.find_label(found[0], schema) or found[0]} ({found[1]})"
        return label_of(text, self.summed()) or self.model(schema).find(text)

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        ranges: dict[str, tuple[float, float]] = {
            "r2": (0.0, 1.0),
            # The likelihood of classes and counts is a probability; that of a normal response is a density.
            "loglik": (-np.inf, np.inf if self.family == "identity" else 0.0),
            "n": (0.0, np.inf if n_rows is None else float(n_rows)),
        }
        m = self.model(schema).n_coefficients
        ends = [(0.0 if self.exponentiated else -np.inf, np.inf)] * m
        ends += [self.range_of(label) if label not in ranges else ranges[label] for label in self.beside_them(schema)]
        ends += [*self.columns().ranges(m), *(range_of_summary(name) for name in self.summed())]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    def range_of(self, label: str) -> tuple[float, float]:
        """The least and the greatest that a further parameter can be."""
        del label
        return -np.inf, np.inf

    def read_value(self, label: str, text: str, schema: Schema) -> float | None:
        return endless_value(text)

    def as_known(self, released: Released, schema: Schema, n_rows: int | None = None) -> Released:
        said = super().as_known(released, schema, n_rows)
        return said if self.family == "identity" else as_endless(said, self.model(schema), is_ratio=self.exponentiated)

    @property
    def publishes_se(self) -> bool:
        return "se" in self.statistics

    def searches_se(self, schema: Schema, released: Released) -> bool:
        del schema, released
        return self.errors == "model"

    @property
    def condenses(self) -> bool:
        return super().condenses and self.errors == "model"  # others are sums over rows

    @property
    def growth(self) -> Growth:
        grows = {"loglik", "n", "t", "p", "interval", "ratio-interval", *LABELS}
        return "neither" if grows & set(self.statistics) else "intensive"

    def searched(self, schema: Schema) -> Mask | None:
        labels = self.labels(schema)
        more = len(self.columns().heads) * len(self.model(schema).labels) + len(self.summed())
        return np.arange(len(labels)) < len(labels) - more if more else None

    def as_released(self, released: Released, table: Table) -> Output:
        """With standard errors among what is published, by the estimator that gives those that were printed, tests by
        the distribution that gives those, and AIC with the parameters that give it."""
        said = self.by_errors_of(released, table)
        other: Literal["t", "z"] = "z" if self.usual_test == "t" else "t"
        candidates = [said]
        if self.tests is None and {"p", "interval", "ratio-interval"} & set(self.statistics):
            candidates.append(replace(said, tests=other))
        if self.family == "identity" and {"aic", "bic"} & set(self.statistics):
            candidates += [replace(c, counts_variance=not self.counts_variance) for c in candidates]
        for candidate in candidates[:0] if len(candidates) == 1 else candidates:
            if released.agrees(candidate.evaluate(table).values).all():
                return candidate
        return said

    def by_errors_of(self, released: Released, table: Table) -> Regression:
        """The same output with the estimator that gives the standard errors that were printed, where there is one."""
        if released.se is None or not np.isfinite(released.se).any():
            return self
        said = self if self.publishes_se else replace(self, statistics=("se", *self.statistics))
        figures = said.evaluate(table)
        if self.errors != "model" or figures.se is None or released.agrees_se(figures.se).all():
            return said
        beta = self.estimate(table)[0].values[: self.model_in(table).n_coefficients]
        errors = agreeing_errors(self, self.model_in(table), table, beta, released, self.exponentiated)
        return said if errors is None else replace(said, errors=errors)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        return with_two_clusters(model_behind(self, table, self.model_in(table)), table, self.cluster)

    def crowds(self, table: Table) -> Iterator[tuple[str, Integers]]:
        for name in self.own_variables():
            if table.schema[name].kind == "categorical":
                number = Groups.of(table.schema, (name,)).numbers(table)
                people = table.tally(number, table.schema[name].n_values, counted(self, table, (name,)))
                yield f"levels of {name}", people.astype(np.int64)

    def evaluate(self, table: Table) -> Figures:
        """Coefficients with their standard errors, statistics, what follows from the coefficients, what sums up."""
        shown = self._beside_coefficients(table)
        if not self.summed():
            return shown
        more = self.sum_up(table)
        status = Status.CONSTANT if shown.status is Status.OK and not np.isfinite(more).all() else shown.status
        return shown.followed_by([LABELS[name] for name in self.summed()], more, status)

    def sum_up(self, table: Table) -> Floats:
        """The figures that sum up the fit."""
        figures, df = replace(self, statistics=("r2", "loglik", "n")).estimate(table)
        r2, loglik, n = figures.values[-3:].tolist()
        mean = np.nan if "mean" not in self.statistics else mean_response(self, self.model_in(table), table)
        is_one_more = self.counts_variance and self.family == "identity"
        return summaries(self.summed(), n, n - df, r2, loglik, mean, n - df + is_one_more)

    def _beside_coefficients(self, table: Table) -> Figures:
        figures, df = self.estimate(table)
        columns, m = self.columns(), len(self.model_in(table).labels)
        if not columns.names and not self.exponentiated:
            return figures
        assert figures.se is not None
        if (self.tests or self.usual_test) == "z":
            df = np.inf
        elif self.errors in OF_CLUSTERS and self.cluster is not None:
            df = len(np.unique(table[self.cluster])) - 1.0  # Stata's; those of Liang & Zeger are as many as clusters
        derived = columns.values(figures.values[:m], figures.se[:m], df)
        shown = as_ratios(figures, m) if self.exponentiated else figures
        status = Status.CONSTANT if shown.status is Status.OK and not np.isfinite(derived).all() else shown.status
        return shown.followed_by(columns.labels(shown.labels[:m]), derived, status)

    def estimate(self, table: Table) -> tuple[Figures, float]:
        """Coefficients with their standard errors, then statistics; and degrees of freedom of t tests."""
        fitted = fit_model(self, table, self.model)
        model, fit, status = fitted.model, fitted.fit, fitted.status
        labels = (*model.labels, *figures_beside(self.statistics))
        values, se = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
        if fit is None:
            return Figures(labels, values, status, se), np.nan
        n = model.n_coefficients
        values[:n], se[:n] = fit.beta.ravel(), fit.se.ravel()
        if self.errors != "model":
            se[:n] = robust_errors(self, model, table, fit, self.errors, self.cluster, self.design_strata)
        values[n:] = [fit_statistic(fit, model, name) for name in figures_beside(self.statistics)]
        # A separated coefficient is −∞ or ∞, which says something; a statistic of a perfect fit says nothing.
        values[n:][np.isinf(values[n:])] = np.nan
        if status is Status.OK and not np.isfinite(values).all():
            status = Status.CONSTANT
        concerned = tuple(labels[i] for i in fit.columns.tolist())
        df = float(fit.n_rows - np.isfinite(fit.beta).sum())
        return Figures(labels, values, status, se, concerned=concerned), df

    def of_coefficients(self, schema: Schema, released: Released) -> Released:
        """What was released, in terms of coefficients, without what follows from them."""
        m = len(self.model(schema).labels)
        base = first(released, m + len(self.beside_them(schema)))
        return as_logarithms(base, m) if self.exponentiated else base

    def lower(self, schema: Schema, released: Released) -> Lowered:
        base = self.of_coefficients(schema, released)
        lowered = self.lower_coefficients(schema, base)
        if not self.columns().names and not self.exponentiated and not self.summed():
            return lowered
        m = len(self.model(schema).labels)
        return lower_beside(lowered, base, released, m, self.columns())

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        """The lowered form without what follows from coefficients."""
        model, beside = self.model(schema), figures_beside(self.statistics)
        return lower_model(self, model, schema, released, beside, self.searches_se(schema, released))

    def describe(self) -> str:
        errors = "" if self.errors == "model" or not self.publishes_se else f", standard errors {self.errors}"
        errors += f" by {self.cluster}" if errors and self.cluster else ""
        return f"{self.title} {self.formula}" + (f", where {self.where}" if self.where else "") + f"{errors}."

    def figures_code(self, is_named: bool = True) -> list[str]:
        """Coefficients by name and their standard errors (is_named), then what is published beside them."""
        lines = coefficients_code(self.exponentiated)
        beside = {"r2": "rsquared" if self.family == "identity" else "prsquared", "loglik": "llf", "n": "nobs"}
        return [
            *([*lines, *self.columns().code()] if is_named else []),
            *(f"found[{name!r}] = model.{beside[name]}" for name in figures_beside(self.statistics)),
            *(f"found[{LABELS[name]!r}] = {CODES[name]}" for name in self.summed()),
        ]

    def likelihood_code(self, method: str, formula: str) -> list[str] | None:
        """A fit by maximum likelihood: `smf.logit`, or with weights the same model as a GLM."""
        is_glm_said = not self.statistics and self.as_glm is not None
        if (self.errors != "model" and self.publishes_se) or (self.weights is not None and not is_glm_said):
            return None  # what a likelihood is with survey weights, programs do not agree on
        return [fit_code(method, formula, self.weights, (self.as_glm or ("",))[0]), *self.figures_code()]

    def with_response(self, name: str) -> str:
        """The formula with another response."""
        return f"{name} ~ {self.formula.partition('~')[2].strip()}"
