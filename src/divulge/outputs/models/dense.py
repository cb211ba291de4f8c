"""A regression of few people as a dense design: what somebody who knows everybody's predictors can work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.lattice.families import LINEAR, LOGISTIC, POISSON, Family
from divulge.lattice.released import coefficients
from divulge.outputs.few_people import FewPeople
from divulge.outputs.lowering.rows import counted
from divulge.outputs.models.matrix import ModelRows, columns, model_rows
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table

_ROUNDING = 1e-14
"""Of what responses add to a coefficient in size: some fifty times what a float loses."""

_FAMILIES = {"identity": LINEAR, "logistic": LOGISTIC, "poisson": POISSON}


def few_people(output: Output, table: Table, model: Model, released: Released, most: int) -> FewPeople | None:
    """The regression with its design; None where it has more people, or its figures say no sums of responses."""
    family = _FAMILIES.get(model.family)
    if family is None or model.n_classes > 1 or output.weights is not None or not _has_few(output, table, model, most):
        return None
    found = _with_design(table, model, released, model_rows(output, model, table), family)
    return None if found is None else replace(found, possible=_possible(model, table))


def few_of_least_squares(
    output: Output, table: Table, model: Model, released: Released, most: int, fitted: Callable[[], ModelRows]
) -> FewPeople | None:
    """The same of least squares on a design that is made of all rows together. fitted: rows with that design."""
    return _with_design(table, model, released, fitted(), LINEAR) if _has_few(output, table, model, most) else None


def _has_few(output: Output, table: Table, model: Model, most: int) -> bool:
    """Whether it is fitted to so few people: a look before any design is made."""
    keep = counted(output, table, model.variables(None))
    return int((keep & np.isfinite(model.y)[table[model.formula.response.variable]]).sum()) <= most


def _with_design(table: Table, model: Model, released: Released, rows: ModelRows, family: Family) -> FewPeople | None:
    name, n = model.formula.response.variable, model.design.n_columns
    low, high = released.low[:n], released.high[:n]
    if not rows.n_rows or not np.isfinite(low).all() or not np.isfinite(high).all():
        return None
    if family is LINEAR:
        # A slope of 0 is printed as what a program left of it: 1e-18 with four digits says no more than 0.
        room = _ROUNDING * np.abs(np.linalg.pinv(rows.x)).sum(axis=1) * np.abs(rows.y).max()
        low, high = np.minimum(low, (low + high) / 2 - room), np.maximum(high, (low + high) / 2 + room)
    says = coefficients(family, rows.x, low, high, rows.kept)
    is_category = family is LOGISTIC or table.schema[name].kind == "categorical"
    return FewPeople(name, says, model.y, is_category)


def _possible(model: Model, table: Table) -> Floats | None:
    """Every row of the design that somebody may have; None where there are more than MOST_POSSIBLE."""
    names = [name for name in model.variables(None) if name != model.formula.response.variable]
    sizes = [table.schema[name].n_values for name in names]
    if prod(sizes) > MOST_POSSIBLE:
        return None
    if not names:
        return np.ones((1, 1)) if model.design.n_columns == 1 else None
    every = np.array(list(product(*map(range, sizes))), dtype=np.int64).reshape(-1, len(names))
    people = Table(table.schema.select(names), tuple(every.T))
    found, is_known = columns(model.design.terms, model.design.n_columns, people)
    return np.unique(found, axis=0) if is_known.all() else None


MOST_POSSIBLE = 64
"""Combinations of predictors that are tried for somebody whose predictors are not known."""
