"""A condition on rows as pandas code that a student can read and that selects the same rows."""

from __future__ import annotations

import numpy as np

from divulge.table import Condition, Schema
from divulge.table.conditions import Atom, Node


def condition_code(text: str, schema: Schema, rows: str = "data") -> str:
    """`(data["AGE"] >= 18) & (data["SEX"] == 2)`."""
    return _code(Condition.parse(text, schema).node, schema, rows, wanted=1)


def _code(node: Node, schema: Schema, rows: str, wanted: int) -> str:
    """Code that is true where a condition is true (wanted 1) or false (wanted 0), never where it is unknown.

    In Kleene's logic "not" of a conjunction is the disjunction of "not"s, so that it can be pushed down to the
    comparisons, where a missing value is neither.
    """
    if isinstance(node, Atom):
        return _comparison(node, schema, rows, wanted)
    if node.word == "not":
        return _code(node.parts[0], schema, rows, 1 - wanted)
    word = node.word if wanted else {"and": "or", "or": "and"}[node.word]
    parts = [_code(part, schema, rows, wanted) for part in node.parts]
    return "(" + {"and": " & ", "or": " | "}[word].join(parts) + ")"


def _comparison(atom: Atom, schema: Schema, rows: str, wanted: int) -> str:
    variable = schema[atom.variable]
    column = f"{rows}[{atom.variable!r}]"
    chosen = atom.lookup == wanted
    at = np.flatnonzero(chosen[: variable.n_values])
    missing = chosen[variable.n_values :]
    values = variable.values.tolist()
    if missing.any() and not len(at):
        return f"{column}.isna()"
    if len(at) == variable.n_values:
        code = f"{column}.notna()"
    elif variable.kind == "numeric" and len(at) and at[-1] - at[0] == len(at) - 1:
        if at[-1] == variable.n_values - 1:
            code = f"({column} >= {values[at[0]]!r})"
        elif at[0] == 0:
            code = f"({column} <= {values[at[-1]]!r})"
        elif len(at) > 1:
            code = f"{column}.between({values[at[0]]!r}, {values[at[-1]]!r})"
        else:
            code = f"({column} == {values[at[0]]!r})"
    elif len(at) == 1:
        code = f"({column} == {values[at[0]]!r})"
    else:
        code = f"{column}.isin({[values[i] for i in at]!r})"
    return f"({code} | {column}.isna())" if missing.any() else code
