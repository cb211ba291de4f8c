"""Conditions on rows that a file may mean without saying so: one variable compared with one of its values."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from divulge.readers.handed_in.candidates.tables import quoted
from divulge.readers.handed_in.matching.data import Data, Mask

_MOST_VALUES = 120
"""Values of a variable up to which each is tried as a limit."""

_MOST_EQUAL = 25
"""Values up to which each is tried as the one that is kept."""


def simple_conditions(data: Data) -> Iterator[tuple[str, Mask]]:
    """`sex == 'FEMALE'`, `age >= 18`, `income > 0`: each with its rows."""
    for name in data.names:
        variable = data.table.schema[name]
        codes = data.codes(name)
        numeric = data.is_numeric(name)
        if variable.n_values <= _MOST_EQUAL:
            for code, text in enumerate(variable.texts[: variable.n_values]):
                yield f"{quoted(name)} == {text if numeric else repr(text)}", codes == code
        if not numeric:
            continue
        values = data.numbers(name)
        if variable.n_values <= _MOST_VALUES:
            limits = variable.numbers[: variable.n_values].tolist()
            for limit in limits[1:]:
                shown = f"{limit:g}"
                yield f"{quoted(name)} >= {shown}", values >= limit
                yield f"{quoted(name)} < {shown}", values < limit
        elif np.nanmin(values) <= 0:
            yield f"{quoted(name)} > 0", values > 0
            yield f"{quoted(name)} >= 0", values >= 0


def simplified(where: str | None, data: Data) -> str | None:
    """A condition without `or x is missing` for variables that are never missing, in the names of the data."""
    if where is None:
        return None
    out = re.sub(r"\s*(==|>=|<=|!=|<>|(?<![<>=!])[<>](?![<>=]))\s*", r" \1 ", where).strip()
    for name in data.names:
        if f"{name} is missing" in out and not data.has_missing(name):
            out = re.sub(rf"\((\S+ \S+ \S+) or {re.escape(name)} is missing\)", r"\1", out)
    return out
