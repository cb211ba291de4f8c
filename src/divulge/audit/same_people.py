"""Figures of different outputs that are about the same people, whatever these are called.

With data that is seen from the rows. Without data it is seen from what groups are defined by: a table with one row for
each combination of the variables that groups and conditions speak of stands in for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from divulge.kernels.arrays import Integers
from divulge.outputs.output import Output
from divulge.table import Schema, Table
from divulge.table.conditions import names_in

if TYPE_CHECKING:
    from divulge.audit.run import Submission

Interval = tuple[float, float]

MOST_KINDS = 200_000
"""Rows of the table that stands in for data; with more of them nothing is put together."""

_MOMENTS = {"mean": "mean", "sd": "sd", "minimum": "least", "maximum": "greatest"}


@dataclass(eq=False)
class Group:
    """What is printed of a group of people.

    n: how many they are, where that is known. printed: by variable and statistic, an interval. where: by variable, the
    first new output (its number) and label that speaks of it. counts: new outputs and figures that count the group.
    """

    n: int | None = None
    printed: dict[str, dict[str, Interval]] = field(default_factory=dict)
    where: dict[str, tuple[int, str]] = field(default_factory=dict)
    counts: list[tuple[int, int]] = field(default_factory=list)


def groups_of(given: Submission) -> list[Group]:
    """The groups of which counts, means, spreads, medians or extremes are printed."""
    table = given.table if given.table is not None else _stand_in(given)
    if table is None:
        return []
    # Any seed: names of sets of rows.
    keys = np.random.default_rng(0).integers(1, 2**62, table.n_rows)
    found: dict[int, Group] = {}
    new = enumerate(zip(given.outputs, given.released, strict=True))
    told = [*((i, *one) for i, one in new), *((-1, output, released) for _, output, released in given.earlier)]
    for i, output, released in told:
        for behind in output.behind(table):
            statistic = "median" if behind.quantile == 0.5 else _MOMENTS.get(behind.what)
            variable = behind.variable
            if output.weights is not None or (behind.what != "count" and (statistic is None or variable is None)):
                continue
            inside = behind.group >= 0
            people = table.tally(behind.group, behind.n_groups, inside)
            name = np.zeros(behind.n_groups, dtype=np.int64)
            np.bitwise_xor.at(name, behind.group[inside], keys[inside])
            for g in np.flatnonzero(people > 0).tolist():
                figure = int(behind.figures[g])
                if figure < 0:
                    continue
                group = found.setdefault(int(name[g]), Group())
                low, high = released.low[figure], released.high[figure]
                if given.table is not None:
                    group.n = int(people[g])
                if statistic is None or variable is None:
                    group.counts += [(i, figure)] if i >= 0 else []
                    if given.table is None and released.half[figure] <= 0.5 and np.isfinite(released.values[figure]):
                        group.n = round(float(released.values[figure]))
                elif np.isfinite(released.values[figure]):
                    group.printed.setdefault(variable, {})[statistic] = (float(low), float(high))
                    if i >= 0:
                        group.where.setdefault(variable, (i, released.labels[figure]))
    if given.table is None and given.n_rows is not None:
        everybody = found.get(int(np.bitwise_xor.reduce(keys, initial=0)))
        if everybody is not None:
            everybody.n = given.n_rows
    return list(found.values())


def _stand_in(given: Submission) -> Table | None:
    """One row for each combination of the variables that make groups; None where they are too many."""
    schema = given.schema
    outputs = (*given.outputs, *(output for _, output, _ in given.earlier))
    spanning = dict.fromkeys(name for output in outputs for name in _spanning(output, schema))
    shape = [schema[name].n_values for name in spanning]
    if np.prod([1.0, *shape]) > MOST_KINDS:
        return None
    n = int(np.prod([1, *shape]))
    at: dict[str, Integers] = dict(zip(spanning, np.indices(shape).reshape(len(shape), n), strict=True))
    return Table(schema, tuple(at.get(v.name, np.zeros(n, dtype=np.int64)).astype(v.dtype) for v in schema))


def _spanning(output: Output, schema: Schema) -> tuple[str, ...]:
    """The variables of an output but those that it sums up."""
    summed = set(vars(output).get("variables", ())) if "by" in vars(output) else set()
    own = [name for name in output.own_variables() if name not in summed or name in vars(output)["by"]]
    return (*own, *names_in(output.where or "", schema.names))
