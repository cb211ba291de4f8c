"""Running statistics over halves of condensed people whose scores come from expected numbers (fitting/).

People of one row are alike, so of each row only how many were in counts. Nothing is searched for, so the scores of a
split depend on who is in alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from divulge.assess.statistics.intervals import Mean, mean_over
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.scenario import Lookup
from divulge.table import Table


@dataclass
class ExpectedHalves:
    """What halves say of one look-up, by its cells. people: how many each cell has; inside: how many of each row were
    in, one entry a split; it is shared by all look-ups."""

    lookup: Lookup
    table: Table
    inside: list[Integers]
    people: Floats = field(init=False)
    sums: Floats = field(init=False)
    """Rows: scores, their squares, scores and people when in, scores and people when out."""
    contrasts: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        n_cells = len(self.lookup.cells)
        self.people = self.table.tally(self.lookup.cell_of_row, n_cells).astype(float)
        self.sums = np.zeros((6, n_cells))

    def add(self, scores: Floats, inside: Integers) -> None:
        """One more split. scores: of every cell; inside: how many people of each row were in."""
        n_in = self._by_cell(inside)
        n_out = self.people - n_in
        self.sums += (scores, scores * scores, scores * n_in, n_in, scores * n_out, n_out)
        self.contrasts.append(_contrast(scores, n_in, n_out))

    @property
    def n_splits(self) -> int:
        return len(self.contrasts)

    def exposures(self) -> Floats:
        """The mean score of a cell's people when in less that when out; 0 where they were never out, or never in."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.sums[2] / self.sums[3] - self.sums[4] / self.sums[5]
        return np.where(np.isfinite(found), found, 0.0)

    def can_exceed(self, delta: float) -> Mask:
        """Whose scores vary so much that their exposure may exceed δ: at most twice the standard deviation, where
        people are in for half of the splits (Cauchy–Schwarz). All who were never out, or never in, may."""
        n = max(self.n_splits, 1)
        variance = np.maximum(self.sums[1] / n - (self.sums[0] / n) ** 2, 0.0)
        untold = (self.sums[3] == 0) | (self.sums[5] == 0)
        found: Mask = (2 * np.sqrt(variance) * (1 + 1e-9) > delta) | untold
        return found

    def risk(self) -> Mean:
        """The marginal risk with its interval over splits.

        Each split's contrast is freed of who happened to be in, as row by row (statistics/exposure.py): scores are
        taken from their mean over splits, which has a share 1/n of the split itself in it.
        """
        n = self.n_splits
        value = float(self.people @ self.exposures() / self.people.sum())
        return mean_over(self.freed(), value, n / (n - 1) if n > 1 else 1.0)

    def freed(self) -> list[float]:
        """The contrast of every split, freed of who happened to be in."""
        means, found = self.sums[0] / max(self.n_splits, 1), []
        for contrast, inside in zip(self.contrasts, self.inside, strict=True):
            n_in = self._by_cell(inside)
            found.append(contrast - _contrast(means, n_in, self.people - n_in))
        return found

    def _by_cell(self, inside: Integers) -> Floats:
        return np.bincount(self.lookup.cell_of_row, inside, minlength=len(self.lookup.cells)).astype(np.float64)


def _contrast(scores: Floats, n_in: Floats, n_out: Floats) -> float:
    return float(scores @ n_in / n_in.sum() - scores @ n_out / n_out.sum())
