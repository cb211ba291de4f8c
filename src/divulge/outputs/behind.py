"""Whose rows stand behind the figures of an output: what rules of output checking ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Integers
from divulge.table import Table

What = Literal[
    "count",
    "share",
    "base",  # what shares are shares of
    "mean",
    "total",
    "quantile",
    "minimum",
    "maximum",
    "sd",  # with n − 1
    "variance",  # or a standard deviation with n
    "shape",
    "mode",
    "concentration",
    "ratio",
    "events",
    "last step",  # those at whose time a survival curve falls to zero, where that time is told
    "curve",  # those with whom a survival curve or life table begins
    "correlation",
    "term",  # the people of a level, or with a value other than zero, of a regression term
    "class",  # the people of each class of a response
    "plane",  # people through whose points a quantile regression is told to pass
    "model",
    "saturated",  # the patterns of predictors of a model that has as many parameters
    "test",
]


@dataclass(frozen=True, eq=False)
class Behind:
    """Groups of rows, and the figure that each of them makes.

    what: which statistic the figures are. figures: the number of each group's figure; −1: it has none of its own.
    group: the group of each row, −1: none. variable: whose values are summed up; None: rows are counted.
    names, shape: the variables that span the groups, where these are a whole grid (the last fastest).
    told: the variable of the last axis, where what spans the others is no variable, as the leaves of a tree.
    texts: what the groups are called that have no figure of their own.
    quantile: which one. parameters: how many the model estimates from the group.
    """

    what: What
    figures: NDArray[np.int64]
    group: NDArray[np.int64]
    variable: str | None = None
    names: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    quantile: float = np.nan
    parameters: int = 0
    told: str | None = None

    @property
    def n_groups(self) -> int:
        return len(self.figures)

    def label(self, group: int, labels: tuple[str, ...]) -> str:
        """What a group is called: its figure's label, or its own."""
        figure = int(self.figures[group])
        if figure >= 0:
            return labels[figure]
        return self.texts[group] if self.texts else "all rows"


def one_group(what: What, rows: NDArray[np.bool_], figure: int = -1, parameters: int = 0) -> Behind:
    """All rows that count as one group."""
    return Behind(what, np.array([figure]), np.where(rows, 0, -1), parameters=parameters)


def crowds_of(groups: Iterable[Behind], table: Table) -> Iterator[tuple[str, Integers]]:
    """Cells, or groups by the variables that span them, and how many people are in each."""
    found: dict[str, list[Integers]] = {}
    for behind in groups:
        are_cells = behind.what in ("count", "share")
        name = "cells" if are_cells else f"groups by {' × '.join(behind.names)}"
        if are_cells or (behind.names and name not in found):
            people = table.tally(behind.group, behind.n_groups, behind.group >= 0)
            found.setdefault(name, []).append(people.astype(np.int64))
    for name, counts in found.items():
        yield name, np.concatenate(counts)
