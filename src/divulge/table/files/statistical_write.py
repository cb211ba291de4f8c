"""SPSS and Stata files with labels, titles and user-missing values, written by pyreadstat."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from divulge.errors import WriteError
from divulge.kernels.arrays import Codes
from divulge.record import whole_file
from divulge.table.infer import EXACT, NA_TEXTS
from divulge.table.table import Table
from divulge.table.variable import Value, Variable, value_text

if TYPE_CHECKING:
    import pandas as pd

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = {"SPSS": 64, "Stata": 32}
_TITLE_BYTES = {"SPSS": 64, "Stata": 80}  # how long the label of a file may be
_SAV_MISSING = 3  # SPSS has room for three single missing values, or a range and one more


def write_spss(table: Table, path: Path, labels: bool, title: str = "") -> None:
    """Write SPSS `.sav` (`.zsav` compressed). Values and labels are both in it, whatever `labels` says."""
    import pyreadstat  # imported where it is used: with pandas it takes longer than most commands

    _check(table, path, "SPSS")
    frame, value_labels, ranges = {}, {}, {}
    for variable, codes in zip(table.schema, table.columns, strict=True):
        cells = _cells(variable, path)
        frame[variable.name] = _series(variable, cells, codes)
        value_labels[variable.name] = _labels(variable, cells)
        kept = [c for c in cells[variable.n_values :] if c is not None]
        if kept:
            ranges[variable.name] = _ranges(variable, kept, path)
    measure = {v.name: _measure(v) for v in table.schema}
    options = {"missing_ranges": ranges, "variable_measure": measure, "compress": path.suffix.lower() == ".zsav"}
    _write(table, path, pyreadstat.write_sav, frame, value_labels, file_label=_fitted(title, "SPSS"), **options)


def _fitted(title: str, format_name: str) -> str:
    return title.encode()[: _TITLE_BYTES[format_name]].decode(errors="ignore")


def _measure(variable: Variable) -> str:
    if variable.kind == "numeric":
        return "scale"
    return "ordinal" if variable.is_ordered else "nominal"


def write_stata(table: Table, path: Path, labels: bool, title: str = "") -> None:
    """Write Stata `.dta`. Missing codes become .a, .b, …, as Stata knows no others, with their labels or values."""
    import pyreadstat

    _check(table, path, "Stata")
    frame, value_labels, letters = {}, {}, {}
    for variable, codes in zip(table.schema, table.columns, strict=True):
        cells = _cells(variable, path)
        if _is_text(variable):
            frame[variable.name] = _series(variable, cells, codes)
            continue
        used = _letters(variable, path)
        shown = [*cells[: variable.n_values], *(None if v is None else used.get(v) for v in variable.missing)]
        frame[variable.name] = _series(variable, shown, codes)
        named: dict[Any, str] = _labels(variable, cells[: variable.n_values])
        named |= {letter: variable.labels.get(v, value_text(v)) for v, letter in used.items()}
        # Stata labels whole numbers only.
        value_labels[variable.name] = {k: v for k, v in named.items() if isinstance(k, str) or k == int(k)}
        if used:
            letters[variable.name] = list(used.values())
    options = {"file_label": _fitted(title, "Stata"), "missing_user_values": letters}
    _write(table, path, pyreadstat.write_dta, frame, value_labels, **options)


def _write(
    table: Table, path: Path, writer: Any, frame: dict[str, Any], value_labels: dict[str, Any], **options: Any
) -> None:
    import pandas as pd

    titles = {v.name: v.title for v in table.schema if v.title}
    labelled = {k: v for k, v in value_labels.items() if v}
    with whole_file(path) as temporary:
        try:
            writer(pd.DataFrame(frame), str(temporary), column_labels=titles, variable_value_labels=labelled, **options)
        except OSError:
            raise
        except Exception:  # pyreadstat raises many kinds, whose messages can hold values of the data
            raise WriteError(
                "these data do not fit into a file of this format.",
                where=str(path),
                hint="Write CSV or Parquet instead.",
            ) from None


def _check(table: Table, path: Path, format_name: str) -> None:
    for name in table.names:
        if not _NAME.fullmatch(name) or len(name) > _LONGEST[format_name]:
            raise WriteError(
                f"{format_name} does not take the variable name {name!r}.",
                where=str(path),
                hint=f"Use letters, digits and _, at most {_LONGEST[format_name]}; or write CSV or Parquet.",
            )


def _is_text(variable: Variable) -> bool:
    return variable.values.dtype == object


def _cells(variable: Variable, path: Path) -> list[Any]:
    """For every code what the file holds; None is the format's own missing value."""
    listed = [*variable.values.tolist(), *variable.missing]
    if _is_text(variable):
        return [None if v is None else value_text(v) for v in listed]
    if any(isinstance(v, int) and abs(v) > EXACT for v in listed):
        raise WriteError(
            f"{variable.name!r} holds integers beyond 2^53, which this format cannot keep exactly.",
            where=str(path),
            hint="Write CSV or Parquet instead.",
        )
    texts = [v for v in variable.missing if isinstance(v, str) and v not in NA_TEXTS]
    if texts and path.suffix.lower() != ".dta":
        raise WriteError(
            f"{variable.name!r} is a number with {len(texts)} missing codes that are texts, which SPSS does not take.",
            where=str(path),
            hint="Write Stata, CSV or Parquet instead.",
        )
    return [None if v is None or isinstance(v, str) else float(v) for v in listed]


def _series(variable: Variable, cells: list[Any], codes: Codes) -> pd.Series[Any]:
    import pandas as pd

    if not _is_text(variable) and not any(isinstance(c, str) for c in cells):
        return pd.Series(np.array([np.nan if c is None else c for c in cells], dtype=np.float64)[codes])
    array = np.empty(len(cells), dtype=object)
    array[:] = ["" if c is None and _is_text(variable) else c for c in cells]
    return pd.Series(array[codes], dtype=object)


def _labels(variable: Variable, cells: list[Any]) -> dict[Any, str]:
    listed = [*variable.values.tolist(), *variable.missing]
    return {
        cell: variable.labels[value]
        for value, cell in zip(listed, cells, strict=False)
        if cell is not None and value in variable.labels
    }


def _ranges(variable: Variable, codes: list[Any], path: Path) -> list[Any]:
    """User-missing values as SPSS takes them: up to three, or a range without valid values and one more."""
    if len(codes) <= _SAV_MISSING:
        return codes
    if not _is_text(variable):
        ordered = sorted(codes)
        valid = variable.values.astype(np.float64)
        for lowest, highest, others in (
            (ordered[0], ordered[-1], []),
            (ordered[1], ordered[-1], ordered[:1]),
            (ordered[0], ordered[-2], ordered[-1:]),
        ):
            if not ((valid >= lowest) & (valid <= highest)).any():
                return [{"lo": lowest, "hi": highest}, *others]
    raise WriteError(
        f"{variable.name!r} has {len(codes)} missing codes; SPSS has room for {_SAV_MISSING}, or a range and one more.",
        where=str(path),
        hint="Write Stata, CSV or Parquet instead.",
    )


def _letters(variable: Variable, path: Path) -> dict[Value, str]:
    """A letter for every missing code that is not Stata's own missing value: its own where it is .a to .z."""
    codes = [v for v in variable.missing if v is not None and v not in NA_TEXTS]
    own: dict[Value, str] = {v: v[1] for v in codes if isinstance(v, str) and re.fullmatch(r"\.[a-z]", v)}
    free = [c for c in "abcdefghijklmnopqrstuvwxyz" if c not in own.values()]
    others = [v for v in codes if v not in own]
    if len(others) > len(free):
        raise WriteError(
            f"{variable.name!r} has {len(codes)} missing codes; Stata has room for 26.",
            where=str(path),
            hint="Write CSV or Parquet instead.",
        )
    return {**own, **dict(zip(others, free, strict=False))}
