"""Whose rows stand behind the coefficients of a regression: all of them, and those of each level of each term."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.outputs.behind import Behind, What, one_group
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.lowering.rows import counted
from divulge.outputs.models.model import Model
from divulge.outputs.output import Output
from divulge.table import Table

GLANCE = 20_000
"""Rows that are looked at first: where these differ in more ways than the model has parameters, it is not saturated."""


def model_behind(output: Output, table: Table, model: Model, what: What = "model") -> tuple[Behind, ...]:
    """All rows that count, then those of each term: by level, or with a value other than zero."""
    keep = counted(output, table, model.variables(output.weights))
    keep &= np.isfinite(model.y)[table[model.formula.response.variable]]
    terms = [(term, *_places(term, table)) for term in model.design.terms if term.variables]
    for _, cell, _ in terms:
        keep &= cell >= 0
    parameters = model.n_coefficients
    whole = one_group(what, keep, parameters=parameters)
    found = [whole]
    patterns = _patterns(table, model, keep, model.design.n_columns)
    if patterns is not None:
        found.append(Behind("saturated", np.full(int(patterns.max(initial=-1)) + 1, -1), patterns))
    y = model.y[table[model.formula.response.variable]]
    if model.classes or np.isin(y[keep], (0.0, 1.0)).all():
        n_classes = max(len(model.classes) + 1, 2)
        texts = tuple(f"class {k + 1} of {model.formula.response.variable}" for k in range(n_classes))
        found.append(class_behind(whole, y, texts))
    for term, cell, has_value in terms:
        figures = term.index.astype(np.int64)
        # Of one category the level without a column is a group too; of products it is none of its own.
        is_level = (figures >= 0) | (len(set(term.variables)) == 1 and len(figures) > 1)
        inside = keep & has_value & is_level[np.maximum(cell, 0)]
        text = f"reference level of {term.variables[0]}"
        is_number = len(term.variables) == 1 and len(figures) == 1 and term.factors[0] is not None
        number = term.variables[0] if is_number else None
        found.append(Behind("term", figures, np.where(inside, cell, -1), number, texts=(text,) * len(figures)))
    return tuple(found)


def class_behind(whole: Behind, number: NDArray[np.float64], texts: tuple[str, ...]) -> Behind:
    """The people of each class of a response. whole: all rows that count. number: the class of each row, NaN: none."""
    own = np.where((whole.group >= 0) & np.isfinite(number), np.nan_to_num(number), -1.0).astype(np.int64)
    return Behind("class", np.full(len(texts), -1), own, texts=texts)


def with_two_clusters(found: tuple[Behind, ...], table: Table, name: str | None) -> tuple[Behind, ...]:
    """The same, and the people of each of two clusters of standard errors, where there are no more: their scores add up
    to nothing, so that the errors tell the score of either."""
    inside = found[0].group >= 0
    if name is None or len(np.unique(table[name][inside])) != 2:
        return found
    group = np.full(table.n_rows, -1)
    group[inside] = np.unique(table[name][inside], return_inverse=True)[1].ravel()
    texts = tuple(f"cluster {k + 1} of {name}" for k in range(2))
    return (*found, Behind("term", np.full(2, -1), group, texts=texts))


def _places(term: Term, table: Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The cell of each row (negative: not computed), and whether its value is other than zero."""
    cell = np.zeros(table.n_rows, dtype=np.int64)
    has_value = np.ones(table.n_rows, dtype=bool)
    for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
        cell += cells[table[name]]
        if factors is not None:
            has_value &= (factors != 0.0)[table[name]]
    return cell, has_value


def _patterns(table: Table, model: Model, keep: NDArray[np.bool_], most: int) -> NDArray[np.int64] | None:
    """Which of the different rows of the predictors each row is (−1: not counted); None: they are more than most."""
    names = list(dict.fromkeys(name for term in model.design.terms for name in term.variables))
    rows = np.flatnonzero(keep)
    found = np.full(table.n_rows, -1, dtype=np.int64)
    for chosen in (rows[:GLANCE], rows):
        pattern = np.zeros(len(chosen), dtype=np.int64)
        for name in names:
            code = pattern * table.schema[name].n_codes + table[name][chosen]
            distinct, pattern = np.unique(code, return_inverse=True)
            if len(distinct) > most:
                return None
        found[chosen] = pattern
    return found
