"""What scores say of membership: how often people of the data score higher than others, and who is accused rightly."""

from __future__ import annotations

import math

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.epsilon import Roc
from divulge.measures.estimate import Estimate
from divulge.measures.figures import share
from divulge.measures.intervals import normal


def accused(prefix: str, inside: Floats, outside: Floats, false_positives: float) -> dict[str, Estimate]:
    """The figures `…_AUC` and `…_TPR` from the scores of people who were in, and of people who were not."""
    value, error = area(inside, outside)
    n = len(inside)
    # Scores that many share are accused by lot, so that the share of false accusations is the one asked for.
    hits = Roc.of(inside, outside).tpr_at(false_positives) * n
    curve = Estimate(
        f"{prefix}_AUC",
        value,
        baseline=0.5,
        interval=normal(value, error),
        n=n + len(outside),
        details={"standard_error": error, "in": n, "out": len(outside)},
    )
    rightly = share(
        f"{prefix}_TPR",
        hits,
        n,
        "There are no people.",
        baseline=false_positives,
        details={"false_positives": false_positives, "out": len(outside)},
    )
    return {curve.name: curve, rightly.name: rightly}


def area(inside: Floats, outside: Floats) -> tuple[float, float]:
    """P(in > out) + ½ P(in = out), and its standard error (DeLong, DeLong and Clarke-Pearson 1988)."""
    from scipy.stats import rankdata  # imported where it is used: it takes longer than most commands

    n, m = len(inside), len(outside)
    ranks = rankdata(np.concatenate([inside, outside]))
    # How many of the others each person exceeds, ties counted as one half.
    over = (ranks[:n] - rankdata(inside)) / m
    under = 1 - (ranks[n:] - rankdata(outside)) / n
    error = math.sqrt(over.var(ddof=1) / n + under.var(ddof=1) / m) if min(n, m) > 1 else math.nan
    return float(over.mean()), error
