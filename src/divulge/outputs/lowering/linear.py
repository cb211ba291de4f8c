"""What printed figures say of the rows, as linear inequalities: what an audit by arithmetic takes.

low ≤ combine · totals ≤ high, where totals are sums over rows (a block without a link).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.released.precision import Released


@dataclass(frozen=True, eq=False)
class Linear:
    """figure: the figure that each inequality comes from. is_figure: whether its middle part is the figure itself, so
    that bounds of it are bounds of the figure (a count: yes; a mean: no). summed: the variable whose values each total
    is a plain sum of; nothing where totals are counts or something else."""

    block: Block
    combine: sparse.csr_array
    low: Floats
    high: Floats
    figure: NDArray[np.int64]
    is_figure: bool
    summed: tuple[str, ...] = ()

    @classmethod
    def of_totals(cls, block: Block, released: Released, is_whole: bool, summed: tuple[str, ...] = ()) -> Linear:
        """Counts and sums: each total is a figure. is_whole: as whole numbers, so that 7 means 7 and not 6.5 to 7.5."""
        n = len(released.labels)
        low, high = released.whole() if is_whole else (released.low, released.high)
        return cls(block, sparse.eye_array(n, format="csr"), low, high, np.arange(n), True, summed)

    @classmethod
    def of_ratios(cls, block: Block, below: NDArray[np.int64], scale: float, released: Released) -> Linear:
        """Means and shares: figure i is scale · totals[i] ÷ totals[n + below[i]].

        Between low and high: scale · above − low · below ≥ 0, scale · above − high · below ≤ 0, and below ≥ 1 where
        there is a figure. Nothing is asked where none is given.
        """
        n = len(released.labels)
        given = np.flatnonzero(released.is_given)
        n_bases = block.n_totals - n
        rows, low, high, figure = [], [], [], []
        above = scale * sparse.eye_array(n, block.n_totals, format="csr")
        base = sparse.csr_array((np.ones(n), (np.arange(n), n + below)), shape=(n, n + n_bases))
        for bound, ends in ((released.low, (0.0, np.inf)), (released.high, (-np.inf, 0.0))):
            kept = given[np.isfinite(bound[given])]
            rows.append(above[kept] - sparse.diags_array(bound[kept]) @ base[kept])
            low.append(np.full(len(kept), ends[0]))
            high.append(np.full(len(kept), ends[1]))
            figure.append(kept)
        first = np.unique(below[given], return_index=True)[1]
        rows.append(base[given[first]])
        low.append(np.ones(len(first)))
        high.append(np.full(len(first), np.inf))
        figure.append(given[first])
        combine = sparse.csr_array(sparse.vstack(rows))
        return cls(block, combine, np.concatenate(low), np.concatenate(high), np.concatenate(figure), False)

    @classmethod
    def of_bounds(cls, lowered: Lowered, per_figure: int) -> Linear:
        """Where the lowered form itself is counts between bounds (extremes: nobody beyond, somebody at)."""
        n = lowered.n_totals
        low, high = lowered.low + lowered.constants, lowered.high + lowered.constants
        figure = np.arange(n) // per_figure
        return cls(lowered.blocks[0], sparse.eye_array(n, format="csr"), low, high, figure, False)
