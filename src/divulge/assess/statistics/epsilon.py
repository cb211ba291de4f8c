"""ε beside a verdict: how well the scores of one scenario tell who was in, as a lower bound on any claimed ε.

Random halves pair the rows: of every pair one is in and the other out, by an independent fair coin. So a pair is the
unit of the audit, guessing which of the two was in, and *neighbours* differ by one person put in another's place. Rows
taken singly would not do: halves of a fixed size make their labels depend on each other.

One half of each block is used, since within a block the labels of a pair depend on each other; pairs are guessed at by
their scores less their mean scores in other blocks. All blocks together are one mechanism with independent coins, so
that the bounds of one run hold (Steinke, Nasr and Jagielski 2023; Mahloujifar et al. 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.assess.statistics.exposure import FINEST, Sums
from divulge.designs import BLOCK, half_pairs
from divulge.kernels.arrays import Floats, Mask
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
    """The audit of one scenario.

    lower_bound: refuted for claims of Gaussian noise (the tighter audit). any_mechanism: refuted for every claim.
    pairs, guesses, right: pairs of people, those guessed at, and those guessed right, where the bound was largest.
    tpr: the share of people in who are accused, by the share of people out who are.
    """

    lower_bound: float
    any_mechanism: float
    delta: float
    level: float
    pairs: int
    guesses: int
    right: int
    tpr: dict[str, float]
    sentence: str = _WORDS


def audit_halves(sums: Sums, masks: Sequence[Mask], numbers: Sequence[int], seed: int) -> Epsilon | None:
    """The audit of a scenario over its halves; None where there are none. numbers: of the splits, in their order."""
    gaps, inside, outside = [], [], []
    blocks = np.array(numbers) // BLOCK
    for block in np.unique(blocks).tolist():
        at = int(np.flatnonzero(blocks == block)[0])
        found = _freed(sums, at, blocks != block)
        first, second = half_pairs(len(found), seed, block)
        ins = masks[at][first]
        gaps.append(np.where(ins, 1.0, -1.0) * (found[first] - found[second]))
        # One person of each pair, so that the accused are independent too.
        inside.append(found[first][ins])
        outside.append(found[first][~ins])
    if not gaps:
        return None
    return audit_pairs(np.concatenate(gaps), np.concatenate(inside), np.concatenate(outside))


def _freed(sums: Sums, at: int, others: Mask) -> Floats:
    """Every row's score in one split less its mean in the others, or less the granted share where there are none."""
    steps = [sums.steps[i] for i in np.flatnonzero(others)]
    usual = np.mean(steps, axis=0) / FINEST if steps else sums.lookup.prior
    return (sums.steps[at] / FINEST - usual)[sums.lookup.cell_of_row]


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
    return Epsilon(best, anyhow, delta, 1 - level, m, *at, tpr)
