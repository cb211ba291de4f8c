"""A regression of few people as a dense design: what somebody who knows everybody's predictors can work with."""

from __future__ import annotations

import numpy as np

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
    design = np.zeros((len(rows), n))
    for term in model.design.terms:
        cell, value = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows))
        for variable, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            codes = table[variable][rows]
            cell += cells[codes]
            if factors is not None:
                value *= factors[codes]
        if (cell < 0).any():
            return None
        column = term.index[cell]
        has = column >= 0
        design[np.flatnonzero(has), column[has]] += (value * term.scale[cell])[has]
    says = coefficients(family, design, released.low[:n], released.high[:n], rows)
    values = np.unique(model.y[np.isfinite(model.y)])
    return FewPeople(name, says, values, model.family == "logistic" or table.schema[name].kind == "categorical")
