"""Average marginal effects of a logistic, probit or Poisson regression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtr

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.beside import Columns, Derived
from divulge.outputs.models.binary import recoded
from divulge.outputs.models.design import schema_counts
from divulge.outputs.models.effect_sums import EffectResiduals, near_effects, sums_of
from divulge.outputs.models.effects import LOGISTIC, POISSON, Means, covariates
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve, Estimate
from divulge.outputs.models.pieces import Piece, combine
from divulge.outputs.models.refit import drawn_table
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Entries, Range
from divulge.table import Schema, Table

_MODELS: dict[str, type[Regression]] = {"logistic": Logistic, "probit": Probit, "poisson": Poisson}
_METHODS = {"logistic": "logit", "probit": "probit", "poisson": "poisson"}


@dataclass(frozen=True, kw_only=True)
class MarginalEffects(Output):
    """Average marginal effects (Bartus 2005), as `margins, dydx(*)`, R's margins and get_margeff print them. They are
    lowered at coefficients near those of the synthetic people, and linearised anew as these change: the coefficients
    themselves were not released."""

    kind: ClassVar[str] = "marginal-effects"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_exact: ClassVar[bool] = False
    has_se: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "How much likelier people are women, by age and tenure",
            {"formula": "SEX ~ AGE + TENURE", "statistics": ["se", "n"], "decimals": 4},
        ),
        Example(
            "The same by a probit, as slopes",
            {"formula": "SEX ~ AGE + TENURE", "model": "probit", "dummies": "slope", "decimals": 4},
        ),
    )

    formula: Annotated[str, "The model, as in `TENURE ~ AGE + C(AREA)`: covariates as they are, and categories."]
    model: Annotated[Literal["logistic", "probit", "poisson"], "Which model the effects are of."] = "logistic"
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None
    dummies: Annotated[
        Literal["difference", "slope"],
        "Effects of categories: differences from the reference (Stata, R) or slopes (statsmodels unless dummy=True).",
    ] = "difference"
    statistics: Annotated[
        tuple[Literal["se", "n", "t", "p", "interval"], ...],
        "What is published beside the effects: se, n; t, p, interval.",
        Entries(differ=True),
    ] = ()
    level: Annotated[float, "Of the intervals, in per cent.", Range(above=0, below=100)] = 95.0
    se_decimals: Annotated[
        int | None, "How many decimals the standard errors are printed with, where not as many as the effects."
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model == "poisson" and self.event is not None:
            raise OutputError("counts have no event.", where="event")

    def regression(self) -> Regression:
        """The regression that the effects are of."""
        fields: Any = {} if self.model == "poisson" else {"event": self.event}
        return _MODELS[self.model](formula=self.formula, where=self.where, **fields)

    def means(self) -> Means:
        """The mean, its slope and the likelihood of the model."""
        if self.model == "logistic":
            return LOGISTIC
        return POISSON if self.model == "poisson" else _normal_means(Probit(formula=self.formula).curve())

    def responses(self) -> tuple[str, ...]:
        return self.regression().responses()

    def own_variables(self) -> tuple[str, ...]:
        return self.regression().own_variables()

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        return self.regression().tied(schema)

    def check_fields(self, schema: Schema) -> None:
        covariates(self.regression().model(schema))

    def _effects(self, schema: Schema) -> tuple[str, ...]:
        model = self.regression().model(schema)
        return tuple(model.design.labels[j] for c in covariates(model) for j in c.columns)

    def _columns(self) -> Columns:
        names: tuple[Derived, ...] = ("t", "p", "interval")
        return Columns(tuple(n for n in names if n in self.statistics), "z", "ratio", self.level, False)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        effects = self._effects(schema)
        return (*effects, *(["n"] if "n" in self.statistics else []), *self._columns().labels(effects))

    def grid(self, schema: Schema) -> Grid:
        effects, heads, has_n = self._effects(schema), self._columns().heads, "n" in self.statistics
        m = len(effects)
        numbers = np.full((m + has_n, 1 + len(heads)), -1)
        for k in range(1 + len(heads)):
            numbers[:m, k] = (0 if k == 0 else m + has_n + (k - 1) * m) + np.arange(m)
        if has_n:
            numbers[m, 0] = m
        rows = [(text,) for text in (*effects, *(["n"] if has_n else []))]
        return grid_of(("Term",), rows, ("Marginal effect", *heads), numbers, picture="coefficients")

    def find_label(self, text: str, schema: Schema) -> str | None:
        found = self._columns().find(text)
        if found is not None:
            return f"{self.find_label(found[0], schema) or found[0]} ({found[1]})"
        return self.regression().model(schema).find(text)

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        m, has_n = len(self._effects(schema)), "n" in self.statistics
        ends = [(-np.inf, np.inf)] * m + [(0.0, np.inf if n_rows is None else float(n_rows))] * has_n
        ends += self._columns().ranges(m)
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    def searched(self, schema: Schema) -> Mask | None:
        more = len(self._columns().heads) * len(self._effects(schema))
        n = len(self.labels(schema))
        return np.arange(n) < n - more if more else None

    @property
    def publishes_se(self) -> bool:
        return "se" in self.statistics

    def searches_se(self, schema: Schema, released: Released) -> bool:
        del schema, released
        return False

    @property
    def growth(self) -> Growth:
        return "neither" if {"n", "t", "p", "interval"} & set(self.statistics) else "intensive"

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """As behind the coefficients, of which the intercept has no effect."""
        model = self.regression().model_in(table)
        place = np.full(model.design.n_columns + 1, -1)
        place[[j for c in covariates(model) for j in c.columns]] = np.arange(len(self._effects(table.schema)))
        return tuple(replace(b, figures=place[b.figures]) for b in self.regression().behind(table))

    def crowds(self, table: Table) -> Iterator[tuple[str, Integers]]:
        return self.regression().crowds(table)

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        """The regression at its maximum."""
        regression = self.regression()
        model = regression.model_in(table)
        rows = model_rows(self, model, table, is_collapsed=True)
        return model, rows, self.means().curve.maximise(rows, np.zeros(rows.x.shape[1]), np.zeros(0))

    def evaluate(self, table: Table) -> Figures:
        model, rows, fit = self.fitted(table)
        known, is_difference = covariates(model), self.dummies == "difference"
        labels, m = self.labels(table.schema), len(self._effects(table.schema))
        values, se = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
        if "n" in self.statistics:
            values[m] = rows.n_rows
        status = fit.status
        if status is Status.OK:
            values[:m] = self.means().average_effects(rows, fit.beta, known, is_difference)
            slopes = self.means().effect_slopes(rows, fit.beta, known, is_difference)
            with np.errstate(invalid="ignore"):
                se[:m] = np.sqrt(np.diagonal(slopes @ fit.inverse() @ slopes.T))
            values[len(labels) - len(self._columns().heads) * m :] = self._columns().values(values[:m], se[:m], np.inf)
            if not np.isfinite(values).all():
                status = Status.CONSTANT
        return Figures(labels, values, status, se)

    def as_released(self, released: Released, table: Table) -> Output:
        """With effects of categories as what was printed says they are, and standard errors where some were."""
        has_se = released.se is not None and bool(np.isfinite(released.se).any())
        said = self if self.publishes_se or not has_se else replace(self, statistics=("se", *self.statistics))
        other = replace(said, dummies="slope" if self.dummies == "difference" else "difference")
        agrees = [bool(released.agrees(output.evaluate(table).values).all()) for output in (said, other)]
        return other if agrees == [False, True] else said

    def lower(self, schema: Schema, released: Released) -> Lowered:
        model = self.regression().model(schema)
        rows = model_rows(self, model, drawn_table([*self.uses(schema)], schema)[0])
        counts = schema_counts(schema)(model.formula.response.variable)
        given = np.isfinite(model.y)
        mean = float(np.average(model.y[given], weights=counts[given] + 1e-12))
        m = len(self._effects(schema))
        return self._lowered(schema, released, near_effects(self.means(), model, rows, released.centre[:m], mean))

    def _settled(self, schema: Schema, released: Released, table: Table) -> Lowered:
        fit = self.fitted(table)[2]
        return self._lowered(schema, released, fit.beta) if fit.status is Status.OK else self.lower(schema, released)

    def _lowered(self, schema: Schema, released: Released, beta: Floats) -> Lowered:
        model = self.regression().model(schema)
        known, is_difference = covariates(model), self.dummies == "difference"
        weight = weight_term(self, schema, list(self.own_variables()))
        score, sums = self._score(model, schema), sums_of(self.model, model, beta, known, is_difference)
        blocks = [piece.block(model.design, beta, weight) for piece in score]
        blocks += [piece.block(s.design, s.beta, weight) for s in sums for piece in s.pieces]
        blocks.append(Block((Term.constant(),), 1, weight=weight))
        joined = combine(score, model.design, 0)
        has_n = "n" in self.statistics
        residuals = EffectResiduals(
            self.fitted, self.means(), known, is_difference, released.centre, joined, sums, beta, has_n
        )
        table, share = drawn_table([*self.uses(schema)], schema)
        unit, m = np.ones(len(released.labels)), residuals.m
        unit[:m] = residuals.errors(model_rows(self, model, table), share)
        if released.se is not None:
            unit[:m] = np.where(np.nan_to_num(released.se[:m]) > 0.0, released.se[:m], unit[:m])
        if has_n:
            unit[m] = max(released.half[m], 0.5)
        low, high = released.residual_low.copy(), released.residual_high.copy()
        low[m + has_n :], high[m + has_n :] = -np.inf, np.inf
        n_totals = sum(block.n_totals for block in blocks)
        lowered = Lowered(tuple(blocks), np.zeros(n_totals), residuals, low, high, unit, is_linear=False, is_bent=True)
        return replace(lowered, settled=partial(self._settled, schema, released))

    def _score(self, model: Model, schema: Schema) -> tuple[Piece, ...]:
        name = model.formula.response.variable
        if self.model == "probit":
            return Probit(formula=self.formula, event=self.event).pieces(model, schema, np.zeros(0))
        less = np.where(np.isfinite(model.y), -1.0, np.nan)
        return Piece("one", {name: model.y}), Piece("sigmoid" if self.model == "logistic" else "exp", {name: less})

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        made = recoded(self.formula, self.event, schema) if self.model != "poisson" else ([], self.formula)
        if not fits_statsmodels(self.formula) or made is None or self._columns().names:
            return None
        is_difference = self.dummies == "difference"
        if is_difference and not self._are_pairs(schema):
            return None
        code, formula = made
        return [
            *code,
            f"model = smf.{_METHODS[self.model]}({formula!r}, rows).fit(disp=0, maxiter=100)",
            f"effects = model.get_margeff(dummy={is_difference})",
            "names = [n for n in model.model.exog_names if n != 'Intercept']",
            "found = pd.Series(effects.margeff, index=names)",
            'found = pd.concat([found, pd.Series(effects.margeff_se, index=names).add_suffix(" (se)")])',
            *(["found['n'] = model.nobs"] if "n" in self.statistics else []),
        ]

    def _are_pairs(self, schema: Schema) -> bool:
        """Whether statsmodels takes differences where we do: of two levels, and not of numbers 0 and 1."""
        model = self.regression().model(schema)
        for covariate in covariates(model):
            numbers = schema[model.design.terms[covariate.term].variables[0]].numbers
            is_binary = bool(np.isin(numbers[np.isfinite(numbers)], (0.0, 1.0)).all())
            if is_binary if covariate.is_number else len(covariate.columns) != 1:
                return False
        return True

    def describe(self) -> str:
        where = f", where {self.where}" if self.where else ""
        return f"Average marginal effects of a {self.model} regression {self.formula}{where}."


def _normal_means(curve: Curve) -> Means:
    """A probit model, whose likelihood its own kind says."""
    return Means(
        lambda eta: np.asarray(ndtr(eta)),
        lambda eta: np.asarray(np.exp(-0.5 * eta * eta) / np.sqrt(2.0 * np.pi)),
        curve,
    )
