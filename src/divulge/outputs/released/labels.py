"""Labels of figures, however they are written, and which of them are named."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from divulge.errors import OutputError, suggest
from divulge.kernels.arrays import Mask
from divulge.table import Schema

_TOTALS = ("total", "all", "sum")
"""What stands where a margin has no value of a variable, whatever the case of the letters."""


def named_by(names: Sequence[str], labels: Sequence[str], schema: Schema) -> Mask:
    """Which labels these names stand for. A name of no figure is an error: printed all the same, it would be a cell
    that somebody meant to withhold."""
    if not names:
        return np.zeros(len(labels), dtype=bool)
    wanted, keys = {key_of(name, schema): name for name in names}, [key_of(label, schema) for label in labels]
    unknown = [name for key, name in wanted.items() if key not in set(keys)]
    if unknown:
        hint = suggest(unknown[0], tellable(labels, schema))
        raise OutputError(f"there is no cell {unknown[0]!r}.", where="suppressed", hint=hint)
    return np.array([key in wanted for key in keys], dtype=bool)


def key_of(label: str, schema: Schema) -> tuple[str, ...]:
    """What a label says, however it is written: its parts, sorted, with values instead of what they stand for.

    `r=Total` says nothing of r, unless that is one of its values.
    """
    parts = []
    for part in re.split(r"\s+[|&]\s+", label.strip()):
        name, equals, value = part.partition("=")
        if equals and name.strip() in schema:
            variable = schema[name.strip()]
            code = variable.code(value.strip())
            if code is None and value.strip() == "missing":
                code = variable.code(None)
            if code is None and value.strip().casefold() in _TOTALS:
                continue
            part = f"{name.strip()}={code}" if code is not None else part
        parts.append(" ".join(part.split()))
    return tuple(sorted(parts)) or ("total",)


def tellable(labels: Sequence[str], schema: Schema) -> list[str]:
    """The labels that a message may name: none with the value of a variable whose values point at people."""
    hidden = {v.name for v in schema if v.holds != "levels"}
    if not hidden:
        return list(labels)
    return [
        label
        for label in labels
        if not any(part.partition("=")[0].strip() in hidden for part in re.split(r"\s+[|&]\s+", label))
    ]
