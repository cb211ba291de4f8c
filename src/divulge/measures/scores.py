"""The score of every person against one synthetic table after another, fast enough to run on every candidate.

What depends on the people alone is prepared once; a synthetic table then costs one count of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.errors import MeasureError
from divulge.kernels import counting
from divulge.measures.coding import ROOM, Codes, KeyCoding
from divulge.measures.estimate import Scores
from divulge.measures.scenario import Scenario
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, eq=False)
class Scorer:
    """(s_tq + a·p_t)/(s_q + a): CAP where the synthetic data have the keys, the granted marginal where they do not.

    shares: p_t for every target code. smoothing: a. low, high: for every target code the codes within the tolerance.
    cells, of_row: the people's distinct cells, and the cell of each row.
    """

    schema: Schema
    scenario: Scenario
    smoothing: float
    shares: NDArray[np.float64]
    low: Codes
    high: Codes
    cells: Codes
    of_row: Codes
    radix: int

    @classmethod
    def of(
        cls,
        people: Table,
        scenario: Scenario,
        shares: NDArray[np.float64] | None = None,
        smoothing: float = 1.0,
        tolerance: float = 0.0,
    ) -> Scorer:
        """A scorer of these people.

        shares: the marginal that the scenario grants; by default the people's own.
        tolerance: a numeric target counts as inferred within this distance.
        """
        if smoothing < 0 or tolerance < 0:
            raise MeasureError("smoothing and tolerance must be at least 0.", where="scores")
        schema, target = people.schema, people.schema[scenario.target]
        if shares is None:
            shares = people.frequencies(target.name) / max(people.n_rows, 1)
        codes, radix = _coded(people, schema, scenario)
        cells, of_row = np.unique(codes, return_inverse=True)
        low, high = windows(target, tolerance)
        within = np.concatenate([[0.0], np.cumsum(shares)])
        return cls(
            schema, scenario, smoothing, within[high + 1] - within[low], low, high, cells, of_row.reshape(-1), radix
        )

    def scores(self, synthetic: Table) -> Scores:
        """The score of every person; NaN where nothing is known: no smoothing, and keys that nobody synthetic has."""
        width = self.schema[self.scenario.target].n_codes
        codes, _ = _coded(synthetic, self.schema, self.scenario)
        target = self.cells % width
        start = self.cells - target
        ends = [start + self.low[target], start + self.high[target] + 1, start, start + width]
        if self.radix <= min(max(8 * codes.size, 1 << 16), counting.DENSE_CELLS):
            counts = np.zeros(self.radix + 1, dtype=np.int32)
            counting.count_into(codes, counts[1:])
            before = np.cumsum(counts)
            a, b, c, d = (before[e] for e in ends)
        else:
            codes.sort()
            a, b, c, d = (np.searchsorted(codes, e) for e in ends)
        with np.errstate(invalid="ignore"):
            found = (b - a + self.smoothing * self.shares[target]) / (d - c + self.smoothing)
        return found[self.of_row]


def windows(target: Variable, tolerance: float) -> tuple[Codes, Codes]:
    """For every code of a variable the first and the last code within the tolerance; of texts, itself alone."""
    low = np.arange(target.n_codes)
    high = low.copy()
    if tolerance and target.kind == "numeric":
        values = target.numbers[: target.n_values]
        # A tolerance of 0.1 must hold between 0.3 and 0.4, whose difference is a little more.
        slack = tolerance * (1 + 1e-9)
        low[: target.n_values] = np.searchsorted(values, values - slack)
        high[: target.n_values] = np.searchsorted(values, values + slack, side="right") - 1
    return low, high


def _coded(table: Table, schema: Schema, scenario: Scenario) -> tuple[Codes, int]:
    """The cell of every row. The codes rest on the schema alone, so that tables seen later fit."""
    if table.schema is not schema and any(table.schema[n].n_codes != schema[n].n_codes for n in scenario.variables):
        raise MeasureError("the tables are on different schemas.", where="scores", hint="Align them first.")
    cards = [schema[n].n_codes for n in scenario.variables]
    radix = 1
    for card in cards:
        radix *= card
    if radix >= ROOM:
        raise MeasureError(
            f"{len(scenario.keys)} keys have more possible combinations than fit 64 bits.",
            where="scores",
            hint="Use fewer keys, or group the one with the most values.",
        )
    coding = KeyCoding(tuple(cards), (None,) * len(cards), radix)
    return coding.encode([table[n] for n in scenario.variables]), radix
