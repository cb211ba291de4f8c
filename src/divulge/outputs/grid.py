"""Where the figures of an output stand when people look at it: a table of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

Picture = Literal["table", "bars", "coefficients", "steps"]
"""How people draw such figures: as the table itself, a bar each, a point with its interval, or a curve over time."""

TOTAL = "Total"
"""What the row and the column of a margin are called."""

WIDEST = 15
"""Columns that fit on a page. A variable with more values goes down, with a row for each."""


@dataclass(frozen=True)
class Grid:
    """A table of figures, made from the schema alone.

    row_names: what stands above each column of headers, such as variables; rows: the headers of each row.
    column_name: what the columns are the values of; empty where they are different figures.
    cells: the number of the figure in each row and column; None: nothing stands there.
    """

    row_names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int | None, ...], ...]
    column_name: str = ""
    picture: Picture = "table"


def grid_of(
    row_names: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    columns: Sequence[str],
    figures: ArrayLike,
    column_name: str = "",
    picture: Picture = "table",
) -> Grid:
    """figures: the number of the figure in each row and column, (rows, columns); −1: nothing stands there."""
    numbers = np.asarray(figures).reshape(len(rows), len(columns)).tolist()
    cells = tuple(tuple(None if n < 0 else int(n) for n in line) for line in numbers)
    return Grid(tuple(row_names), tuple(rows), tuple(columns), cells, column_name, picture)
