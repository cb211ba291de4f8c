"""What regressions of a response with two values share."""

from __future__ import annotations

import numpy as np

from divulge.errors import OutputError, suggest
from divulge.kernels.arrays import Floats
from divulge.outputs.models.design import response_values
from divulge.outputs.models.formula import Formula, parse_formula
from divulge.outputs.models.statsmodels_code import RESPONSE, without_missing
from divulge.table import Schema, Variable


def binary_response(event: str | None, formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """1 for the event (by default the second of two values), 0 for other values, NaN for missing ones."""
    if event is not None:
        return _event(event, formula, variable)
    if formula.response.text == variable.name:
        if variable.n_values != 2:
            raise OutputError(
                f"a response with two values is needed, {variable.name!r} has {variable.n_values}.",
                where="formula",
                hint="Say which value counts as 1, as in event: 3.",
            )
        return np.where(variable.is_missing, np.nan, np.arange(variable.n_codes, dtype=float))
    values = response_values(formula.response, variable, counts)
    if not np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
        raise OutputError(
            f"a response of 0 and 1 is needed, `{formula.response.text}` has other values.", where="formula"
        )
    return values


def _event(event: str, formula: Formula, variable: Variable) -> Floats:
    """1 for the event, 0 for every other value."""
    name, equals, value = str(event).partition("=")
    code = variable.code(value.strip() if equals and name.strip() == variable.name else str(event))
    if code is None or code >= variable.n_values or formula.response.text != variable.name:
        raise OutputError(
            f"{variable.name!r} has no value {event!r} to count as 1.",
            where="event",
            hint=suggest(str(event), variable.tellable),
        )
    return np.where(variable.is_missing, np.nan, (np.arange(variable.n_codes) == code).astype(float))


def recoded(formula: str, event: str | None, schema: Schema) -> tuple[list[str], str] | None:
    """Code that makes the response 0 and 1 for statsmodels, and the formula with it; None where it cannot be said."""
    parsed = parse_formula(formula, schema)
    variable = schema[parsed.response.variable]
    if event is None and parsed.response.text != variable.name:
        return [], formula
    code = 1 if event is None else variable.code(event)
    if code is None or RESPONSE in schema:
        return None
    is_event = f"(rows[{variable.name!r}] == {variable.values.tolist()[code]!r}).astype(int)"
    lines = [without_missing(variable.name), f"rows = rows.assign({RESPONSE}={is_event})"]
    return lines, f"{RESPONSE} ~ {formula.partition('~')[2].strip()}"
