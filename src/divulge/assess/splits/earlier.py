"""What is already out, granted to the intruder as public (`knows: earlier outputs`): computed on all rows.

It tells about people in and out alike, so it adds nothing to the contrast of the new outputs. What earlier and new
ones give away together is another question, which is asked too: `cumulative.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.assess.cumulative import Earlier
from divulge.assess.splits.split import Task, granted
from divulge.designs import Design, RepeatedHalves
from divulge.objective import Target
from divulge.outputs import Output, Released
from divulge.table import Table

DRAWS = 20
"""Random parts from which it is seen how an earlier output varies with the part: its standard deviation to a sixth."""

WIDE = 5.0
"""Estimated standard deviations to which a part is held to what is granted: hardly any part is farther off."""

LIGHT = 0.01
"""What granted outputs count in the search: should they contradict the outputs of a part, these prevail."""

_STREAM = 7
"""First word of the key of the random stream of the draws; designs have 1 to 3."""


def granted_targets(
    outputs: Sequence[Output], released: Sequence[Released | None], table: Table, n_rows: int, seed: int
) -> tuple[Target, ...]:
    """Earlier outputs as the intruder can expect them in a part of n rows, from all rows.

    A count of all rows is half of it in a half, a coefficient is the same: the middle is the mean over random parts and
    their complements, which together are all rows. A part deviates from it by sampling, so the interval is as wide.
    """
    found = []
    for output, given in zip(outputs, released, strict=True):
        light = replace(output, weight=LIGHT * output.weight)
        whole = given if given is not None else output.publish(output.evaluate(table), table.schema)
        if n_rows == table.n_rows:
            found.append(Target(light, whole))
            continue
        values = np.array([output.evaluate(part).values for part in _parts(table, n_rows, seed)])
        middle = values.mean(axis=0)  # undefined in some part: says nothing
        wide = np.maximum(WIDE * values.std(axis=0, ddof=1), whole.half)
        hidden = ~whole.is_given | ~np.isfinite(middle)
        low, high = np.where(hidden, -np.inf, middle - wide), np.where(hidden, np.inf, middle + wide)
        expected = np.where(hidden, np.nan, middle)
        found.append(Target(light, replace(whole, values=expected, low=low, high=high, se=None)))
    return tuple(found)


def _parts(table: Table, n_rows: int, seed: int) -> list[Table]:
    rng = np.random.default_rng([seed, _STREAM, n_rows])
    parts = []
    for _ in range(DRAWS // 2):
        order = rng.permutation(table.n_rows)
        # Where the complement is no part of this size, the rows from the other end are.
        for rows in (order[:n_rows], order[::-1][:n_rows]):
            mask = np.zeros(table.n_rows, dtype=bool)
            mask[rows] = True
            parts.append(table.take(mask))
    return parts


def with_granted(task: Task, earlier: Earlier, table: Table, design: Design) -> Task:
    """The task with the earlier outputs granted, in every size of part that the design has."""
    wanted = {n for o in earlier.outputs for n in o.uses(table.schema)}
    people = table.select([n for n in table.names if n in wanted or n in task.schema])
    splits = design.splits(table.n_rows, task.seed)
    if isinstance(design, RepeatedHalves):
        splits = (*splits, *design.curve_at(table.n_rows, task.seed))
    sizes = {table.n_rows, *(int(split.rows()[0].sum()) for split in splits)}
    return replace(
        task,
        table=people,
        schema=people.schema,
        marginals=granted(people, people.names, "marginals"),
        granted={n: granted_targets(earlier.outputs, earlier.released, people, n, task.seed) for n in sorted(sizes)},
    )
