"""Outputs from tables that great_tables lays out, read by their attributes: great_tables itself is never imported.

What counts is the frame behind the table, as pandas made it; its rows are named by the column that is the stub.
"""

from __future__ import annotations

from typing import Any

from divulge.errors import OutputError
from divulge.outputs.output import Output
from divulge.readers.pandas import from_pandas


def from_great_tables(table: Any, columns: str | None = None, **said: Any) -> Output:
    """The output that a GT of a crosstab is. columns: the variable whose values head the columns, where no spanner over
    them says so. said: what `from_pandas` takes."""
    if type(table).__name__ != "GT":
        raise OutputError(f"a GT of great_tables is needed, this is of the type {type(table).__name__!r}.")
    stub = [str(column.var) for column in table._boxhead._d if str(column.type).endswith(".stub")]
    if len(stub) != 1:
        raise OutputError("the table has no column that names its rows.", hint="Say GT(frame, rowname_col='sex').")
    spanners = {str(spanner.spanner_label) for spanner in table._spanners}
    variable = columns if columns is not None else next(iter(spanners)) if len(spanners) == 1 else None
    if variable is None:
        raise OutputError(
            "the table does not say which variable heads its columns.",
            hint="Say so: check(data, from_great_tables(table, columns='ill')), or by one tab_spanner of that name.",
        )
    frame = table._tbl_data
    if not hasattr(frame, "set_index"):
        raise OutputError("a table made from a frame of pandas is needed.")
    return from_pandas(frame.set_index(stub[0]).rename_axis(columns=variable), **said)
