"""The score of a person under a scenario: looked up in synthetic rows by the keys, for the target.

Score (design: "From two folds to a decision"): (s_tq + a·p_t)/(s_q + a) with a = 1, where s_q synthetic rows have the
person's keys, s_tq of them the person's target (or one within the tolerance), and p_t is the granted share of such
targets: CAP where the keys are found (Elliot 2014), the baseline where they are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from divulge.errors import SpecError
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.windows import window_counts
from divulge.scenario.coding import KeyCoding
from divulge.scenario.scenario import Scenario
from divulge.table import Table, Variable

_PRIOR_ROWS = 1.0
"""a: how many synthetic rows the granted marginal is worth. One, so that a single matching row moves the score half
of the way to certainty, and no matching row leaves it at the baseline."""

EXACT_UP_TO = 25
"""Numeric targets of no more values than this must be hit exactly; finer ones within the tolerance."""

TOLERANCE = 0.05
"""Half of the window of a fine numeric target, as a share of the standard deviation: near enough to give it away."""

RELATIVE = 0.10
"""The same as a share of the value itself, where that is wider: the p % rule protects values to within 10 %."""

WIDEST = 0.25
"""What that share may come to, in standard deviations: a tenth of a year of birth would be the whole range."""


@dataclass(frozen=True, eq=False)
class Matches:
    """What one synthetic table says of every cell of the people: rows near, rows matched, whether they are certain."""

    near: Integers32
    matched: Integers32
    certain: Mask


@dataclass(frozen=True, eq=False)
class Lookup:
    """All people as cells of one scenario: each distinct (keys, target) once, and the cell of every row.

    width: how many codes the target has. low, high: for every code of the target, the codes that count as a hit.
    prior: the granted share of such targets, by cell.
    """

    scenario: Scenario
    coding: KeyCoding
    width: int
    cells: Integers
    cell_of_row: Integers32
    low: Integers
    high: Integers
    prior: Floats
    tolerance: float | None

    @classmethod
    def of(cls, scenario: Scenario, table: Table, marginals: Mapping[str, Floats]) -> Lookup:
        """The look-up of all rows; marginals: the granted ones."""
        keys = [table[k] for k in scenario.keys]
        variable = table.schema[scenario.target]
        # Synthetic rows may have combinations that no person has, so every possible one needs a code.
        coding = KeyCoding.fit([keys], [table.schema[k].n_codes for k in scenario.keys], variable.n_codes)
        if any(rank is not None for rank in coding.ranks):
            raise SpecError(
                f"the {len(scenario.keys)} keys have too many combinations of values to be told apart.",
                where="scenario.keys",
                hint="Name fewer keys.",
            )
        width = variable.n_codes
        cells, row = _distinct(_cell_codes(scenario, coding, width, table), coding.radix * width)
        share = marginals[scenario.target]
        low, high, tolerance = _windows(variable, share)
        cumulative = np.concatenate([[0.0], np.cumsum(share)])
        prior = (cumulative[high + 1] - cumulative[low])[cells % width]
        return cls(scenario, coding, width, cells, row, low, high, prior, tolerance)

    def counts(self, synthetic: Table) -> Matches:
        """What a synthetic table says of every cell."""
        codes = _cell_codes(self.scenario, self.coding, self.width, synthetic)
        if synthetic.people is not None:
            return self._weighed(codes, synthetic.people)
        codes = _in_order(codes, self.coding.radix * self.width)
        near, matched = np.empty(len(self.cells), np.int32), np.empty(len(self.cells), np.int32)
        certain = np.empty(len(self.cells), np.bool_)
        window_counts(codes, self.cells, self.width, self.low, self.high, near, matched, certain)
        return Matches(near, matched, certain)

    def _weighed(self, codes: Integers, people: Integers) -> Matches:
        """The same where rows stand for several people: sums up to each bound of a window, and their differences."""
        order = np.argsort(codes, kind="stable")
        ordered, up_to = codes[order], np.concatenate([[0], np.cumsum(people[order])])
        key, target = np.divmod(self.cells, self.width)
        places = [
            np.searchsorted(ordered, key * self.width + bound)
            for bound in (0, self.width, self.low[target], self.high[target] + 1)
        ]
        start, end, first, last = places
        is_found = end > start
        ends = ordered[np.maximum(end - 1, 0)] if len(ordered) else np.zeros_like(start)
        starts = ordered[np.minimum(start, len(ordered) - 1)] if len(ordered) else np.zeros_like(start)
        near, matched = up_to[last] - up_to[first], up_to[end] - up_to[start]
        return Matches(near.astype(np.int32), matched.astype(np.int32), is_found & (starts == ends))

    def scores(self, counts: Matches) -> Floats:
        """The score of every cell."""
        return score(counts.near, counts.matched, self.prior)


def score(near: Floats | Integers32, matched: Floats | Integers32, prior: Floats) -> Floats:
    """The score of cells. matched: how many have their keys; near: how many of these a target in their window."""
    found: Floats = (near + _PRIOR_ROWS * prior) / (matched + _PRIOR_ROWS)
    return found


_ROOM = 4
"""Possible codes for each row, at most, for which codes are counted, which is quicker, and not sorted."""


def _distinct(codes: Integers, n_codes: int) -> tuple[Integers, Integers32]:
    """The codes that occur, ascending, and the place among them of each row."""
    if n_codes > _ROOM * len(codes):
        found, row = np.unique(codes, return_inverse=True)
        return found, row.astype(np.int32)
    occurs = np.zeros(n_codes, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs).astype(np.int64, copy=False), (np.cumsum(occurs, dtype=np.int32) - 1)[codes]


def _in_order(codes: Integers, n_codes: int) -> Integers:
    """The codes, ascending."""
    if n_codes > _ROOM * len(codes):
        return np.sort(codes)
    return np.repeat(np.arange(n_codes), np.bincount(codes, minlength=n_codes))


def _windows(variable: Variable, share: Floats) -> tuple[Integers, Integers, float | None]:
    """For every code of a target the first and the last code that count as a hit, and the tolerance where there is one.

    A hit is within the tolerance, or within a tenth of the value where that is wider.
    share: the granted distribution, whose standard deviation is the yardstick.
    """
    codes = np.arange(variable.n_codes)
    if variable.kind != "numeric" or variable.n_values <= EXACT_UP_TO:
        return codes, codes, None
    values = variable.numbers[: variable.n_values]
    weight = share[: variable.n_values] / max(float(share[: variable.n_values].sum()), 1e-300)
    spread = float(np.sqrt(weight @ (values - weight @ values) ** 2))
    tolerance = TOLERANCE * spread
    low, high = codes.copy(), codes.copy()
    reach = reach_of(values, spread)
    # Both ends rise with the value, as the count of rows in windows asks: a tenth of a value grows slower than it does.
    low[: len(values)] = np.searchsorted(values, values - reach, side="left")
    high[: len(values)] = np.searchsorted(values, values + reach, side="right") - 1
    return low, high, tolerance


def reach_of(values: Floats, spread: float) -> Floats:
    """How near a guess must be to a number to give it away: a twentieth of the spread, or a tenth of the number."""
    found: Floats = np.clip(RELATIVE * np.abs(values), TOLERANCE * spread, WIDEST * spread)
    return found


def _cell_codes(scenario: Scenario, coding: KeyCoding, width: int, table: Table) -> Integers:
    """Keys and target of every row as one number."""
    keys = [table[k] for k in scenario.keys]
    codes = coding.encode(keys) if keys else np.zeros(table.n_rows, dtype=np.int64)
    return codes * width + table[scenario.target]
