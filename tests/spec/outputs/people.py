"""Tables small enough to be checked by eye, drawn as text."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from divulge.outputs import Output
from divulge.table import Schema, Table, Variable


def drawn(text: str) -> Table:
    """A table from text: names, then one row a line; `-` is a missing value. Columns of numbers are numeric."""
    frame = pd.read_csv(io.StringIO(text.strip()), sep=r"\s+", na_values="-", keep_default_na=False)
    variables, columns = [], []
    for name in frame.columns:
        column = frame[name]
        values = np.array(sorted(column.dropna().unique()))
        is_numeric = values.dtype.kind in "if"
        missing = (None,) if column.isna().any() else ()
        variables.append(
            Variable(str(name), "numeric" if is_numeric else "categorical", values.astype(object), missing=missing)
        )
        place = {value: i for i, value in enumerate(values.tolist())}
        columns.append(np.array([place.get(v, len(place)) for v in column.tolist()], dtype=np.uint8))
    return Table(Schema(tuple(variables)), tuple(columns))


def figures(output: Output, table: Table) -> dict[str, float]:
    """The output's figures by their labels."""
    output.check(table.schema)
    found = output.evaluate(table)
    return dict(zip(found.labels, found.values.tolist(), strict=True))


PEOPLE = drawn(
    """
    SEX  AREA  AGE  PAY  W
    f    n      20   10  1
    f    n      30   20  1
    f    s      40   30  2
    f    s      50    -  1
    m    n      20   40  1
    m    s      60   60  3
    m    s      60  100  1
    """
)
"""Seven people; one woman's pay is missing."""
