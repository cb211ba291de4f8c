"""What regressions of a response with ordered values share: thresholds, and where the order comes from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind
from divulge.outputs.fields import in_field
from divulge.outputs.models.behind import class_behind
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.output import Example
from divulge.table import Schema, Table, Variable

FAR = 500.0
"""Stands for ∞ as a threshold: its probability is 1 in double precision, and nothing overflows."""


@dataclass(frozen=True, kw_only=True)
class Ordered(Estimated):
    """Coefficients, then thresholds: P(y ≤ k) = F(cut_k − xb) (McCullagh 1980). A kind says F."""

    has_intercept: ClassVar[bool] = False
    has_likelihood: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Marital status as if ordered, by age and sex", {"formula": "MSTATUS ~ AGE + SEX", "statistics": ["se"]}
        ),
    )

    formula: Annotated[str, "The model, as in `HEALTH ~ AGE + C(AREA)`."]
    order: Annotated[tuple[str, ...], "The values of the response from the lowest to the highest."] = ()

    def behind(self, table: Table) -> tuple[Behind, ...]:
        whole, *more = (b for b in super().behind(table) if b.what != "class")
        model = self.model_in(table)
        response = table.schema[model.formula.response.variable]
        texts = tuple(f"class {k + 1} of {response.name}" for k in range(response.n_values))
        return whole, *more, class_behind(whole, model.y[table[response.name]], texts)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        del counts
        if variable.n_values < 2 or (not formula.response.is_categorical and formula.response.text != variable.name):
            raise OutputError(
                f"a response with several values is needed, {formula.response.text!r} has not.", where="formula"
            )
        place = [self._ordered(variable).index(text) for text in variable.texts[: variable.n_values]]
        return np.array([*place, *[np.nan] * (variable.n_codes - variable.n_values)], dtype=float)

    def _ordered(self, variable: Variable) -> list[str]:
        """The values from the lowest to the highest."""
        texts = list(variable.texts[: variable.n_values])
        if not self.order:
            return texts
        if sorted(self.order) != sorted(texts):
            raise OutputError(
                f"the order needs each of the {variable.n_values} values of {variable.name!r} once.", where="order"
            )
        return list(self.order)

    def further(self, schema: Schema) -> tuple[str, ...]:
        with in_field("formula"):
            response = schema[parse_formula(self.formula, schema).response.variable]
        return tuple(f"cut{k}" for k in range(1, response.n_values))

    def find_label(self, text: str, schema: Schema) -> str | None:
        """R writes `low|middle` for a threshold, Stata `/cut1`."""
        with in_field("formula"):
            variable = schema[parse_formula(self.formula, schema).response.variable]
        between = [f"{a}|{b}" for a, b in pairwise(self._ordered(variable))]
        plain = text.strip().removeprefix("/")
        if plain in between:
            return f"cut{1 + between.index(plain)}"
        return super().find_label(plain, schema)

    @staticmethod
    def shares(rows: ModelRows, n_cuts: int) -> Floats:
        """How large a part of the rows is at or below each threshold, for a start; never 0 or 1."""
        counts = np.bincount(rows.y.astype(np.int64), rows.weight, minlength=n_cuts + 1) + 0.5
        return np.asarray(np.cumsum(counts)[:-1] / counts.sum())


def ends(cuts: Floats) -> tuple[Floats, Floats]:
    """The upper and the lower threshold of each value."""
    return np.append(cuts, FAR), np.insert(cuts, 0, -FAR)


def sides(name: str, y: Integers, n_cuts: int) -> tuple[tuple[str, Integers], tuple[str, Integers]]:
    """Which threshold is the upper one of each code of the response, and which the lower one; −1: none."""
    return (name, np.where(y < n_cuts, y, -1)), (name, y - 1)


def add_thresholds(rows: ModelRows, of_eta: Floats, upper: Floats, lower: Floats, n_cuts: int) -> Floats:
    """The gradient of each row: in η, then in each threshold. upper, lower: ∂l by the value's own two thresholds."""
    y = rows.y.astype(np.int64)
    found = np.zeros((rows.size, 1 + n_cuts))
    found[:, 0] = of_eta
    each = np.arange(rows.size)
    has_top, has_bottom = y < n_cuts, y > 0
    found[each[has_top], 1 + y[has_top]] += upper[has_top]
    found[each[has_bottom], y[has_bottom]] += lower[has_bottom]
    return found
