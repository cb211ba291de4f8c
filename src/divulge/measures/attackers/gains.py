"""From an attacker's guesses to who is at risk, and how sure that is (Templ et al., sections 2.2–2.5).

One shape for both kinds of target: scores of rows, a threshold, flags. Resampling and permuting reuse the guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Mask
from divulge.measures.estimate import Interval

_Rows = NDArray[np.integer]

ErrorKind = Literal["relative", "absolute", "normalised"]


class Inference(Protocol):
    """Guesses about people beside the truth."""

    @property
    def n_rows(self) -> int: ...

    def scores(self, rows: _Rows, pretended: _Rows | None = None) -> Floats:
        """The score of each of the rows; NaN where undefined. pretended: rows whose truth stands in for their own."""
        ...

    def flags(self, scores: Floats, threshold: float) -> Mask:
        """Who is at risk. An undefined score is not."""
        ...

    def is_right(self) -> Mask | None:
        """Whether the attacker's best guess is right, where that has a meaning."""
        ...

    def curve(self, thresholds: Sequence[float], counted: Mask | None = None) -> list[float]:
        """The share at risk at each threshold, among the rows that have a score. counted: who can be at risk at all."""
        scores = self.scores(np.arange(self.n_rows))
        return _shares(self, scores, thresholds, True if counted is None else counted)

    def bootstrap(
        self, threshold: float, n_resamples: int, rng: np.random.Generator, level: float = 0.95
    ) -> Interval | None:
        """Percentiles of the share at risk over resamples of people; the model is not refitted (Templ et al., 3.1)."""
        n = self.n_rows
        if not n or n_resamples < 2:
            return None
        shares = []
        for _ in range(n_resamples):
            scores = self.scores(rng.integers(0, n, n))
            known = int(np.isfinite(scores).sum())
            if known:
                shares.append(self.flags(scores, threshold).sum() / known)
        if not shares:
            return None
        low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2])
        return Interval(float(low), float(high), "bootstrap", level)

    def permutation_null(
        self,
        threshold: float,
        grid: Sequence[float],
        n_permutations: int,
        rng: np.random.Generator,
        level: float = 0.95,
    ) -> _Null | None:
        """Permute the truth among people, keep the guesses. grid: from the least to the most demanding threshold."""
        n = self.n_rows
        if not n or n_permutations < 1:
            return None
        rows = np.arange(n)
        scores = self.scores(rows)
        observed = np.array(_shares(self, scores, [threshold, *grid]))
        if np.isnan(observed[0]):
            return None
        found = np.array(
            [_shares(self, self.scores(rows, rng.permutation(n)), [threshold, *grid]) for _ in range(n_permutations)]
        )
        quantiles = np.quantile(found, level, axis=0)
        # Seen from the most demanding threshold downwards: as long as the observed share is above chance.
        chosen = float("nan")
        for t, share, bound in zip(reversed(grid), observed[:0:-1], quantiles[:0:-1], strict=True):
            if share > bound:
                chosen = float(t)
            elif share > 0:
                break
        at_least = int((found[:, 0] >= observed[0]).sum())
        return _Null((1 + at_least) / (1 + n_permutations), float(quantiles[0]), chosen, n_permutations)


@dataclass(frozen=True, eq=False)
class Classes(Inference):
    """probabilities: (rows, classes). truth: the class of each row."""

    probabilities: Floats
    truth: _Rows

    @property
    def n_rows(self) -> int:
        return len(self.truth)

    def scores(self, rows: _Rows, pretended: _Rows | None = None) -> Floats:
        """The normalised gain of each row, given the shares of the classes among these rows."""
        truth = self.truth[rows if pretended is None else pretended]
        shares = np.bincount(truth, minlength=self.probabilities.shape[1]) / max(len(truth), 1)
        return _gain(self.probabilities[rows, truth], shares[truth])

    def flags(self, scores: Floats, threshold: float) -> Mask:
        """r > τ."""
        return scores > threshold

    def is_right(self) -> Mask:
        """Whether the most probable class is the true one."""
        return self.probabilities.argmax(axis=1) == self.truth

    def by_class(self, flags: Mask, names: Sequence[str]) -> list[dict[str, Any]]:
        """For every class that somebody has: its share, and the share at risk within it."""
        counts = np.bincount(self.truth, minlength=len(names))
        hit = np.bincount(self.truth, weights=flags, minlength=len(names))
        return [
            {
                "level": names[c],
                "n": int(counts[c]),
                "at_risk": int(hit[c]),
                "share": float(hit[c] / counts[c]),
                "baseline": float(counts[c] / len(flags)),
            }
            for c in np.flatnonzero(counts).tolist()
        ]


@dataclass(frozen=True, eq=False)
class Numbers(Inference):
    """predicted, truth: one number a row. kind: how the error is measured."""

    predicted: Floats
    truth: Floats
    kind: ErrorKind

    @property
    def n_rows(self) -> int:
        return len(self.truth)

    def scores(self, rows: _Rows, pretended: _Rows | None = None) -> Floats:
        """The error of each row."""
        return _error(self.truth[rows if pretended is None else pretended], self.predicted[rows], self.kind)

    def flags(self, scores: Floats, threshold: float) -> Mask:
        """e < ε."""
        return scores < threshold

    def is_right(self) -> None:
        """A number is near or far, not right or wrong."""
        return


def _gain(g: Floats, b: Floats) -> Floats:
    """(g − b)/(1 − b), g the probability given to the true class and b the class's share (Templ et al., 2.2).

    NaN where b is 1: everybody has the same class, and nothing can be gained.
    """
    g, b = np.broadcast_arrays(np.asarray(g, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return np.divide(g - b, 1.0 - b, out=np.full(g.shape, np.nan), where=b < 1.0)


def _error(truth: Floats, predicted: Floats, kind: ErrorKind) -> Floats:
    """|y − ŷ|, divided by |y| (relative) or by the standard deviation of y (normalised) (Templ et al., 2.3).

    NaN where that is 0.
    """
    truth = np.asarray(truth, dtype=np.float64)
    distance = np.abs(truth - predicted)
    if kind == "absolute":
        return distance
    scale = np.abs(truth) if kind == "relative" else np.full(len(truth), truth.std() if truth.size else np.nan)
    return np.divide(distance, scale, out=np.full(distance.shape, np.nan), where=scale > 0)


def _shares(
    inference: Inference, scores: Floats, thresholds: Sequence[float], counted: Mask | bool = True
) -> list[float]:
    n = int(np.isfinite(scores).sum())
    return [float((inference.flags(scores, t) & counted).sum() / n) if n else float("nan") for t in thresholds]


@dataclass(frozen=True)
class _Null:
    """What the same guesses would give if they had nothing to do with the people (Templ et al., 2.5).

    p: the chance of a share at risk as large as the observed one. quantile: the null's 95th percentile.
    threshold: the least demanding threshold of the grid at which the observed share is above that percentile, from
        there on to the most demanding one at which anybody is at risk; NaN where there is none.
    """

    p: float
    quantile: float
    threshold: float
    n_permutations: int
