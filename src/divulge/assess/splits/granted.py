"""What is already out, granted to the intruder as public (`knows: earlier outputs`): computed on all rows.

It tells about people in and out alike, so it adds nothing to the contrast of the new outputs. What earlier and new
ones give away together is another question, which a pass over all of them answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from divulge.assess.recipe import as_granted
from divulge.designs import Design, RepeatedHalves
from divulge.objective import Target
from divulge.table import Table

_DRAWS = 20
"""Random parts from which it is seen how an earlier output varies with the part: its standard deviation to a sixth."""

_WIDE = 5.0
"""Estimated standard deviations to which a part is held to what is granted: hardly any part is farther off."""

_STREAM = 7
"""First word of the key of the random stream of the draws; designs have 1 to 3."""


def granted_by_size(
    earlier: Sequence[Target], table: Table, design: Design, seed: int
) -> Mapping[int, tuple[Target, ...]]:
    """The earlier outputs as granted, in every size of part that the design has."""
    n_rows = table.n_rows
    splits = design.splits(n_rows, seed)
    if isinstance(design, RepeatedHalves):
        splits = (*splits, *design.curve_at(n_rows, seed))
    sizes = {n_rows, *(int(split.rows()[0].sum()) for split in splits)}
    return {size: _granted_in_part(earlier, table, size, seed) for size in sorted(sizes)}


def _granted_in_part(earlier: Sequence[Target], table: Table, n_rows: int, seed: int) -> tuple[Target, ...]:
    """Earlier outputs as the intruder can expect them in a part of n rows, from all rows.

    A count of all rows is half of it in a half, a coefficient is the same: the middle is the mean over random parts and
    their complements, which together are all rows. A part deviates from it by sampling, so the interval is as wide.
    """
    found = []
    for target in earlier:
        whole = target.released
        if n_rows == table.n_rows:
            found.append(as_granted(target))
            continue
        values = np.array([target.output.evaluate(part).values for part in _parts(table, n_rows, seed)])
        middle = values.mean(axis=0)  # undefined in some part: says nothing
        wide = np.maximum(_WIDE * values.std(axis=0, ddof=1), whole.half)
        hidden = ~whole.is_given | ~np.isfinite(middle)
        low, high = np.where(hidden, -np.inf, middle - wide), np.where(hidden, np.inf, middle + wide)
        expected = replace(whole, values=np.where(hidden, np.nan, middle), low=low, high=high, se=None)
        found.append(as_granted(Target(target.output, expected)))
    return tuple(found)


def _parts(table: Table, n_rows: int, seed: int) -> list[Table]:
    rng = np.random.default_rng([seed, _STREAM, n_rows])
    parts = []
    for _ in range(_DRAWS // 2):
        order = rng.permutation(table.n_rows)
        # Where the complement is no part of this size, the rows from the other end are.
        for rows in (order[:n_rows], order[::-1][:n_rows]):
            mask = np.zeros(table.n_rows, dtype=bool)
            mask[rows] = True
            parts.append(table.take(mask))
    return parts
