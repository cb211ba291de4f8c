"""ε of pairs of people, one of whom a fair coin put in the data: every bound, and the curve of accusations.

Whoever has scores of such pairs calls `audit_pairs`: the halves of an assessment, and attacks on a file with a holdout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.epsilon import DELTA, LEVEL, Roc, one_run, one_run_gaussian

_FEWEST_GUESSES = 20  # fewer right guesses refute next to nothing, and each further number is paid for

_FALSE_POSITIVES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Where the curve of right against wrong accusations is read; never where single people would show."""

_WORDS = (
    "A lower bound, by this attack: a better attack may show more, and 0 says that this one found nothing. "
    "What is computed without random noise has no finite ε."
)


@dataclass(frozen=True)
class Epsilon:
    """The audit of one attack.

    lower_bound: refuted for claims of Gaussian noise (the tighter audit). any_mechanism: refuted for every claim.
    if_independent: refuted for every claim and for claims of Gaussian noise, were each person a run of its own.
    pairs, guesses, right: pairs of people, those guessed at, and those guessed right, where the bound was largest.
    tpr: the share of people in who are accused, by the share of people out who are.
    """

    lower_bound: float
    any_mechanism: float
    if_independent: dict[str, float]
    delta: float
    level: float
    pairs: int
    guesses: int
    right: int
    tpr: dict[str, float]
    sentence: str = _WORDS


def audit_pairs(gaps: Floats, inside: Floats, outside: Floats, level: float = LEVEL, delta: float = DELTA) -> Epsilon:
    """gaps: of every pair the score of who was in less that of who was out. The surest pairs are guessed at.

    How many are guessed at is tried in powers of two, and paid for. Ties in sureness are guessed at together, so that
    the choice rests on scores and never on who was in.
    """
    sure = np.sort(np.abs(gaps))[::-1]
    told = int((sure > 0).sum())
    sizes = []
    size = told
    while size >= _FEWEST_GUESSES:
        sizes.append(int((sure >= sure[size - 1]).sum()))
        size //= 2
    m, best, anyhow, at = len(gaps), 0.0, 0.0, (0, 0)
    for guesses in dict.fromkeys(sizes):
        right = int((gaps >= sure[guesses - 1]).sum())
        share = level / len(sizes)
        bound = one_run_gaussian(m, guesses, right, share, delta, best)
        if bound > best:
            best, at = bound, (guesses, right)
        anyhow = one_run(m, guesses, right, share, delta, anyhow)
    roc = Roc.of(inside, outside) if len(inside) and len(outside) else None
    # A share of wrong accusations below ten people says nothing.
    shown = [f for f in _FALSE_POSITIVES if roc is not None and f * roc.n_out >= 10]
    tpr = {f"{f:g}": roc.tpr_at(f) for f in shown if roc is not None}
    return Epsilon(best, anyhow, _if_independent(roc, level, delta), delta, 1 - level, m, *at, tpr)


def _if_independent(roc: Roc | None, level: float, delta: float) -> dict[str, float]:
    """The bounds from shares of accused people, which take each person's score to be a run of its own."""
    if roc is None:
        return {}
    return {"clopper_pearson": roc.clopper_pearson(level, delta), "gaussian": roc.gaussian(level, delta)}
