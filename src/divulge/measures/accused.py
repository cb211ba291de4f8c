"""What scores say of membership: how often people of the data score higher, who is accused rightly, and which ε that
refutes.
"""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.audited import audit_pairs
from divulge.measures.epsilon import Roc
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Measure
from divulge.measures.figures import share
from divulge.measures.intervals import normal

_AT_RANDOM = "It holds where chance alone decided who was in the data and who was held out."


def epsilon_measure(prefix: str) -> Measure:
    """What the figure `…_epsilon` says."""
    return Measure(
        f"{prefix}_epsilon",
        "A lower bound on ε, by this attack: a claim of Gaussian noise with a smaller ε is refuted; 0 says that the "
        "attack found nothing.",
        "Mahloujifar et al. 2024",
        is_share=False,
    )


def accused(
    prefix: str, inside: Floats, outside: Floats, false_positives: float, rng: np.random.Generator
) -> dict[str, Estimate]:
    """The figures `…_AUC`, `…_TPR` and `…_epsilon` from the scores of people who were in, and of people who were not.

    rng: pairs people for the audit of ε.
    """
    value, error = _area(inside, outside)
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
    refuted = _epsilon(prefix, inside, outside, rng)
    return {curve.name: curve, rightly.name: rightly, refuted.name: refuted}


def _epsilon(prefix: str, inside: Floats, outside: Floats, rng: np.random.Generator) -> Estimate:
    """Pairs of one person in and one out. Of such a pair a fair coin chose who was in, where the holdout was drawn."""
    n = min(len(inside), len(outside))
    ins, outs = (rng.permutation(scores)[:n] for scores in (inside, outside))
    # One person of each pair, so that the accused are independent too.
    kept = rng.random(n) < 0.5
    found = audit_pairs(ins - outs, ins[kept], outs[~kept])
    name, audit = f"{prefix}_epsilon", asdict(found)
    return Estimate(name, found.lower_bound, baseline=0.0, n=2 * n, details={"audit": audit}, caveats=(_AT_RANDOM,))


def _area(inside: Floats, outside: Floats) -> tuple[float, float]:
    """P(in > out) + ½ P(in = out), and its standard error (DeLong, DeLong and Clarke-Pearson 1988)."""
    from scipy.stats import rankdata  # imported where it is used: it takes longer than most commands

    n, m = len(inside), len(outside)
    ranks = rankdata(np.concatenate([inside, outside]))
    # How many of the others each person exceeds, ties counted as one half.
    over = (ranks[:n] - rankdata(inside)) / m
    under = 1 - (ranks[n:] - rankdata(outside)) / n
    error = math.sqrt(over.var(ddof=1) / n + under.var(ddof=1) / m) if min(n, m) > 1 else math.nan
    return float(over.mean()), error
