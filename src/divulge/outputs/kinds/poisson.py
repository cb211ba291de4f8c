"""Poisson regression of counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Family
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.positive import count_response
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.statsmodels_code import RESPONSE, fits_statsmodels
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Poisson(Regression):
    """Coefficients of a Poisson regression with a logarithmic link (log rates)."""

    kind: ClassVar[str] = "poisson"
    is_of_sums: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"poisson": {}}
    family: ClassVar[Family] = "poisson"
    title: ClassVar[str] = "Poisson regression"
    ratio: ClassVar[str] = "rate ratio"
    statsmodels: ClassVar[str] = "Poisson"
    as_glm: ClassVar[tuple[str, str] | None] = ("Poisson", "Log")
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age as a count, by sex and tenure", {"formula": "AGE ~ SEX + TENURE", "statistics": ["se"]}),
        Example(
            "With an interaction, adults",
            {"formula": "AGE ~ SEX*LTILL", "where": "AGE >= 18", "statistics": ["r2", "loglik", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `VISITS ~ AGE + C(AREA) + log(INCOME)`."]

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return count_response(formula, variable, counts)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula):
            return None
        name = parse_formula(self.formula, schema).response.variable
        if schema[name].kind == "numeric":
            return self.likelihood_code("poisson", self.formula)
        fit = self.likelihood_code("poisson", self.with_response(RESPONSE))
        return None if fit is None else [f"rows = rows.assign({RESPONSE}=rows[{name!r}].astype(float))", *fit]
