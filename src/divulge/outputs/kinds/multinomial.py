"""Multinomial logistic regression of a response with several values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.fields import in_field
from divulge.outputs.lowering.lowered import Family
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.regression import Regression
from divulge.outputs.models.statsmodels_code import RESPONSE, fits_statsmodels, without_missing
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Variable


@dataclass(frozen=True, kw_only=True)
class Multinomial(Regression):
    """Coefficients of a multinomial logistic regression: log odds of each value of the response against its first.

    Published standard errors are computed but not searched for: the search has the coefficients to go by.
    """

    kind: ClassVar[str] = "multinomial"
    is_of_sums: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    family: ClassVar[Family] = "multinomial"
    title: ClassVar[str] = "Multinomial regression"
    ratio: ClassVar[str] = "odds ratio"
    statsmodels: ClassVar[str] = "MNLogit"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Area by sex and tenure", {"formula": "AREAP ~ SEX + TENURE"}),
        Example(
            "With pseudo R² and the number of rows",
            {"formula": "AREAP ~ AGE", "where": "AGE >= 16", "statistics": ["r2", "loglik", "n"]},
        ),
    )

    formula: Annotated[str, "The model, as in `STATUS ~ AGE + C(AREA)`."]

    def classes(self, schema: Schema) -> tuple[str, ...]:
        with in_field("formula"):
            response = schema[parse_formula(self.formula, schema).response.variable]
        return tuple(f"{response.name}={text}" for text in response.texts[1 : response.n_values])

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        del counts
        if variable.n_values < 2 or (not formula.response.is_categorical and formula.response.text != variable.name):
            raise OutputError(
                f"a response with several values is needed, {formula.response.text!r} has not.", where="formula"
            )
        return np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))

    def searches_se(self, schema: Schema, released: Released) -> bool:
        del schema, released
        return False

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        name = parse_formula(self.formula, schema).response.variable
        if not fits_statsmodels(self.formula) or self.weights or RESPONSE in schema:
            return None
        if has_se or self.publishes_se or schema[name].kind == "numeric":
            return None
        return [
            without_missing(name),
            f"rows = rows.assign({RESPONSE}=rows[{name!r}].cat.codes)",
            f"model = smf.mnlogit({self.with_response(RESPONSE)!r}, rows).fit(disp=0, maxiter=100)",
            "found = pd.Series(dtype=float)",
            f"for k, level in enumerate(levels[{name!r}][1:]):",
            f'    found = pd.concat([found, model.params.iloc[:, k].add_prefix(f"{name}={{level}} & ")])',
            *self.figures_code(is_named=False),
        ]
