"""Whether those who were in the data can be told by what a model predicts of them: the model is fitted again to one
half of the people after the other, and everybody has scores from splits they were in and from splits they were not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from divulge.designs import RepeatedHalves
from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Mask

Refit = Callable[[Mask], Floats]
"""From those who are in, one score for everybody: the logarithm of the probability of what is true of them."""

RATES = (0.001, 0.01)
"""False positive rates at which attacks are compared (Carlini et al. 2022)."""


@dataclass(frozen=True, eq=False)
class _Membership:
    """auc: how often somebody in has the higher score than somebody out; 0.5 is chance. found: by false positive rate,
    the share of those in that are told. exposure: of each person, the mean score in less the mean score out."""

    splits: int
    auc: float
    found: dict[float, float]
    exposure: Floats

    def sentence(self) -> str:
        parts = [f"{100 * share:.2g} % at {100 * rate:g} % false alarms" for rate, share in self.found.items()]
        return f"Members are told from others with an AUC of {self.auc:.2f}: {' and '.join(parts)}."


def membership(refit: Refit, n_rows: int, splits: int = 10, seed: int = 1) -> _Membership:
    """The contrast over random halves, the same as of other outputs with this seed.

    A score is compared with what the same person scores in splits that they are not in, other than the one that is
    judged: so somebody who is easy to predict does not look like a member (Watson et al. 2022).
    """
    if splits < 4:
        raise OutputError(f"at least 4 splits are needed, {splits} are given.", where="splits")
    halves = RepeatedHalves(splits_wanted=splits).splits(n_rows, seed)
    inside = np.stack([split.rows()[0] for split in halves])
    scores = np.stack([refit(row) for row in inside])
    if scores.shape != inside.shape or not np.isfinite(scores).all():
        raise OutputError("a finite score of everybody is needed from each fit.")
    out = ~inside
    total, count = (scores * out).sum(axis=0), out.sum(axis=0)
    left = count - out
    usual = (total - scores * out) / np.maximum(left, 1)
    gap = (scores - usual)[left > 0]
    label = inside[left > 0]
    exposure = (scores * inside).sum(axis=0) / inside.sum(axis=0) - total / np.maximum(count, 1)
    return _Membership(splits, _auc(gap, label), {rate: _found(gap, label, rate) for rate in RATES}, exposure)


def _auc(gap: Floats, label: Mask) -> float:
    """The share of pairs of one in and one out in which the one in has more; ties are halves (Mann & Whitney 1947)."""
    _, place, counts = np.unique(gap, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2.0
    n_in, n_out = int(label.sum()), int((~label).sum())
    return float((ranks[place][label].sum() - n_in * (n_in + 1) / 2.0) / (n_in * n_out))


def _found(gap: Floats, label: Mask, rate: float) -> float:
    """The share of those in above the score that so many of those out reach."""
    others = np.sort(gap[~label])[::-1]
    allowed = int(rate * len(others))
    return float((gap[label] > others[min(allowed, len(others) - 1)]).mean())
