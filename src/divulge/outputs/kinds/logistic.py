"""Logistic regression of a two-valued response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Family
from divulge.outputs.models.binary import binary_response, recoded
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Logistic(Regression):
    """Coefficients of a logistic regression (log odds). The second value of the response counts as 1."""

    kind: ClassVar[str] = "logistic"
    is_of_sums: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"logit": {}}
    family: ClassVar[Family] = "logistic"
    title: ClassVar[str] = "Logistic regression"
    ratio: ClassVar[str] = "odds ratio"
    statsmodels: ClassVar[str] = "Logit"
    as_glm: ClassVar[tuple[str, str] | None] = ("Binomial", "Logit")
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Who rents, by age, area, illness and sex",
            {"formula": "TENURE ~ AGE + C(AREAP, Treatment(57)) + LTILL + SEX"},
        ),
        Example(
            "With standard errors, pseudo R² and the number of rows",
            {"formula": "TENURE ~ AGE + SEX", "statistics": ["se", "r2", "loglik", "n"]},
        ),
        Example(
            "An interaction and a transform, adults",
            {"formula": "LTILL ~ log(AGE) + SEX:TENURE", "where": "AGE >= 18"},
        ),
        Example(
            "Odds ratios with their intervals and p values",
            {"formula": "TENURE ~ AGE + SEX", "exponentiated": True, "statistics": ["p", "interval"]},
        ),
    )

    formula: Annotated[str, "The model, as in `TENURE ~ AGE + C(AREA) + SEX:ILL + log(INCOME)`."]
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return binary_response(self.event, formula, variable, counts)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        made = recoded(self.formula, self.event, schema) if fits_statsmodels(self.formula) else None
        if made is None:
            return None
        code, formula = made
        fit = self.likelihood_code("logit", formula)
        return None if fit is None else [*code, *fit]

    def describe(self) -> str:
        counted = f" (1: {self.event})" if self.event is not None else ""
        return f"Logistic regression {self.formula}{counted}" + (f", where {self.where}" if self.where else "") + "."
