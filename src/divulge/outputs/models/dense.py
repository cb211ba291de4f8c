"""A regression of few people as a dense design: what somebody who knows everybody's predictors can work with."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.lattice.families import LINEAR, LOGISTIC, POISSON
from divulge.lattice.released import coefficients
from divulge.outputs.few_people import FewPeople
from divulge.outputs.lowering.rows import counted
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Table

_FAMILIES = {"identity": LINEAR, "logistic": LOGISTIC, "poisson": POISSON}


def few_people(output: Output, table: Table, model: Model, released: Released, most: int) -> FewPeople | None:
    """The regression with its design; None where it has more people, or its figures say no sums of responses."""
    family, name = _FAMILIES.get(model.family), model.formula.response.variable
    n = model.design.n_columns
    if family is None or model.n_classes > 1 or output.weights is not None:
        return None
    if not np.isfinite(released.low[:n]).all() or not np.isfinite(released.high[:n]).all():
        return None
    keep = counted(output, table, model.variables(None)) & np.isfinite(model.y)[table[name]]
    if not 0 < keep.sum() <= most:
        return None
    rows = np.flatnonzero(keep)
    design = _design(model, {v: table[v][rows] for v in model.variables(None)}, len(rows))
    if design is None:
        return None
    says = coefficients(family, design, released.low[:n], released.high[:n], rows)
    is_category = model.family == "logistic" or table.schema[name].kind == "categorical"
    return FewPeople(name, says, model.y, is_category, _possible(model, table))


def _design(model: Model, codes: Mapping[str, Codes | Integers], n_rows: int) -> Floats | None:
    """The rows of the design; None where some row cannot be computed."""
    design = np.zeros((n_rows, model.design.n_columns))
    for term in model.design.terms:
        cell, value = np.zeros(n_rows, dtype=np.int64), np.ones(n_rows)
        for variable, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            cell += cells[codes[variable]]
            if factors is not None:
                value *= factors[codes[variable]]
        if (cell < 0).any():
            return None
        column = term.index[cell]
        has = column >= 0
        design[np.flatnonzero(has), column[has]] += (value * term.scale[cell])[has]
    return design


def _possible(model: Model, table: Table) -> Floats | None:
    """Every row of the design that somebody may have; None where there are more than MOST_POSSIBLE."""
    names = [name for name in model.variables(None) if name != model.formula.response.variable]
    sizes = [table.schema[name].n_values for name in names]
    if prod(sizes) > MOST_POSSIBLE:
        return None
    every = np.array(list(product(*map(range, sizes))), dtype=np.int64).reshape(-1, len(names))
    found = _design(model, {name: every[:, j] for j, name in enumerate(names)}, len(every))
    return None if found is None else np.unique(found, axis=0)


MOST_POSSIBLE = 64
"""Combinations of predictors that are tried for somebody whose predictors are not known."""
