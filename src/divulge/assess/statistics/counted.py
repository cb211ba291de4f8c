"""Exposure at full size where everything is counts: exact, from one pass over the cells, without any split.

If keys and target stand in one crosstab of counts, whatever reproduces it has its counts. With a person in, n_q rows
have their keys and n_tq of these their target; without them one less of each. Exposure is f(n_tq, n_q) less
f(n_tq − 1, n_q − 1), with the score f of `scenario/score.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.assess.statistics.intervals import Mean
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs import Output, Released
from divulge.policy import Policy
from divulge.scenario import Lookup, Matches, Scenario
from divulge.table import Table

ALMOST = 1 - 1e-9
"""Shares above this are 1 but for rounding: where everybody has the same value, nothing is learnt of anybody."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What counts say of one look-up, row by row. certain: whose value the crosstab makes certain (below).

    times: how many people each row stands for; None: one.
    """

    exposures: Floats
    certain: Mask
    times: Integers | None = None

    @property
    def risk(self) -> Mean:
        """The marginal risk; nothing was drawn, so the interval has no width."""
        value = float(np.average(self.exposures, weights=self.times))
        return Mean(value, value, value, 0, 0.0)

    def exposed(self, delta: float) -> Mask:
        """Who is exposed: by more than δ, or because their value is certain, however likely it was before."""
        return (self.exposures > delta) | self.certain


def count_exposures(
    lookups: Sequence[Lookup], outputs: Sequence[Output], printed: Sequence[Released], table: Table, policy: Policy
) -> tuple[Counted | None, ...]:
    """What counts say of each look-up; None where its variables are not in one crosstab of counts."""
    pairs = list(zip(outputs, printed, strict=True))
    crosstabs = [set(o.counted_together(table, r)) for o, r in pairs]
    # Where people have missing values, a crosstab is not everybody, but still the rows that it counts.
    apart = [rows for o, r in pairs if (rows := o.as_rows(table.schema, r)) is not None]
    return tuple(_by_counts(lookup, crosstabs, apart, table, policy) for lookup in lookups)


def _by_counts(
    lookup: Lookup, crosstabs: Sequence[set[str]], apart: Sequence[Table], table: Table, policy: Policy
) -> Counted | None:
    """crosstabs: the variables of those that count everybody; apart: the rows of all."""
    names = set(lookup.scenario.variables)
    if not lookup.scenario.keys:
        return None
    if any(crosstab >= names for crosstab in crosstabs):
        return _counted(lookup, table, policy.certain_class)
    rows = next((rows for rows in apart if set(rows.names) >= names), None)
    return None if rows is None else read_off(lookup, rows, table, policy)


def exposed_by_counts(scenario: Scenario, table: Table, policy: Policy) -> Mask:
    """Who would be exposed by a crosstab of counts of a scenario's variables."""
    share = {scenario.target: table.frequencies(scenario.target) / max(table.n_people, 1)}
    return _counted(Lookup.of(scenario, table, share), table, policy.certain_class).exposed(policy.delta)


def read_off(lookup: Lookup, rows: Table, table: Table, policy: Policy) -> Counted:
    """The same where an intruder reads the crosstab itself. rows: those that it is; table: everybody.

    People who are not in it, because a value of theirs is missing, change no count: their exposure is 0.
    """
    found = _counted(lookup, rows, policy.certain_class)
    inside = table.is_among(rows)
    return Counted(np.where(inside, found.exposures, 0.0), found.certain & inside, table.people)


def _counted(lookup: Lookup, table: Table, certain_class: int) -> Counted:
    with_them = lookup.counts(table)
    # Nobody to leave out where nobody is: a cell of people who are not in the crosstab.
    near, matched = (np.maximum(counts - 1, 0) for counts in (with_them.near, with_them.matched))
    without = Matches(near, matched, with_them.certain)
    exposures = lookup.scores(with_them) - lookup.scores(without)
    alike = (with_them.near == with_them.matched) & (with_them.matched < certain_class) & (lookup.prior < ALMOST)
    return Counted(exposures[lookup.cell_of_row], alike[lookup.cell_of_row], table.people)
