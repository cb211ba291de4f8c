"""Ordered logit: a response with ordered values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.output import Example, in_field
from divulge.table import Schema, Variable

_FAR = 500.0
"""Stands for ∞ as a threshold: its probability is 1 in double precision, and nothing overflows."""


@dataclass(frozen=True, kw_only=True)
class OrderedLogit(Estimated):
    """Coefficients and thresholds of a proportional odds model (McCullagh 1980): P(y ≤ k) = 1/(1 + e^(xb − cut_k)).

    The order of the response's values is that of the schema unless `order` says otherwise.
    """

    kind: ClassVar[str] = "ordered-logit"
    title: ClassVar[str] = "Ordered logit"
    has_intercept: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Marital status as if ordered, by age and sex", {"formula": "MSTATUS ~ AGE + SEX", "statistics": ["se"]}
        ),
    )

    formula: Annotated[str, "The model, as in `HEALTH ~ AGE + C(AREA)`."]
    order: Annotated[tuple[str, ...], "The values of the response from the lowest to the highest."] = ()

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

    def curve(self) -> Curve:
        return Curve(_value, _gradient)

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        counts = np.bincount(rows.y.astype(np.int64), rows.weight, minlength=n_further + 1) + 0.5
        share = np.cumsum(counts)[:-1] / counts.sum()
        return np.zeros(rows.x.shape[1]), np.log(share / (1.0 - share))

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        """Λ(cut_y − η) + Λ(cut_{y−1} − η) − 1; for a threshold 1/(1 − c) − Λ from below, −Λ − c/(1 − c) from above.

        c: e^−(distance of a value's thresholds)."""
        name, known = model.formula.response.variable, np.isfinite(model.y)
        y = np.nan_to_num(model.y).astype(np.int64)
        top, bottom = _ends(further)
        same = np.where(known, 1.0, np.nan)
        found = [
            Piece("sigmoid", {name: same}, -1.0, {name: np.where(known, top[np.minimum(y, len(top) - 1)], 0.0)}),
            Piece("sigmoid", {name: same}, -1.0, {name: np.where(known, bottom[np.minimum(y, len(top) - 1)], 0.0)}),
            Piece("one", {name: -same}),
        ]
        # Thresholds that were printed alike are taken a ten-thousandth apart, so that a probability is left.
        gone = np.exp(-np.maximum(top - bottom, 1e-4))
        for k, cut in enumerate(further.tolist()):
            below, above = known & (y == k), known & (y == k + 1)
            shift = {name: np.full(len(y), cut)}
            constant = np.where(below, 1.0 / (1.0 - gone[k]), np.where(above, -gone[k + 1] / (1.0 - gone[k + 1]), 0.0))
            found.append(Piece("sigmoid", {name: -1.0 * (below | above)}, -1.0, shift, parameter=k))
            found.append(Piece("one", {name: constant}, parameter=k))
        return tuple(found)


def _ends(cuts: Floats) -> tuple[Floats, Floats]:
    """The upper and the lower threshold of each value."""
    return np.append(cuts, _FAR), np.insert(cuts, 0, -_FAR)


def _sigmoid(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))


def _value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    if (np.diff(extra) <= 0.0).any():
        return np.full(rows.size, np.nan)
    y = rows.y.astype(np.int64)
    top, bottom = _ends(extra)
    return np.log(_sigmoid(top[y] - eta) - _sigmoid(bottom[y] - eta))


def _gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
    y = rows.y.astype(np.int64)
    top, bottom = _ends(extra)
    upper, lower = _sigmoid(top[y] - eta), _sigmoid(bottom[y] - eta)
    gone = np.exp(-(top - bottom))[y]
    found = np.zeros((rows.size, 1 + len(extra)))
    found[:, 0] = upper + lower - 1.0
    each = np.arange(rows.size)
    has_top, has_bottom = y < len(extra), y > 0
    found[each[has_top], 1 + y[has_top]] += (1.0 / (1.0 - gone) - upper)[has_top]
    found[each[has_bottom], y[has_bottom]] -= (lower + gone / (1.0 - gone))[has_bottom]
    return found
