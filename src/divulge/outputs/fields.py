"""Which field of a spec an error is about, and whether the variable that it names is one of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from divulge.errors import DivulgeError, OutputError
from divulge.table import Schema, Variable


@contextmanager
def in_field(path: str) -> Iterator[None]:
    """Put `path` in front of where an error happened: `outputs[2]` and `formula` become `outputs[2].formula`."""
    try:
        yield
    except DivulgeError as error:
        error.under(path)
        raise


def numeric(schema: Schema, name: str) -> Variable:
    """A variable whose values are all numbers; an error where it is not one or does not exist."""
    variable = schema[name]
    if np.isnan(variable.numbers[: variable.n_values]).any():
        raise OutputError(f"a variable of numbers is needed, {name!r} has values that are not.")
    return variable
