"""Outputs that release rows: people are looked up in these, made anew from every part; nothing is searched for."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from divulge.assess.splits.task import Task
from divulge.objective import Embedding, Outcome, Reproduction, Target
from divulge.outputs import Figures, Output, Released
from divulge.table import Table

_STREAM = 8
"""First word of the key of the random stream of generators; designs have 1 to 3, granted outputs 7."""


def rows_output(task: Task) -> Output | None:
    """The output that releases rows; it stands alone, which the plan has checked."""
    return task.outputs[0] if task.outputs[0].releases_rows else None


def made_rows(task: Task, output: Output, part: Table, figures: Figures, printed: Released, run: int) -> Embedding:
    """The rows that would be released if this part were the data, in the place of an embedding."""
    return _as_embedding(task, output.rows_of, Target(output, printed), part, figures, run)


def released_rows(task: Task, output: Output, figures: Figures, printed: Released) -> Embedding:
    """The rows that are released."""
    return _as_embedding(task, output.released_rows, Target(output, printed), task.table, figures, 10_000)


def _as_embedding(
    task: Task,
    make: Callable[[Table, np.random.Generator], Table],
    target: Target,
    people: Table,
    figures: Figures,
    run: int,
) -> Embedding:
    started = time.perf_counter()
    rng = np.random.default_rng([task.seed, _STREAM, run])
    rows = _with_granted(task, make(people, rng), rng)
    printed = target.released
    agrees = np.ones(len(printed.values), dtype=bool)
    own = Reproduction(target, figures.labels, printed.values, figures.values, agrees, figures.status)
    return Embedding(rows, Outcome.RELEASED, (own,), time.perf_counter() - started, 0, 0, 0.0)


def _with_granted(task: Task, rows: Table, rng: np.random.Generator) -> Table:
    """The rows with the variables that only a scenario speaks of, drawn from what is granted of them."""
    columns = []
    for variable in task.schema:
        if variable.name in rows.schema:
            columns.append(rows[variable.name])
        else:
            share = task.knowledge.marginals[variable.name]
            columns.append(rng.choice(len(share), size=rows.n_rows, p=share).astype(variable.dtype))
    return Table(task.schema, tuple(columns))
