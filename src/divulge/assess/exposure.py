"""Exposure: for every person, the score when in the data less the score when out, with its test; and its mean.

The labels in/out of a person are random by design, so under the hypothesis that being in does not change their score
the labels can be permuted (Fisher 1935). The statistic is the difference of means; its permutation distribution is
taken as normal with the permutation variance (Pitman 1937), and no p-value is below one over the number of
arrangements of labels. Scores are bounded and often take two values: a t test would call any constant difference
certain, and the true tail of a two-valued score is thinner than the normal's where p-values are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from divulge.assess.attacks import Counts, Floats, Lookup
from divulge.designs import BLOCK

Mask = NDArray[np.bool_]

SMALLEST_SPREAD = 1e-12
"""Sums of squares below this are rounding: the score never changed."""


@dataclass(frozen=True)
class Mean:
    """A mean over splits with its 95 % interval; `n` splits, `spread` their standard deviation."""

    value: float
    low: float
    high: float
    n: int
    spread: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def mean_over(values: Sequence[float] | Floats, centre: float | None = None, inflate: float = 1.0) -> Mean:
    """The mean of splits with Student's interval (plain; splits are draws of their own given the data)."""
    v = np.asarray(values, dtype=float)
    v = v[np.isfinite(v)]
    if not len(v):
        return Mean(float("nan"), float("nan"), float("nan"), 0, float("nan"))
    value = float(v.mean()) if centre is None else centre
    if len(v) < 2:
        return Mean(value, float("nan"), float("nan"), len(v), float("nan"))
    spread = float(v.std(ddof=1)) * inflate
    half = float(stdtrit(len(v) - 1, 0.975)) * spread / np.sqrt(len(v))
    return Mean(value, value - half, value + half, len(v), spread)


@dataclass
class Sums:
    """Running sums of one attack over splits: what exposure, tests and intervals need. Rows are people."""

    lookup: Lookup
    n_splits: int = 0
    inside: Floats = field(init=False)
    total: Floats = field(init=False)
    squares: Floats = field(init=False)
    n_inside: NDArray[np.int32] = field(init=False)
    contrasts: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.lookup.cell_of_row)
        self.inside, self.total, self.squares = np.zeros(n), np.zeros(n), np.zeros(n)
        self.n_inside = np.zeros(n, dtype=np.int32)

    def add(self, counts: Counts, inside: Mask) -> None:
        """One more split; always in the order of the splits, so that sums round alike however work was shared out."""
        scores = self.lookup.scores(counts)[self.lookup.cell_of_row]
        self.total += scores
        self.squares += scores * scores
        self.inside[inside] += scores[inside]
        self.n_inside += inside
        self.contrasts.append(float(scores[inside].mean() - scores[~inside].mean()))
        self.n_splits += 1

    def exposures(self) -> Floats:
        """Mean score when in less mean score when out, for every row."""
        k, n = self.n_inside, self.n_splits
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.inside / k - (self.total - self.inside) / (n - k)
        return np.where((k > 0) & (k < n), found, 0.0)

    def p_values(self, floor: float) -> Floats:
        """One-sided: would so large a difference come about by chance? Never below `floor`."""
        k, n = self.n_inside.astype(float), self.n_splits
        spread = np.maximum(self.squares - self.total**2 / max(n, 1), 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            z = self.exposures() / np.sqrt(spread / (n - 1) * n / (k * (n - k)))
        z = np.where((spread > SMALLEST_SPREAD) & np.isfinite(z), z, 0.0)
        return np.maximum(ndtr(-z), floor)

    def marginal_risk(self, masks: Sequence[Mask]) -> Mean:
        """The mean exposure with its interval over splits. masks: who was in, in the order of the splits.

        Which people happen to be in moves the contrast of a split, but not the mean over splits, in which everybody is
        in as often as out. So each split's contrast is freed of it before the spread is taken: every person's scores
        are taken from their own mean over splits. What is left depends on pairs of people being in together. Within a
        block of m splits the labels of one person have the correlation −1/(m − 1), so the products of two persons'
        labels have 1/(m − 1)², and the variance of their mean is m/(m − 1) times that of independent splits.
        """
        means = self.total / max(self.n_splits, 1)
        freed = [c - float(means[m].mean() - means[~m].mean()) for c, m in zip(self.contrasts, masks, strict=True)]
        size = min(BLOCK, max(self.n_splits, 2))
        return mean_over(freed, float(self.exposures().mean()), np.sqrt(size / (size - 1)))


def benjamini_hochberg(p: Floats, level: float) -> Mask:
    """Which hypotheses are rejected at this false discovery rate (Benjamini and Hochberg 1995)."""
    order = np.argsort(p, kind="stable")
    below = p[order] <= level * np.arange(1, len(p) + 1) / len(p)
    found = np.zeros(len(p), dtype=bool)
    if below.any():
        found[p <= p[order[np.flatnonzero(below)[-1]]]] = True
    return found


def exposed_rows(
    exposures: Sequence[Floats], p_values: Sequence[Floats], delta: float, level: float
) -> tuple[Mask, list[Mask]]:
    """Who is exposed at all, and under each attack: significant, and by more than δ.

    At all: the smallest p of the attacks times their number (Bonferroni), so that the rate of false discoveries is
    that of people, however many attacks there are. An attack under which somebody gains less than δ has no say.
    """
    each = [
        (e > delta) & benjamini_hochberg(p, level) if e.size else np.zeros(0, bool)
        for e, p in zip(exposures, p_values, strict=True)
    ]
    said = [np.where(e > delta, p, 1.0) for e, p in zip(exposures, p_values, strict=True)]
    least = np.minimum(np.min(said, axis=0) * len(said), 1.0)
    return benjamini_hochberg(least, level) & (least < 1.0), each
