"""Small tables that can be checked by eye, from plain columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from divulge.table import Schema, Table, Variable


def small_table(rules: Sequence[str] = (), **columns: Sequence[Any]) -> Table:
    """A table from its columns: texts are categories in order of appearance, numbers are numeric; None is missing."""
    variables, codes = [], []
    for name, values in columns.items():
        known = [v for v in dict.fromkeys(values) if v is not None]
        is_text = any(isinstance(v, str) for v in known)
        listed = known if is_text else sorted(known)
        missing = (None,) if None in values else ()
        kind: Any = "categorical" if is_text else "numeric"
        variables.append(Variable(name, kind, np.array(listed), missing=missing))
        place = {v: i for i, v in enumerate([*listed, None])}
        codes.append(np.array([place[v] for v in values]))
    return Table(Schema(tuple(variables), tuple(rules)), tuple(codes))


def repeated(**counts: Sequence[tuple[Any, int]]) -> dict[str, list[Any]]:
    """Columns of values that come so many times each: x=[("a", 3), ("b", 2)]."""
    return {name: [value for value, n in pairs for _ in range(n)] for name, pairs in counts.items()}
