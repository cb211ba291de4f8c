"""Every solution of a question about sums, one slice of work after another; the proof is that nothing was left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from divulge.kernels.lattice import Walk, points_in_box
from divulge.lattice.reduced import Reduced
from divulge.lattice.sums import Ints, Longs

SLACK = 1e-6
"""Half units by which a solution may be off: whoever needs it exactly computes the figures anew."""


@dataclass
class Hunt:
    """An enumeration that can be stopped and gone on with (Schnorr & Euchner 1994; pruned as in Ritter 1996)."""

    reduced: Reduced
    aim: Longs
    nodes: int = 0
    is_over: bool = False
    _walk: Walk = field(init=False, repr=False)
    _near: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n, width = self.reduced.orthogonal.basis.shape
        levels = (np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n + 1), np.zeros((n + 1, width)))
        self._walk = Walk(np.array([-1]), *levels)
        self._near = self.reduced.nearest(self.aim)

    def go_on(self, nodes: int, most: int) -> Ints:
        """(solutions, numbers): those met in the next `nodes` nodes, at most `most` of them."""
        reduced = self.reduced
        n, width = reduced.orthogonal.basis.shape
        found = np.empty((most, width))
        target = reduced.target(self.aim, self._near)
        used, n_found = points_in_box(reduced.orthogonal, target, reduced.bounds, self._walk, nodes, found)
        self.nodes += used
        self.is_over = self._walk.level[0] == n
        numbers = reduced.numbers(found[:n_found], self._near)
        # The walk is generous by its slack; ranges are exact here.
        fits = ((numbers >= 0) & (numbers <= reduced.sums.spans)).all(axis=1)
        return numbers[fits]
