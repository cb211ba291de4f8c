"""SPSS, Stata and SAS files, with their value labels, titles and user-missing values, read by pyreadstat."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from divulge.errors import HeaderOnlyError, NotATableError
from divulge.table.build import build_table, check_columns
from divulge.table.column import RawColumn, numeric_column
from divulge.table.infer import as_integers
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Value, Variable

_NAMES = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS"}


def read_statistical(path: Path, schema: Schema | None) -> Table:
    """A file of a statistical package as a table. SAS labels are in a catalogue beside it (.sas7bcat), if anywhere."""
    import pyreadstat  # imported where it is used: it takes longer than most commands

    suffix = path.suffix.lower()
    options: dict[str, Any] = {"user_missing": True, "output_format": "dict"}
    catalogue = path.with_suffix(".sas7bcat")
    if suffix == ".sas7bdat" and catalogue.is_file():
        options["catalog_file"] = str(catalogue)
    reader = {".dta": pyreadstat.read_dta, ".sas7bdat": pyreadstat.read_sas7bdat}.get(suffix, pyreadstat.read_sav)
    try:
        data, about = reader(str(path), **options)
    except Exception:  # pyreadstat raises many kinds, whose messages can hold values of the data
        raise NotATableError(
            f"this is not a {_NAMES[suffix]} file, or it is damaged.",
            where=str(path),
            hint="Was it copied whole? Does its ending fit its content?",
        ) from None
    names = list(about.column_names)
    check_columns(names, schema)
    if not names or not len(data[names[0]]):
        raise HeaderOnlyError(f"the file has {len(names)} columns and no rows.", where=str(path))
    return build_table(_columns(names, data, about), schema)


def _columns(names: list[str], data: dict[str, Any], about: Any) -> Iterator[RawColumn]:
    for i, name in enumerate(names):
        title = about.column_labels[i] or None
        labels = {_plain(k): str(v) for k, v in about.variable_value_labels.get(name, {}).items()}
        ranges = about.missing_ranges.get(name, [])
        measure = about.variable_measure.get(name, "unknown")
        cells = data.pop(name)
        if about.readstat_variable_types.get(name) == "string":
            yield _texts(name, cells, labels, ranges, title, measure)
        elif any(isinstance(c, datetime.date | datetime.time) for c in cells):
            yield _texts(name, _dates(cells), {}, [], title, measure)
        else:
            yield _numbers(name, cells, labels, ranges, title, measure)


def _plain(value: Any) -> Any:
    """57.0 as 57: labels are looked up by what the values are."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _dates(cells: list[Any]) -> list[str | None]:
    has_time = any(isinstance(c, datetime.datetime) and c.time() != datetime.time() for c in cells)
    return [
        None if c is None else str(c.date()) if isinstance(c, datetime.datetime) and not has_time else str(c)
        for c in cells
    ]


def _is_missing(value: Any, ranges: list[dict[str, Any]]) -> bool:
    return any(isinstance(value, str) == isinstance(r["lo"], str) and r["lo"] <= value <= r["hi"] for r in ranges)


def _texts(
    name: str, cells: Any, labels: dict[Any, str], ranges: list[dict[str, Any]], title: str | None, measure: str
) -> RawColumn:
    """Text. A blank cell is an empty field: these files cannot tell the two apart."""
    place: dict[str, int] = {}
    ids = [0 if c is None or c == "" else place.setdefault(str(c), len(place) + 1) for c in cells]
    known = sorted({*place, *(k for k in labels if isinstance(k, str) and k != "")})
    missing: list[Value | None] = [None] if 0 in ids else []
    missing += [v for v in known if _is_missing(v, ranges)]
    values = np.array([v for v in known if v not in missing], dtype=object)
    own = Variable(name, "categorical", values, labels, tuple(missing), title, measure == "ordinal")
    pieces = [np.array(ids).astype(np.min_scalar_type(len(place)))]
    return RawColumn(name, list(place), pieces, is_typed=True, own=own)


def _numbers(
    name: str, cells: Any, labels: dict[Any, str], ranges: list[dict[str, Any]], title: str | None, measure: str
) -> RawColumn:
    """Numbers. Letters among them are Stata's and SAS's missing codes, kept as `.a`, `.b`, …"""
    letters = sorted({c for c in cells if isinstance(c, str)})
    texts = [f".{c}" for c in letters]
    special = None
    if letters:
        special = np.array([2 + letters.index(c) if isinstance(c, str) else 0 for c in cells])
        cells = [0.0 if isinstance(c, str) else c for c in cells]
    numbers = np.array(cells, dtype=np.float64)
    empty = np.isnan(numbers)
    special = empty.astype(np.uint8) if special is None else np.where(empty, 1, special)
    found = numeric_column(name, as_integers(np.where(empty, 0.0, numbers)), special, texts)
    labels = {f".{k}" if isinstance(k, str) else k: v for k, v in labels.items()}
    found.own = _variable(found, labels, ranges, bool(empty.any()), title, measure)
    return found


def _variable(
    found: RawColumn, labels: dict[Any, str], ranges: list[dict[str, Any]], empty: bool, title: str | None, measure: str
) -> Variable:
    """Categorical where the values that are not missing are mostly labelled; a labelled scale stays numeric."""
    seen = {} if found.numbers is None else dict.fromkeys(found.numbers.tolist())
    valid = {v for v in seen if not _is_missing(v, ranges)}
    labelled = {v for v in labels if not isinstance(v, str) and not _is_missing(v, ranges)}
    missing: list[Value | None] = [None] if empty else []
    missing += sorted({v for v in [*seen, *(k for k in labels if not isinstance(k, str))] if _is_missing(v, ranges)})
    missing += sorted({*found.texts, *(k for k in labels if isinstance(k, str))})
    # Half: one undocumented code does not make a coded variable a measurement, nor does one label ("95 or over")
    # make a measurement a coded variable.
    is_categorical = bool(labelled) and 2 * len(valid & labelled) >= len(valid) and measure != "scale"
    values = np.array(sorted(valid | labelled) if is_categorical else sorted(valid))
    return Variable(
        found.name,
        "categorical" if is_categorical else "numeric",
        values,
        labels=labels,
        missing=tuple(missing),
        title=title,
        is_ordered=measure == "ordinal" and is_categorical,
    )
