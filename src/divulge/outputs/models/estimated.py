"""What regressions by maximum likelihood share that have no compiled fit: probit, Gamma, ordered logit, Weibull …

A kind says what a row's likelihood is (`curve`), where to start, and of which pieces its score consists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Block, Family, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.mean_curves import MeanCurve
from divulge.outputs.models.design import LevelCounts
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve, Estimate
from divulge.outputs.models.pieces import Piece, combine
from divulge.outputs.models.predictions import model_predictions, model_stated
from divulge.outputs.models.refit import drawn_table, inverted
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.standard_errors import ROBUST, Scores
from divulge.outputs.models.summaries import summaries
from divulge.outputs.output import Output
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Released
from divulge.outputs.stated import Stated
from divulge.settings import Entries
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
        Entries(differ=True),
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
        model, said = self.model_in(table), self.of_coefficients(table.schema, released)
        n = model.n_coefficients
        curve = self.mean_curve(said.values[n : n + len(self.further(table.schema))])
        return None if curve is None else model_predictions(self, table, model, said, curve)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        return model_stated(self, table, self.model_in(table), released, is_scored=False)

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

    def pearson(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        """Pearson's dispersion, of quasi-families (Wedderburn 1974); NaN where the model has none."""
        del rows, eta, n_fitted
        return np.nan

    def n_estimated(self, rows: ModelRows, fit: Estimate) -> int:
        """How many parameters were estimated, those that are not printed included."""
        del rows
        return int(fit.keep.sum())

    def model(self, schema: Schema, counts: LevelCounts | None = None) -> Model:
        model = super().model(schema, counts)
        return model if self.has_intercept else replace(model, design=model.design.without_intercept())

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
        model = self.model_in(table)
        rows = model_rows(self, model, table, self.needs(), self.second(table.schema), self.errors == "model")
        k = len(self.further(table.schema))
        beta, extra = self.start(rows, k) if rows.n_rows else (np.zeros(rows.x.shape[1]), np.ones(k))
        return model, rows, self.curve().maximise(rows, beta, extra)

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
        if self.errors in ("model", "quasi"):
            of = self.dispersion if self.errors == "model" else self.pearson
            scale = of(rows, rows.x @ known, self.n_estimated(rows, fit))
            with np.errstate(invalid="ignore"):
                return np.sqrt(scale * np.diagonal(inverse))
        parts = self.curve().row_scores(rows, known, fit.extra)
        return self.by_scores(
            Scores(parts, np.nan_to_num(inverse), None, self.n_estimated(rows, fit)), rows, fit, table
        )

    def by_scores(self, scores: Scores, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        """Standard errors by the rows' scores, with the clusters and strata that are named."""
        clusters, strata = (
            None if name is None else table[name][rows.kept].astype(np.int64)
            for name in (self.cluster, self.design_strata)
        )
        return np.where(fit.keep, scores.standard_errors(self.errors, clusters, strata), np.nan)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        m = len(model.labels)
        k = len(self.further(schema))
        pieces = self.pieces(model, schema, released.centre[m : m + k])
        rows_of = partial(model_rows, self, model, complete=self.needs(), second=self.second(schema), is_collapsed=True)
        equation = _Equation(rows_of, self.curve(), model.design.n_columns)
        return _lower_pieces(self, model, schema, released, equation, pieces)


@dataclass(frozen=True, eq=False)
class _Equation:
    """An estimating equation: which rows a table gives, the score and its slope at parameters, and the fit."""

    rows: Callable[[Table], ModelRows]
    curve: Curve
    p: int

    def slope(self, rows: ModelRows, theta: Floats) -> Floats:
        return self.curve.information(rows, theta[: self.p], theta[self.p :])

    def spread(self, rows: ModelRows, theta: Floats) -> Floats:
        """Σ of squared scores, which is the information where the model holds."""
        scores = self.curve.row_scores(rows, theta[: self.p], theta[self.p :]) / np.sqrt(rows.counts)[:, None]
        # A row without a score (thresholds that were printed alike) says nothing.
        scores = np.where(np.isfinite(scores), scores, 0.0)
        return scores.T @ scores

    def fit(self, rows: ModelRows, theta: Floats) -> Floats | None:
        found = self.curve.maximise(rows, theta[: self.p], theta[self.p :])
        return found.theta if found.status is Status.OK else None


@dataclass(frozen=True, eq=False)
class _EstimateResiduals:
    """Parameters of the fit − released, then the number of rows − released where it is a figure.

    Totals: the pieces, which `combine` adds up to the score; then the number of rows.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    equation: _Equation
    theta: Floats
    combine: Floats
    released_rows: float | None

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        q, n_pieces = self.combine.shape
        score = self.combine @ totals[:n_pieces]
        rows = self.equation.rows(table)
        with np.errstate(all="ignore"):
            at = self.theta
            fitted = self.equation.fit(rows, self.theta)
            if fitted is not None and np.isfinite(fitted).all():
                at = fitted
            slope = self.equation.slope(rows, at)
            inverse, is_lost = inverted(slope if _is_usable(slope) else self.equation.spread(rows, at))
        residuals = at - self.theta if at is not self.theta else inverse @ score
        # A coefficient of a level that no row has is no coefficient: far from what was released.
        residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
        jacobian = np.zeros((q, len(totals)))
        jacobian[:, :n_pieces] = inverse @ self.combine
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        return np.append(residuals, totals[-1] - self.released_rows), np.concatenate([jacobian, count])


def _is_usable(slope: Floats) -> bool:
    """Whether an information matrix is one: finite, with nothing below 0 on its diagonal, and positive definite."""
    if not np.isfinite(slope).all():
        return False
    inside = np.diagonal(slope) > 0.0
    if (np.diagonal(slope) < 0.0).any():
        return False
    part = slope[np.ix_(inside, inside)]
    root = np.sqrt(np.diagonal(part))
    return not len(part) or float(np.linalg.eigvalsh(part / root / root[:, None])[0]) > 0.0


def _lower_pieces(
    output: Output,
    model: Model,
    schema: Schema,
    released: Released,
    equation: _Equation,
    pieces: tuple[Piece, ...],
) -> Lowered:
    """The additive form of parameters, and of the number of rows where the last label is `n`."""
    has_n = released.labels[-1] == "n"
    theta = released.centre[: len(released.labels) - has_n]
    p = model.design.n_columns
    names = list(output.own_variables())
    weight = weight_term(output, schema, names)
    blocks = [piece.block(model.design, theta[:p], weight) for piece in pieces]
    if has_n:
        blocks.append(Block((Term.constant(),), 1, weight=weight))
    residuals = _EstimateResiduals(
        equation,
        theta,
        combine(pieces, model.design, len(theta) - p),
        float(released.centre[-1]) if has_n else None,
    )
    unit = _expected_units(equation, theta, names, output, schema)
    if released.se is not None:
        se = released.se[: len(theta)]
        unit = np.where(np.nan_to_num(se) > 0.0, se, unit)
    if has_n:
        unit = np.append(unit, max(released.half[-1], 0.5))
    n_totals = sum(block.n_totals for block in blocks)
    return Lowered(
        tuple(blocks),
        np.zeros(n_totals),
        residuals,
        released.residual_low,
        released.residual_high,
        unit,
        is_linear=False,
    )


def _expected_units(equation: _Equation, theta: Floats, names: list[str], output: Output, schema: Schema) -> Floats:
    """About how large standard errors are if variables were independent; only a unit for the discrepancy."""
    table, share = drawn_table([*names, *output.uses(schema)], schema)
    with np.errstate(all="ignore"):
        inverse, _ = inverted(equation.spread(equation.rows(table), theta) * share)
    return np.sqrt(np.diagonal(inverse))
