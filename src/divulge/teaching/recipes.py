"""How a student computes a published output: the kind's own recipe, on the rows that count."""

from __future__ import annotations

from divulge.objective import Target
from divulge.table import Schema
from divulge.teaching.conditions import condition_code


def recipe_of(target: Target, schema: Schema) -> list[str] | None:
    """Lines of code that leave the output's figures in `found`; None where there is no recipe."""
    output, has_se = target.output, target.released.se is not None
    if has_se and output.weights:
        return None  # programs do not agree on standard errors with survey weights
    lines = output.recipe(schema, has_se)
    if lines is None:
        return None
    rows = ["rows = data" if output.where is None else f"rows = data[{condition_code(output.where, schema)}]"]
    if output.weights is not None:
        rows.append(f"rows = rows.dropna(subset={[output.weights]!r})")
    return [*rows, *lines]
