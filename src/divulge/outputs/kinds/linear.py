"""Linear regression (least squares)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Family
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.model import number_response
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.spreads import model_spreads
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.spreads import Spread
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class Linear(Regression):
    """Coefficients of a linear regression, by least squares; standard errors are those of equal variances unless
    `errors` says otherwise.

    Weights are inverse variances up to a factor, as in weighted least squares.
    """

    kind: ClassVar[str] = "linear"
    is_of_sums: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"ols": {}}
    family: ClassVar[Family] = "identity"
    title: ClassVar[str] = "Linear regression"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    statsmodels: ClassVar[str] = "OLS"
    as_glm: ClassVar[tuple[str, str] | None] = ("Gaussian", "Identity")
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by sex, tenure and illness", {"formula": "AGE ~ SEX*TENURE + LTILL", "statistics": ["se", "r2", "n"]}
        ),
        Example(
            "A function of the response, adults", {"formula": "log(AGE) ~ C(MSTATUS) + TENURE", "where": "AGE >= 16"}
        ),
        Example(
            "Through the origin, weighted",
            {"formula": "AGE ~ 0 + C(SEX):C(LTILL)", "weights": "AGE", "statistics": ["se", "r2", "loglik", "n"]},
        ),
        Example(
            "With standard errors clustered by area",
            {"formula": "AGE ~ SEX + TENURE", "statistics": ["se"], "errors": "cluster", "cluster": "AREAP"},
        ),
        Example(
            "With what sums it up",
            {
                "formula": "AGE ~ SEX + TENURE",
                "statistics": ["r2", "n", "adj-r2", "f", "f-p", "aic", "df-residual", "mean"],
            },
        ),
    )

    formula: Annotated[str, "The model, as in `INCOME ~ AGE + I(AGE**2) + C(AREA) + SEX:ILL`."]

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return number_response(formula, variable, counts)

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        (stated,) = self.stated(table, released)
        return model_spreads(stated, released, table, self.errors) if {*self.statistics} - {"n", "mean"} else ()

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.errors.endswith("-ml"):
            return None
        errors = "" if self.errors == "model" else f"cov_type={self.errors!r}"
        lines = []
        if self.cluster is not None:
            lines = [f"rows = rows.dropna(subset={list(self.own_variables())!r})"]
            groups = f"rows[{self.cluster!r}].astype('category').cat.codes"
            errors += f", cov_kwds={{'groups': {groups}}}"
        fit = f"smf.ols({self.formula!r}, rows)"
        if self.weights:
            fit = f"smf.wls({self.formula!r}, rows, weights=rows[{self.weights!r}].astype(float))"
        return [*lines, f"model = {fit}.fit({errors})", *self.figures_code()]
