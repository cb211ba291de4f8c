"""Changes of least cost that move one figure (Kelly, Golden & Assad 1992), and patterns without what none needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import sparse

from divulge.audit.program import Program
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.withholding.figures import Changes, Figures, Need

MOVED = 1e-6
"""Of the need: a change below this is none. The solver's tolerance is a thousandth of it."""

LITTLE = 1e-6
"""What a change costs that costs nothing, so that nothing moves in vain."""


class Paths:
    """Changes of least cost, over the same table again and again."""

    def __init__(self, given: Figures, changes: Changes) -> None:
        self._given, self._changes = given, changes
        n, matrix = changes.n_columns, changes.matrix
        zero = np.zeros(int(matrix.shape[0]))
        both = sparse.csr_array(sparse.hstack([matrix, -matrix]))
        # Every change is one upwards or one downwards.
        columns = np.zeros(2 * n), np.concatenate([changes.up, changes.down])
        self._program = Program(both, (zero, zero), columns)
        self._most = columns[1]
        self._columns = np.arange(2 * n)

    def close(self, figures: Integers) -> None:
        """These figures are published: they do not change any more."""
        self._hold(figures, is_open=False)

    def open(self, figures: Integers) -> None:
        """These figures may change again."""
        self._hold(figures, is_open=True)

    def find(self, need: Need, cost: Floats) -> Mask | None:
        """Which figures a change of least cost moves; None where no change gives what is needed."""
        n = self._changes.n_columns
        column = int(self._changes.column_of[need.figure])
        charge = np.where(self._changes.figure_of >= 0, cost[np.maximum(self._changes.figure_of, 0)], 0.0) + LITTLE
        charge = np.where(np.isfinite(charge), charge, 0.0)
        there, back = (column, n + column) if need.amount > 0 else (n + column, column)
        amount = abs(need.amount)
        self._program.hold(np.array([there, back]), np.array([amount, 0.0]), np.array([amount, 0.0]))
        found = self._program.minimise(self._columns, np.concatenate([charge, charge]))
        self._program.hold(np.array([there, back]), np.zeros(2), self._most[[there, back]])
        if found.outcome != "optimal" or found.at is None:
            return None
        moved = np.abs(found.at[:n] - found.at[n:]) > MOVED * amount
        used = np.zeros(self._given.n_figures, dtype=bool)
        used[self._changes.figure_of[moved & (self._changes.figure_of >= 0)]] = True
        return used

    def _hold(self, figures: Integers, is_open: bool) -> None:
        columns = self._changes.column_of[figures]
        columns = columns[columns >= 0]
        both = np.concatenate([columns, columns + self._changes.n_columns])
        self._program.hold(both, np.zeros(len(both)), self._most[both] if is_open else np.zeros(len(both)))


def thin(
    paths: Paths, given: Figures, primary: Mask, withheld: Mask, needs: Sequence[Need], is_late: Callable[[], bool]
) -> Mask:
    """The pattern without the figures that no need has to use, the dearest first; as it is where there is no time."""
    public = np.flatnonzero(~withheld)
    paths.close(public)
    cost = np.where(primary, 0.0, given.cost)
    used = np.zeros((len(needs), given.n_figures), dtype=bool)
    met = np.zeros(len(needs), dtype=bool)
    for i, need in enumerate(needs):
        if is_late():
            paths.open(public)
            return withheld
        path = paths.find(need, cost)
        if path is not None:
            used[i], met[i] = path, True
    found = withheld & (primary | used.any(axis=0))
    paths.close(np.flatnonzero(withheld & ~found))
    secondary = np.flatnonzero(found & ~primary)
    for figure in secondary[np.argsort(-given.cost[secondary], kind="stable")].tolist():
        if is_late():
            break
        if not found[figure]:
            continue
        paths.close(np.array([figure]))
        others: dict[int, Mask] = {}
        for i in np.flatnonzero(used[:, figure]).tolist():
            path = paths.find(needs[i], cost)
            if path is None:
                paths.open(np.array([figure]))
                break
            others[i] = path
        else:
            for i, path in others.items():
                used[i] = path
            left = found & (primary | used.any(axis=0))
            paths.close(np.flatnonzero(found & ~left))
            found = left
    paths.open(public)
    paths.open(np.flatnonzero(withheld & ~found))
    return found
