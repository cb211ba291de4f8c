"""Outputs of few people, as somebody who knows everybody's predictors, or groups, sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.lattice.released import Released, group_mean
from divulge.outputs.lowering.sizes import FINEST, possible_step
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class FewPeople:
    """Figures of few people that say sums of a response.

    says: what the figures say of the responses, by row of the table; coding: the response as a number for every code
    of its variable, NaN where such a row takes no part. is_category: whether a response is a class rather than an
    amount. possible: the rows of the design that somebody may have, where these are few; None: they are many. step:
    between the least and the greatest of the values any multiple of it may be had; None: the values alone, 0: none.
    """

    response: str
    says: Released
    coding: Floats
    is_category: bool
    possible: Floats | None = None
    step: float | None = None

    @property
    def values(self) -> Floats:
        """The values that the response may have."""
        return np.unique(self.coding[np.isfinite(self.coding)])

    def among(self, table: Table) -> FewPeople:
        """The same of data that may not show all values: then any multiple of their step may be had."""
        return self if self.is_category else replace(self, step=possible_step(table, self.response, self.values))

    @property
    def even_step(self) -> float:
        """The step of as many evenly spaced values as there may be."""
        values = self.values
        if self.step is None:
            return float(values[-1] - values[0]) / max(len(values) - 1, 1) or 1.0
        return self.step or FINEST

    @property
    def rows(self) -> Integers:
        """Whom it is computed from."""
        return self.says.rows

    def is_alike(self, other: FewPeople) -> bool:
        """Whether both say sums of the same numbers."""
        return self.response == other.response and np.array_equal(self.coding, other.coding, equal_nan=True)


def groups_of_few(groups: Integers, most: int) -> Iterator[tuple[int, Integers]]:
    """Groups of at most so many people, and who they are. groups: of each row, −1 where it is in none."""
    order = np.argsort(groups, kind="stable")
    found, starts = np.unique(groups[order], return_index=True)
    for group, rows in zip(found.tolist(), np.split(order, starts[1:]), strict=True):
        if group >= 0 and len(rows) <= most:
            yield group, rows


def mean_of_few(
    response: str, rows: Integers, mean: tuple[float, float], coding: Floats, sd: tuple[float, float] | None = None
) -> FewPeople | None:
    """A group's mean, perhaps with its standard deviation; None where nothing is said of it."""
    low, high = float(np.nanmin(coding)), float(np.nanmax(coding))
    if not (np.isfinite(mean[0]) and np.isfinite(mean[1])):
        if sd is None:
            return None
        mean = (low, high)  # anything possible
    if sd is not None and not (np.isfinite(sd[0]) and np.isfinite(sd[1])):
        return None
    says = group_mean(rows, *mean, sd)
    return FewPeople(response, says, coding, is_category=len(np.unique(coding[np.isfinite(coding)])) == 2)
