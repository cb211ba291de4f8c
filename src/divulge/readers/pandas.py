"""Outputs from tables that pandas made: `pd.crosstab`, and `pivot_table` or `groupby` of one statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.lowering.grouped import Grouped
from divulge.outputs.output import Output
from divulge.table.variable import value_text

if TYPE_CHECKING:
    import pandas as pd  # imported where a table is read: it takes longer than most commands

STATISTICS: dict[str, tuple[type[Grouped], Mapping[str, Any]]] = {
    name: (kind, fields) for kind in OUTPUTS if issubclass(kind, Grouped) for name, fields in kind.acro.items()
}
"""Statistics that cells may show: the kind, and its fields."""


def from_pandas(
    table: Any,
    *,
    values: str | None = None,
    statistic: str = "counts",
    name: str | None = None,
    where: str | None = None,
    margin: str = "All",
    threshold: float | None = None,
    decimals: int | None = None,
) -> Output:
    """The output that a table of pandas is: a crosstab of counts, or a statistic of `values` by groups.

    Rows and columns must be named after variables, as pd.crosstab names them. Margins called `margin` are left out:
    they are sums of the cells. Empty cells are withheld ones. where: the condition by which rows were chosen.
    """
    values_name = getattr(table, "name", None)
    table, rows, columns = _axes(table, values)
    cells = _cells(table, bool(columns), margin)
    by = (*rows, *columns)
    levels = [list(dict.fromkeys(key[i] for key in cells)) for i in range(len(by))]
    if not cells:
        raise OutputError("the table has no cells.")
    every = {key: cells.get(key, 0.0) for key in product(*levels)}
    if statistic == "counts":
        if any(value != round(value) for value in every.values() if np.isfinite(value)):
            raise OutputError(
                "counts are needed, the table has numbers that are none.",
                hint=f"Say what they are, as in from_pandas(table, statistic='mean', values={values_name or 'age'!r}).",
            )
        released = {_label(key, by): None if np.isnan(v) else int(v) for key, v in every.items()}
        return Crosstab(name=name, where=where, variables=by, released=released, decimals=0, threshold=threshold)
    if statistic not in STATISTICS or values is None:
        raise OutputError(
            f"the statistic {statistic!r} of {values!r} is not known.",
            hint=f"Statistics are counts, {', '.join(STATISTICS)}; values is the variable that they are of.",
        )
    kind, fields = STATISTICS[statistic]
    output = kind(name=name, where=where, variables=(values,), by=by, empty="allow", **fields)
    (named,) = output.named()
    shown = {f"{named} | {_label(key, by)}": cells.get(key, float("nan")) for key in every}
    # pandas shows six digits; what is released is what is shown, unless it is said otherwise.
    places = 6 if decimals is None else decimals
    as_shown = {label: None if np.isnan(v) else f"{v:.{max(places, 0)}f}" for label, v in shown.items()}
    return replace(output, released=as_shown, decimals=places)


def _axes(table: Any, values: str | None) -> tuple[Any, list[str], list[str]]:
    """The table as a frame, and the variables of its rows and of its columns."""
    import pandas as pd

    if isinstance(table, pd.Series):
        table = table.to_frame()
        table.columns = pd.Index([values or ""])
    if not isinstance(table, pd.DataFrame):
        raise OutputError(f"a table of pandas is needed, this is of the type {type(table).__name__!r}.")
    if {"PR(>F)", "Pr(>F)"} & {str(column) for column in table.columns}:
        raise OutputError(
            "a table of anova_lm does not say which variable is its response.",
            hint="Say so: check(data, divulge.from_statsmodels(anova_lm(fit), response='wage')).",
        )
    rows = [str(n) for n in table.index.names if n is not None]
    columns = [str(n) for n in table.columns.names if n is not None]
    if len(rows) != table.index.nlevels or (not columns and list(table.columns) != [values or ""]):
        raise OutputError(
            "the rows and columns of the table are not named after variables.",
            hint="Make it by pd.crosstab(frame.a, frame.b), or name them: table.rename_axis(index='a', columns='b').",
        )
    if columns and len(columns) != table.columns.nlevels:
        raise OutputError(
            "the columns of the table hold several statistics.",
            hint="Give one statistic at a time, as in table['mean'].",
        )
    return table, rows, columns


def _label(key: tuple[str, ...], names: tuple[str, ...]) -> str:
    return " & ".join(f"{n}={v}" for n, v in zip(names, key, strict=True))


def _cells(table: pd.DataFrame, has_columns: bool, margin: str) -> dict[tuple[str, ...], float]:
    """The cells inside the margins, by the texts of their levels."""
    found: dict[tuple[str, ...], float] = {}
    for i, row in enumerate(table.index):
        row_key = _key(row)
        for j, column in enumerate(table.columns):
            key = (*row_key, *(_key(column) if has_columns else ()))
            if margin in (row_key[0], *(_key(column)[:1] if has_columns else ())):
                continue
            value: Any = table.iat[i, j]
            is_number = isinstance(value, int | float | np.number)
            if not is_number and value is not None and type(value).__name__ != "NAType":
                raise OutputError("a cell of the table is not a number.")
            found[key] = float(value) if is_number else float("nan")
    return found


def _key(label: Any) -> tuple[str, ...]:
    return tuple(value_text(part) for part in label) if isinstance(label, tuple) else (value_text(label),)
