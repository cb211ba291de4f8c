"""Crossover of whole rows: a child is the chosen rows of one parent followed by the other rows of the other.

Rows keep no positions. Where a child kept them aligned, crossover would stop mixing after a few generations, because
the population would agree row by row (design: "Crossover must forget row positions").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels import evolution
from divulge.kernels.arrays import Codes, Floats
from divulge.kernels.randomness import next_uniform
from divulge.outputs.lowering.lowered import Program


def cross(
    program: Program,
    parents: tuple[Codes, Codes],
    parent_totals: tuple[Floats, Floats],
    children: tuple[Codes, Codes],
    child_totals: tuple[Floats, Floats],
    share: float,
    row_share: float,
    stream: NDArray[np.uint64],
) -> int:
    """Fill two children and their totals; return how many rows were exchanged.

    share: how often parents are crossed at all; otherwise children are their copies. row_share: how likely each row is
    to be chosen. Child 1 has the chosen rows of parent 1 and the others of parent 2, child 2 the reverse.
    """
    if not next_uniform(stream) < share:
        for source, target in ((parents, children), (parent_totals, child_totals)):
            for mine, theirs in zip(source, target, strict=True):
                theirs[:] = mine
        return 0
    n_rows = len(parents[0])
    room = np.empty(n_rows, dtype=np.int64)
    chosen = room[: evolution.choose_rows(stream, evolution.jump_scale(row_share), n_rows, room)]
    evolution.cross(parents[0], parents[1], chosen, children[0])
    evolution.cross(parents[1], parents[0], chosen, children[1])
    exchanged = np.zeros(program.n_totals)
    for codes, sign in zip(parents, (1.0, -1.0), strict=True):
        evolution.add_rows(program.blocks(), program.n_blocks, codes, chosen, sign, exchanged)
    child_totals[0][:] = parent_totals[1] + exchanged
    child_totals[1][:] = parent_totals[0] - exchanged
    return len(chosen)
