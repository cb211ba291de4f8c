"""The CSV of a table as pandas writes it: levels of rows and columns in front of the cells, as texts.

Several variables in the columns make several header lines, and then a line that names the variables of the rows.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from divulge.errors import OutputError
from divulge.readers.acro.folder import LARGEST_FILE


@dataclass(frozen=True)
class Grid:
    """row_names: the variables of the rows; level_names: of each header line, "" where it has no name.

    rows, columns: the labels of each, as many as there are names; cells: one text each, "" where there is none.
    """

    row_names: tuple[str, ...]
    level_names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[str, ...], ...]


def read_lines(path: Path) -> list[list[str]]:
    """The lines of a CSV file, each a list of cells; OutputError where it cannot be one."""
    if path.suffix.lower() != ".csv":
        raise OutputError(f"{path.name} is no CSV file.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise OutputError(f"{path.name} is larger than {LARGEST_FILE:,} bytes.")
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if line]
    except OSError as error:
        raise OutputError(f"{path.name} cannot be read: {(error.strerror or 'no such file').lower()}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise OutputError(f"{path.name} is not a CSV file in UTF-8.") from None
    if not lines:
        raise OutputError(f"{path.name} is empty.")
    width = max(len(line) for line in lines)
    return [line + [""] * (width - len(line)) for line in lines]


def read_grid(path: Path, variables: Collection[str]) -> Grid:
    """A table from its CSV. variables: the names that the data have, by which rows are told from cells."""
    lines = read_lines(path)
    at = _line_of_names(lines, variables)
    if at is None:
        n_index = _n_leading(lines[0], variables)
        if not n_index:
            raise OutputError(f"the rows of {path.name} are not named after variables of the data.")
        header, names, body = [lines[0]], lines[0][:n_index], lines[1:]
        level_names = [""]
    else:
        n_index = _n_leading(lines[at], variables)
        header, names, body = lines[:at], lines[at][:n_index], lines[at + 1 :]
        level_names = [line[0] for line in header]
    columns = tuple(zip(*(line[n_index:] for line in header), strict=True))
    rows = tuple(tuple(line[:n_index]) for line in body)
    if not rows or not columns:
        raise OutputError(f"{path.name} has no cells.")
    return Grid(tuple(names), tuple(level_names), rows, columns, tuple(tuple(line[n_index:]) for line in body))


def _line_of_names(lines: Sequence[Sequence[str]], variables: Collection[str]) -> int | None:
    """The line that names the variables of the rows, below two header lines or more; None: the only one does.

    Header lines begin with the name of a variable or with nothing, so that a withheld row whose level happens to be
    called like a variable is not mistaken for such a line.
    """
    for i, line in enumerate(lines):
        n_index = _n_leading(line, variables)
        if i > 1 and n_index and not any(line[n_index:]):
            return i
        if line[0] and line[0] not in variables:
            return None
    return None


def _n_leading(line: Sequence[str], variables: Collection[str]) -> int:
    return next((i for i, cell in enumerate(line) if cell not in variables), len(line))
