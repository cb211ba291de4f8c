"""Logistic regression of a two-valued response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.errors import OutputError, suggest
from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Family
from divulge.outputs.models.design import response_values
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.regression import RESPONSE, Regression, fits_statsmodels, without_missing
from divulge.outputs.output import Example
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Logistic(Regression):
    """Coefficients of a logistic regression (log odds). The second value of the response counts as 1."""

    kind: ClassVar[str] = "logistic"
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"logit": {}}
    family: ClassVar[Family] = "logistic"
    title: ClassVar[str] = "Logistic regression"
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
    )

    formula: Annotated[str, "The model, as in `TENURE ~ AGE + C(AREA) + SEX:ILL + log(INCOME)`."]
    event: Annotated[str | None, "The value of the response that counts as 1; by default the second of two."] = None

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        if self.event is not None:
            return _event(self.event, formula, variable)
        if formula.response.text == variable.name:
            if variable.n_values != 2:
                raise OutputError(
                    f"a response with two values is needed, {variable.name!r} has {variable.n_values}.",
                    where="formula",
                    hint="Say which value counts as 1, as in event: 3.",
                )
            return np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))
        values = response_values(formula.response, variable, counts)
        if not np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
            raise OutputError(
                f"a response of 0 and 1 is needed, `{formula.response.text}` has other values.", where="formula"
            )
        return values

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        parsed = parse_formula(self.formula, schema)
        variable = schema[parsed.response.variable]
        if not fits_statsmodels(self.formula):
            return None
        if self.event is None and parsed.response.text != variable.name:
            return self.likelihood_code("logit", self.formula)
        code = 1 if self.event is None else variable.code(self.event)
        fit = self.likelihood_code("logit", self.with_response(RESPONSE))
        if code is None or fit is None or RESPONSE in schema:
            return None
        is_event = f"(rows[{variable.name!r}] == {variable.values.tolist()[code]!r}).astype(int)"
        return [without_missing(variable.name), f"rows = rows.assign({RESPONSE}={is_event})", *fit]

    def describe(self) -> str:
        counted = f" (1: {self.event})" if self.event is not None else ""
        return f"Logistic regression {self.formula}{counted}" + (f", where {self.where}" if self.where else "") + "."


def _event(event: str, formula: Formula, variable: Variable) -> Floats:
    """1 for the event, 0 for every other value."""
    name, equals, value = str(event).partition("=")
    code = variable.code(value.strip() if equals and name.strip() == variable.name else str(event))
    if code is None or code >= variable.n_values or formula.response.text != variable.name:
        raise OutputError(
            f"{variable.name!r} has no value {event!r} to count as 1.",
            where="event",
            hint=suggest(str(event), variable.tellable),
        )
    return np.where(variable.is_missing, np.nan, (np.arange(variable.n_codes) == code).astype(float))
