"""What models of survival times share: whether the event was seen."""

from __future__ import annotations

import numpy as np

from divulge.errors import OutputError, suggest, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.models.behind import class_behind
from divulge.table import Schema, Table


def event_behind(whole: Behind, table: Table, event: str, observed: str | None) -> Behind:
    """Those of all rows that count who had the event: what a model says of predictors, it says of them."""
    seen = event_values(table.schema, event, observed)[table[event]]
    return class_behind(whole, np.where(seen == 1.0, 0.0, np.nan), (f"those with the event {event}",))


def event_values(schema: Schema, event: str, observed: str | None) -> Floats:
    """1 for each code of the variable that says that the event was seen, 0 for the others, NaN for missing ones."""
    if event not in schema:
        raise unknown_variable(event, schema.names, where="event")
    variable = schema[event]
    if observed is None:
        if variable.n_values != 2:
            raise OutputError(
                f"a variable with two values is needed, {event!r} has {variable.n_values}.",
                where="event",
                hint="Say which value means that the event was seen, as in observed: 1.",
            )
        code: int | None = 1
    else:
        code = variable.code(observed)
        if code is None or code >= variable.n_values:
            raise OutputError(
                f"{event!r} has no value {observed!r}.",
                where="observed",
                hint=suggest(observed, variable.tellable),
            )
    return np.where(variable.is_missing, np.nan, (np.arange(variable.n_codes) == code).astype(float))
