"""Released rows that nobody knows how to make again: what they tell of the people, beside what they tell of others.

Without parts there is no person who was sometimes in and sometimes out. Averages over people in and over a holdout can
still be compared: the marginal risk is known, nobody's exposure is.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from divulge.assess.splits.task import Task
from divulge.assess.statistics.intervals import Mean
from divulge.assess.statistics.lookup_results import LookupResult
from divulge.kernels.arrays import Floats
from divulge.measures.intervals import normal
from divulge.scenario import Lookup
from divulge.table import Table
from divulge.table.align import onto


def looks_beside(task: Task, rows: Table, holdout: Table | None) -> tuple[LookupResult, ...]:
    """Every look-up in the released rows; none where there is nobody to compare with."""
    if holdout is None:
        return ()
    others = onto(holdout, task.schema)
    nobody, nothing = np.zeros(task.table.n_rows, dtype=bool), np.zeros(task.table.n_rows)
    return tuple(
        LookupResult(nothing, nobody, nobody, _difference(*_both(task, one, rows, others)), {}, is_exact=False)
        for one in task.lookups
    )


def _both(task: Task, lookup: Lookup, rows: Table, others: Table) -> tuple[Floats, Floats]:
    """The scores of the people, and of people who were not in."""
    beside = Lookup.of(lookup.scenario, others, task.knowledge.marginals)
    inside, outside = (each.scores(each.counts(rows))[each.cell_of_row] for each in (lookup, beside))
    return inside, outside


def _difference(inside: Floats, outside: Floats) -> Mean:
    """The difference of two means with its interval, as of independent samples."""
    value = float(inside.mean() - outside.mean())
    error = sqrt(inside.var() / len(inside) + outside.var() / len(outside))
    found = normal(value, error)
    assert found is not None, "scores are numbers"
    return Mean(value, found.low, found.high, 1, error)
