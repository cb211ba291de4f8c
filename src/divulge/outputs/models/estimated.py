"""What regressions by maximum likelihood share that have no compiled fit: probit, Gamma, ordered logit, Weibull …

A kind says what a row's likelihood is (`curve`), where to start, and of which pieces its score consists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Family, Lowered
from divulge.outputs.mean_curves import MeanCurve
from divulge.outputs.models.design import LevelCounts, without_intercept
from divulge.outputs.models.estimates import Equation, lower_pieces
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve, Estimate, maximise, row_scores
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.predictions import model_predictions, model_stated
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import ROBUST, Scores, standard_errors
from divulge.outputs.models.summaries import summaries
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Released
from divulge.outputs.stated import Stated
from divulge.table import Schema, Table

Beside = Literal["se", "n", "t", "p", "interval", "ratio", "ratio-interval", "loglik", "aic", "bic"]


@dataclass(frozen=True, kw_only=True)
class Estimated(Regression):
    """Coefficients, then further parameters, then the number of rows. Published standard errors are computed but not
    searched for: the search has the coefficients to go by."""

    family: ClassVar[Family] = "identity"  # the response is read as numbers
    statsmodels: ClassVar[str] = ""
    beside: ClassVar[tuple[str, ...]] = ("se", "n")
    has_intercept: ClassVar[bool] = True
    """Whether the formula's intercept is a coefficient (thresholds and baseline hazards take its place)."""
    has_likelihood: ClassVar[bool] = False
    """Whether `curve` is the whole likelihood of a row, as programs print it."""

    statistics: Annotated[
        tuple[Beside, ...],
        "What is published beside the coefficients: se, n; t, p, interval, ratio, ratio-interval; loglik, aic, bic.",
    ] = ()

    @property
    def may_sum_up(self) -> tuple[str, ...]:
        return ("loglik", "aic", "bic") if self.has_likelihood else ()

    def sum_up(self, table: Table) -> Floats:
        _, rows, fit = self.fitted(table)
        k = float(self.n_estimated(rows, fit))
        return summaries(self.summed(), float(rows.n_rows), k, np.nan, fit.loglikelihood, np.nan, k)

    def further(self, schema: Schema) -> tuple[str, ...]:
        """The labels of further parameters."""
        del schema
        return ()

    def needs(self) -> tuple[str, ...]:
        """Variables beside the formula's that may not be missing."""
        return self.of_design()

    def second(self, schema: Schema) -> tuple[str, Floats] | None:
        """A second number of each row, where the likelihood needs one: a variable, and the number of each code."""
        del schema
        return None

    def mean_curve(self, further: Floats) -> MeanCurve | None:
        """How the mean of the response follows from its predictor; None where it does not from that alone."""
        del further
        return None

    def predictions(self, table: Table, released: Released) -> Predictions | None:
        model, said = self.model(table.schema), self.of_coefficients(table.schema, released)
        n = model.n_coefficients
        curve = self.mean_curve(said.values[n : n + len(self.further(table.schema))])
        return None if curve is None else model_predictions(self, table, model, said, curve)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        return model_stated(self, table, self.model(table.schema), released, is_scored=False)

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        """Nothing: coefficients are sums of responses by known weights in few of these models, which say so."""
        del table, released, most
        return ()

    def curve(self) -> Curve:
        """The likelihood of a row."""
        raise NotImplementedError

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        """Where Newton's steps start: coefficients and further parameters."""
        return np.zeros(rows.x.shape[1]), np.zeros(n_further)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """The score at given parameters."""
        raise NotImplementedError

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        """What multiplies the inverse information."""
        del rows, eta, n_fitted
        return 1.0

    def n_estimated(self, rows: ModelRows, fit: Estimate) -> int:
        """How many parameters were estimated, those that are not printed included."""
        del rows
        return int(fit.keep.sum())

    def model(self, schema: Schema, counts: LevelCounts | None = None) -> Model:
        model = super().model(schema, counts)
        return model if self.has_intercept else replace(model, design=without_intercept(model.design))

    def own_variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*super().own_variables(), *self.needs()]))

    def beside_them(self, schema: Schema) -> tuple[str, ...]:
        return (*self.further(schema), *(s for s in ("n",) if s in self.statistics))

    def find_label(self, text: str, schema: Schema) -> str | None:
        if self.columns().find(text) is not None:
            return super().find_label(text, schema)
        plain = text.strip()
        found = [label for label in self.further(schema) if label.casefold() == plain.casefold()]
        return found[0] if found else super().find_label(text, schema)

    def searches_se(self, schema: Schema, released: Released) -> bool:
        del schema, released
        return False

    def by_errors_of(self, released: Released, table: Table) -> Regression:
        """By the information or estimator that gives the standard errors that were printed."""
        if released.se is None or not np.isfinite(released.se).any():
            return self
        said = self if self.publishes_se else replace(self, statistics=("se", *self.statistics))
        for candidate in said.estimators():
            figures = candidate.evaluate(table)
            if figures.se is not None and released.agrees_se(figures.se).all():
                return candidate
        return said

    def estimators(self) -> Iterator[Estimated]:
        """The same model with every way to compute its standard errors, as it is said first."""
        yield self
        if self.errors != "model":
            return
        if "information" in vars(self):
            other = "expected" if vars(self)["information"] == "observed" else "observed"
            yield replace(self, information=other)  # type: ignore[call-arg]  # a field of some kinds
        for errors in ROBUST:
            if errors not in ("HC2", "HC3", "quasi"):  # of models with a linear predictor and a canonical link
                yield replace(self, errors=errors)

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model(table.schema)
        rows = model_rows(self, model, table, self.needs(), self.second(table.schema), self.errors == "model")
        k = len(self.further(table.schema))
        beta, extra = self.start(rows, k) if rows.n_rows else (np.zeros(rows.x.shape[1]), np.ones(k))
        return model, rows, maximise(self.curve(), rows, beta, extra)

    def estimate(self, table: Table) -> tuple[Figures, float]:
        """Coefficients, further parameters, rows; standard errors of the first two."""
        model, rows, fit = self.fitted(table)
        labels = (*model.labels, *self.beside_them(table.schema))
        values, se = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
        q = len(fit.theta)
        values[:q] = fit.theta
        if "n" in self.statistics:
            values[-1] = rows.n_rows
        se[:q] = self.errors_of(rows, fit, table)
        status = fit.status
        if status is Status.OK and not np.isfinite(values).all():
            status = Status.CONSTANT
        return Figures(labels, values, status, se), float(rows.n_rows - self.n_estimated(rows, fit))

    def errors_of(self, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        """Standard errors of the parameters, by the estimator that `errors` names."""
        if not fit.keep.any():
            return np.full(len(fit.theta), np.nan)
        known = np.nan_to_num(fit.beta)
        inverse = fit.inverse()
        if self.errors == "model":
            scale = self.dispersion(rows, rows.x @ known, self.n_estimated(rows, fit))
            with np.errstate(invalid="ignore"):
                return np.sqrt(scale * np.diagonal(inverse))
        parts = row_scores(self.curve(), rows, known, fit.extra)
        return self.by_scores(
            Scores(parts, np.nan_to_num(inverse), None, self.n_estimated(rows, fit)), rows, fit, table
        )

    def by_scores(self, scores: Scores, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        """Standard errors by the rows' scores, with the clusters and strata that are named."""
        clusters, strata = (
            None if name is None else table[name][rows.kept].astype(np.int64)
            for name in (self.cluster, self.design_strata)
        )
        return np.where(fit.keep, standard_errors(scores, self.errors, clusters, strata), np.nan)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        m = len(model.labels)
        k = len(self.further(schema))
        pieces = self.pieces(model, schema, released.centre[m : m + k])
        rows_of = partial(model_rows, self, model, complete=self.needs(), second=self.second(schema), is_collapsed=True)
        equation = Equation(rows_of, self.curve(), model.design.n_columns)
        return lower_pieces(self, model, schema, released, equation, pieces)
