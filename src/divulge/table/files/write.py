"""`write_table`: a table as a file, whole or not at all, in the format that the file's ending names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from divulge.errors import WriteError
from divulge.table.files.csv_write import write_csv
from divulge.table.files.parquet import write_parquet
from divulge.table.files.statistical_write import write_spss, write_stata
from divulge.table.table import Table

_WRITERS: dict[str, Callable[[Table, Path, bool], None]] = {
    ".csv": lambda table, path, labels: write_csv(table, path, ",", labels),
    ".tsv": lambda table, path, labels: write_csv(table, path, "\t", labels),
    ".txt": lambda table, path, labels: write_csv(table, path, ",", labels),
    ".parquet": write_parquet,
    ".sav": write_spss,
    ".zsav": write_spss,
    ".dta": write_stata,
}
"""Writers by the endings of their files."""


_TITLED: dict[str, Callable[[Table, Path, bool, str], None]] = {
    ".sav": write_spss,
    ".zsav": write_spss,
    ".dta": write_stata,
}
"""Those whose files can say what they are."""


def write_table(table: Table, path: str | os.PathLike[str], labels: bool = False, *, title: str | None = None) -> None:
    """Write a table as CSV (and other delimited text), Parquet, SPSS or Stata, by the file's ending: a row a person.

    labels: write what the values stand for instead of the values, in CSV and Parquet. SPSS and Stata files hold both.
    title: what the file says that it is, in SPSS and Stata; the other formats have no place for it.
    """
    file = Path(path)
    if file.suffix.lower() in _TITLED:
        table = table.expanded()  # their writers hold all rows
    writer = _WRITERS.get(file.suffix.lower())
    if writer is None:
        raise WriteError(
            f"cannot write a table to a file that ends in {file.suffix!r}.",
            where=str(file),
            hint=f"Files that can be written end in {', '.join(_WRITERS)}.",
        )
    titled = None if title is None else _TITLED.get(file.suffix.lower())
    if titled is not None and title is not None:
        titled(table, file, labels, title)
    else:
        writer(table, file, labels)
