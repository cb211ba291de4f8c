"""A holdout that the spec names: people of the same kind who were not in the data, and whether they really were not."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from divulge.assess.splits.measures import Figure, measure_scenario
from divulge.assess.splits.task import Task
from divulge.designs import check_holdout
from divulge.errors import DesignError
from divulge.kernels.arrays import Codes
from divulge.table import Table
from divulge.table.align import align

_FEWEST_IDENTIFIED = 50
"""Rows from which a variable whose every value is there once counts as a number of the person."""

_SURELY = 4.0
"""Standard errors beyond which rows found in both files are not there by chance: one file in 30,000."""


def check_apart(people: Table, holdout: Table) -> None:
    """Raise where people of the holdout are in the data too, with how many they are."""
    lost = [name for name in people.names if name not in holdout.schema]
    if lost:
        raise DesignError(f"the holdout has no column {', '.join(map(repr, lost))}.", where="holdout")
    if not holdout.n_rows:
        raise DesignError("there is nobody in the holdout.", where="holdout")
    check_holdout(_shared_rows(people, holdout), holdout.n_rows)


def _shared_rows(people: Table, holdout: Table) -> int:
    """How many rows of the holdout are in the data too.

    Where a variable numbers the people, it says which. Otherwise rows are compared whole. Different people may be
    alike: of the data's own rows a share m has a twin among the others, and so would a share m of strangers. Where a
    share s > m of the holdout is found in the data, (s − m)/(1 − m) of it must be the same people; where s is above m
    only as chance has it, none are.
    """
    ours, theirs = align(people, holdout)
    for name in ours.names:
        if _is_number_of_person(ours[name]) and _is_number_of_person(theirs[name]):
            return int(np.isin(theirs[name], ours[name]).sum())
    columns = [np.concatenate([a, b]) for a, b in zip(ours.columns, theirs.columns, strict=True)]
    rows = np.column_stack([column.astype(np.int64) for column in columns])
    _, pattern = np.unique(rows, axis=0, return_inverse=True)
    pattern = pattern.ravel()
    n = ours.n_rows
    counts = np.bincount(pattern[:n], minlength=int(pattern.max()) + 1)
    twins = float((counts[pattern[:n]] > 1).mean())
    found = float((counts[pattern[n:]] > 0).mean())
    if twins == 1.0:
        return 0
    error = sqrt(max(twins * (1 - twins), 1 / n) * (1 / n + 1 / theirs.n_rows))
    return round(theirs.n_rows * (found - twins) / (1 - twins)) if found - twins > _SURELY * error else 0


def against_holdout(task: Task, synthetic: Table, holdout: Table | None) -> tuple[Mapping[str, Figure], ...]:
    """For each scenario the measures on all rows and on the holdout; nothing where there is no holdout."""
    if holdout is None:
        return ()
    return tuple(measure_scenario(task, scenario, task.table, synthetic, holdout) for scenario in task.scenarios)


def _is_number_of_person(codes: Codes) -> bool:
    return len(codes) >= _FEWEST_IDENTIFIED and len(np.unique(codes)) == len(codes)
