"""An extreme is somebody's value: whoever knows that a person is the largest or the smallest has it.

No contrast of people in and out shows this, since the keys that lead to the person are not in the data.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from divulge.outputs import Output, Released
from divulge.outputs.kinds.extremes import Extremes
from divulge.outputs.lowering.rows import Groups, counted
from divulge.outputs.released.precision import SLACK
from divulge.rules.rule import Finding
from divulge.table import Table


class HeldByFew:
    """A maximum or minimum that fewer than a given number of people of its group have, as far as is printed."""

    name: ClassVar[str] = "extreme held by few"
    summary: ClassVar[str] = "A maximum or a minimum must be the value of several people, as far as it is printed."
    source: ClassVar[str] = "Green, Ritchie & White 2024, maxima and minima"

    def find(self, output: Output, table: Table, released: Released, fewest: int) -> Finding | None:
        if not isinstance(output, Extremes):
            return None
        groups = Groups.of(table.schema, output.by)
        group = groups.numbers(table)
        people = np.zeros(table.n_rows, dtype=bool)
        n_figures, figure = 0, 0
        slack = SLACK * np.maximum(np.abs(released.centre), released.half)
        for name in output.variables:
            rows = np.flatnonzero(counted(output, table, (name, *output.by)))
            numbers = table.schema[name].numbers[table[name][rows]]
            for _ in output.show:
                # A withheld figure says at most that the extreme is possible.
                shown = np.isfinite(released.values[figure : figure + groups.n_groups])
                at = figure + group[rows]
                held = (numbers >= released.low[at] - slack[at]) & (numbers <= released.high[at] + slack[at])
                n_held = np.bincount(group[rows][held], minlength=groups.n_groups)
                few = shown & (n_held > 0) & (n_held < fewest)
                people[rows[held & few[group[rows]]]] = True
                n_figures += int(few.sum())
                figure += groups.n_groups
        if not n_figures:
            return None
        figures = "1 extreme is" if n_figures == 1 else f"{n_figures:,} extremes are"
        who = "1 person" if people.sum() == 1 else f"{people.sum():,} people"
        return Finding(
            self.name,
            f"{figures} the value of fewer than {fewest} people ({who} in all): whoever knows that a person is the "
            "largest or the smallest learns it.",
            people,
        )
