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

import numpy as np

from divulge.assess.statistics.exposure import FINEST, ScoreSums
from divulge.designs import BLOCK, half_pairs
from divulge.kernels.arrays import Floats, Mask
from divulge.measures.audited import Epsilon, audit_pairs


def audit_halves(sums: ScoreSums, masks: Sequence[Mask], numbers: Sequence[int], seed: int) -> Epsilon | None:
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


def _freed(sums: ScoreSums, at: int, others: Mask) -> Floats:
    """Every row's score in one split less its mean in the others, or less the granted share where there are none."""
    steps = [sums.steps[i] for i in np.flatnonzero(others)]
    usual = np.mean(steps, axis=0) / FINEST if steps else sums.lookup.prior
    return (sums.steps[at] / FINEST - usual)[sums.lookup.cell_of_row]
