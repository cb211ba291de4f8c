"""Which rows are behind some totals: those that add to one of them. Of a figure of few people most rows are not."""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Codes, Integers, Mask
from divulge.kernels.compiling import borrowing
from divulge.kernels.lowering import Blocks, contribution


@borrowing
def _count(blocks, n_blocks, codes, counts):  # type: ignore[no-untyped-def]
    """Add to `counts` how many rows add to each total."""
    for i in range(codes.shape[0]):
        for b in range(n_blocks):
            for k in range(contribution(blocks, b, codes, i)):
                is_new = blocks.values[k] != 0.0
                for earlier in range(k):
                    is_new &= blocks.indices[earlier] != blocks.indices[k] or blocks.values[earlier] == 0.0
                if is_new:
                    counts[blocks.indices[k]] += 1


@borrowing
def _mark(blocks, n_blocks, codes, wanted, marked):  # type: ignore[no-untyped-def]
    """Mark the rows that add to a wanted total."""
    for i in range(codes.shape[0]):
        for b in range(n_blocks):
            for k in range(contribution(blocks, b, codes, i)):
                if wanted[blocks.indices[k]] and blocks.values[k] != 0.0:
                    marked[i] = True


def n_behind(blocks: Blocks, n_blocks: int, codes: Codes, n_totals: int) -> Integers:
    """How many rows add to each total of the first n blocks."""
    counts = np.zeros(n_totals, dtype=np.int64)
    _count(blocks, n_blocks, codes, counts)
    return counts


def rows_behind(blocks: Blocks, n_blocks: int, codes: Codes, wanted: Mask) -> Integers:
    """The rows that add to a wanted total of the first n blocks."""
    marked = np.zeros(len(codes), dtype=np.bool_)
    _mark(blocks, n_blocks, codes, wanted, marked)
    return np.flatnonzero(marked)
