"""Measures over splits: their means for people in and out, and the difference with its interval.

Which people happen to be in moves a split's difference, but not the mean of a block, in which everybody is in as often
as out. A plain interval over splits would be too wide. Measures that are shares of people, known from the cell of each
person alone, are freed of it split by split; for all others the blocks, which are independent, take the splits' place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from divulge.assess.statistics.exposure import pair_inflation
from divulge.assess.statistics.intervals import Mean, mean_over
from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.parting import parted
from divulge.measures.estimate import calibrated
from divulge.scenario import Lookup, Matches

UNSEEN = 3.0
"""What n splits do not show happens in at most 3/n of all, with 95 % confidence (Hanley and Lippman-Hand 1983)."""


@dataclass(frozen=True)
class MeasureRisk:
    """One measure over the splits. anonymeter: (original − holdout)/(1 − holdout) (Giomi 2023)."""

    original: float
    holdout: float
    difference: Mean
    anonymeter: float
    baseline: float
    calibrated: float


def _cap(counts: Matches) -> Floats:
    return np.where(counts.matched > 0, counts.near / np.maximum(counts.matched, 1), 0.0)


def _right(counts: Matches) -> Floats:
    """Whether the synthetic rows with a cell's keys all have its target."""
    return (counts.certain & (counts.near > 0)).astype(float)


def _everybody(counts: Matches) -> Floats:
    return np.ones(len(counts.matched))


def _matched(counts: Matches) -> Floats:
    return (counts.matched > 0).astype(float)


def _certain(counts: Matches) -> Floats:
    return counts.certain.astype(float)


SHARES: Mapping[str, tuple[Callable[[Matches], Floats], Callable[[Matches], Floats]]] = {
    "TCAP": (_right, _certain),
    "TCAP_matched": (_right, _matched),
    "TCAP_zero": (_right, _everybody),
    "DCAP": (_cap, _everybody),
    "DCAP_matched": (_cap, _matched),
    "DiSCO": (_right, _everybody),
    "DiS": (_certain, _everybody),
    "iS": (_matched, _everybody),
}
"""Measures that are shares of people: what is summed over them, above and below (measures/ says what each means)."""


@dataclass
class Shares:
    """Running sums, by cell, of what each person adds to the measures of one scenario.

    asked: of the shares of people that are in a measure's denominator, one for each split.
    """

    lookup: Lookup
    n_people: Floats = field(init=False)
    above: dict[str, Floats] = field(init=False)
    below: dict[str, Floats] = field(init=False)
    asked: dict[str, float] = field(init=False)
    n_splits: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        n_cells = len(self.lookup.cells)
        self.n_people = np.bincount(self.lookup.cell_of_row, minlength=n_cells).astype(float)
        # Within a tolerance the counts are of targets near the person's own, and the measures ask for the very same.
        names = SHARES if self.lookup.tolerance is None else ()
        self.above = {name: np.zeros(n_cells) for name in names}
        self.below = {name: np.zeros(n_cells) for name in names}
        self.asked = dict.fromkeys(names, 0.0)
        self.n_splits = dict.fromkeys(names, 0)

    def add(self, counts: Matches) -> None:
        """One more split."""
        for name in self.above:
            above, below = (part(counts) for part in SHARES[name])
            share = float(self.n_people @ below / self.n_people.sum())
            if share > 0:
                self.above[name] += above / share
                self.below[name] += below / share
                self.asked[name] += share
                self.n_splits[name] += 1

    def shifts(self, name: str, masks: Sequence[Mask]) -> Floats:
        """What the difference of each split owes to who happened to be in.

        To first order a ratio Σa/Σb moves by Σ(a − r·b)/Σb with the people it is taken over.
        """
        ratio = float(self.n_people @ self.above[name] / (self.n_people @ self.below[name]))
        by_cell = (self.above[name] - ratio * self.below[name]) / self.n_splits[name]
        parts = (parted(by_cell, self.lookup.cell_of_row, mask) for mask in masks)
        return np.array([into.mean() - out.mean() for into, out in parts])

    def least_half_width(self, name: str) -> float:
        """How far an interval reaches at least: in splits that were not drawn, one person more or less may count.

        Without it, a difference that is the same in all splits would be called certain.
        """
        n = self.n_splits[name]
        people = self.asked[name] / n * self.n_people.sum() / 2
        return UNSEEN / n / max(people, 1.0)


def measure_risks(
    found: Sequence[Mapping[str, Any]],
    shares: Shares | None = None,
    masks: Sequence[Mask] = (),
    blocks: Sequence[int] = (),
) -> dict[str, MeasureRisk]:
    """Every measure over the splits. shares, masks, blocks: of repeated halves, in the order of the splits."""
    made: dict[str, MeasureRisk] = {}
    for name in found[0] if found else ():
        original = np.array([f[name].original for f in found])
        holdout = np.array([f[name].holdout for f in found])
        base = _mean([f[name].baseline for f in found])
        o, h = _mean(original), _mean(holdout)
        made[name] = MeasureRisk(
            o,
            h,
            _difference(name, original - holdout, shares, masks, blocks),
            (o - h) / (1 - h) if np.isfinite(o - h) and h < 1 else float("nan"),
            base,
            calibrated(o, base) if np.isfinite(base) else float("nan"),
        )
    return made


def _difference(name: str, values: Floats, shares: Shares | None, masks: Sequence[Mask], blocks: Sequence[int]) -> Mean:
    if shares is None:
        return mean_over(values)
    if shares.n_splits.get(name):
        mean = mean_over(values - shares.shifts(name, masks), _mean(values), pair_inflation(len(values)))
        least = shares.least_half_width(name)
        return replace(mean, low=min(mean.low, mean.value - least), high=max(mean.high, mean.value + least))
    numbers = np.asarray(blocks)
    if len(set(blocks)) < 2:
        return mean_over(values)
    return mean_over([_mean(values[numbers == b]) for b in dict.fromkeys(blocks)], _mean(values))


def _mean(values: Sequence[float] | Floats) -> float:
    v = np.asarray(values, dtype=float)
    v = v[np.isfinite(v)]
    return float(v.mean()) if len(v) else float("nan")
