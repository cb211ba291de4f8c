"""A stronger intruder: who knows everybody else's rows completely, and all of a person's but one variable.

For each person and each possible value of that variable: would the printed figures still hold? Where only the true
value is left, the person is *determined*. For regressions and means this says how much of the protection is rounding.
In tables, all protection is what the intruder does not know. It is never by itself a reason to refuse; it is a reason
to print fewer digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from divulge.kernels.alternatives import Printed, SparseSlopes, possible_values
from divulge.kernels.arrays import Mask
from divulge.outputs import Output, Released
from divulge.outputs.lowering.lowered import Lowered, pack, row_codes
from divulge.outputs.released.precision import SLACK, Precision
from divulge.table import Table

MOST_VALUES = 200
"""A variable with more possible values is not asked about: nobody is told apart among so many by chance."""

DIGITS = (0, 1, 2)
"""How many digits fewer the figures are printed with."""


@dataclass(frozen=True)
class KnownOthers:
    """How many people's value of a variable is determined, as printed and with one and two digits fewer.

    left_out: outputs (by number) that could not be asked. n_people: who has a value of the variable.
    """

    variable: str
    n_people: int
    determined: tuple[int, ...]
    left_out: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        names = ("as printed", "one digit fewer", "two digits fewer")
        return {
            "variable": self.variable,
            "people": self.n_people,
            "determined": dict(zip(names, self.determined, strict=True)),
            "left_out": list(self.left_out),
        }


def ask_everybody_else(
    outputs: Sequence[Output], released: Sequence[Released], table: Table, variable: str
) -> KnownOthers | None:
    """How many people the figures determine for whoever knows all others; None where there are too many values."""
    target = table.schema[variable]
    if not 1 < target.n_values <= MOST_VALUES:
        return None
    has_value = ~target.is_missing[table[variable]]
    counts, left_out = [], []
    for fewer in DIGITS:
        possible = np.ones((table.n_rows, target.n_values), dtype=bool)
        for i, (output, given) in enumerate(zip(outputs, released, strict=True)):
            if variable not in output.uses(table.schema):
                continue
            found = _possible(output, _coarser(output, given, fewer, table), table, variable)
            if found is not None:
                possible &= found
            elif not fewer:
                left_out.append(i)
        counts.append(int((possible[has_value].sum(axis=1) == 1).sum()))
    return KnownOthers(variable, int(has_value.sum()), tuple(counts), tuple(left_out))


def _coarser(output: Output, released: Released, fewer: int, table: Table) -> Released:
    """The figures printed with fewer digits."""
    if not fewer:
        return released
    precision = released.precision
    if precision.base is not None:
        less = Precision(base=precision.base * 10**fewer)
    elif precision.significant is not None:
        less = Precision(significant=max(1, precision.significant - fewer))
    elif isinstance(precision.decimals, tuple):
        less = Precision(decimals=tuple(d - fewer for d in precision.decimals))
    else:
        less = Precision(decimals=(precision.decimals or 0) - fewer)
    changed = replace(
        output, decimals=less.decimals, significant=less.significant, base=less.base, released=None, compute=True
    )
    return changed.publish(output.evaluate(table), table.schema)


def _possible(output: Output, released: Released, table: Table, variable: str) -> Mask | None:
    """(rows, values): which values leave the figures as printed, to first order; None where that cannot be said."""
    if not output.can_lower:
        return None
    lowered = output.lower(table.schema, replace(released, se=None))
    residuals, jacobian = lowered.residuals.linearise(lowered.totals(table), table)
    slack = SLACK * np.maximum(np.abs(np.nan_to_num(lowered.unit)), 1.0)
    low, high = lowered.low - slack, lowered.high + slack
    if not ((residuals >= low) & (residuals <= high)).all():
        return None  # these are not the figures of these data
    program = pack([lowered], table.schema)
    at = table.schema.position(variable)
    return np.asarray(
        possible_values(
            program.blocks(),
            program.n_blocks,
            row_codes(table),
            at,
            table.schema[variable].n_values,
            _slopes(jacobian, lowered),
            Printed(residuals, low, high),
        )
    )


def _slopes(jacobian: Any, lowered: Lowered) -> SparseSlopes:
    """For each total the residuals that it moves, and how much."""
    matrix = sparse.diags_array(jacobian) if np.ndim(jacobian) == 1 else sparse.csc_array(jacobian)
    columns = sparse.csc_array(matrix)
    assert columns.shape == (lowered.n_residuals, lowered.n_totals), "one slope for each residual and total"
    start, residual = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    return SparseSlopes(start, residual, columns.data.astype(np.float64))
