"""How a student computes a published output: the kind's own recipe, on the rows that count."""

from __future__ import annotations

import numpy as np

from divulge.objective import Target
from divulge.table import Condition, Schema
from divulge.table.conditions import Atom, Node


def recipe_of(target: Target, schema: Schema) -> list[str] | None:
    """Lines of code that leave the output's figures in `found`; None where there is no recipe."""
    output, has_se = target.output, target.released.se is not None
    if has_se and output.weights:
        return None  # programs do not agree on standard errors with survey weights
    lines = output.recipe(schema, has_se)
    if lines is None:
        return None
    rows = ["rows = data" if output.where is None else f"rows = data[{_condition_code(output.where, schema)}]"]
    if output.weights is not None:
        rows.append(f"rows = rows.dropna(subset={[output.weights]!r})")
    return [*rows, *lines]


def _condition_code(text: str, schema: Schema, rows: str = "data") -> str:
    """The condition as pandas code that selects the same rows: `(data["AGE"] >= 18) & (data["SEX"] == 2)`."""
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
