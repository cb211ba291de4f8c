"""Secondary suppression: figures to withhold beside the primary ones, at the least cost that linear programs find.

Small tables are solved as one mixed integer program: for every primary figure a change of the cells that moves it by as
much as it needs, and whatever published figure a change moves has to be withheld (Fischetti & Salazar-González 2001).
Large ones primary by primary: the change of least cost, by linear programming (Kelly, Golden & Assad 1992). At the end
secondary figures that nobody needs are published again, the dearest first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from divulge.kernels.arrays import Floats, Mask

SMALL = 4_000
"""Primaries × figures up to which all primaries are solved at once."""

FEW_CHECKS = 4_000
"""Secondaries × primaries up to which it is tried to publish each secondary figure again."""

MOVED = 1e-6
"""A change below this is none: the solver's tolerance is a tenth of it."""


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures as sums of cells, with what withholding each costs.

    sums: (figures, cells). cells: what each holds. cost: of withholding each figure; ∞: it is public in any case.
    least, most: between which limits everybody knows each cell to be.
    """

    sums: sparse.csr_array
    cells: Floats
    cost: Floats
    least: Floats
    most: Floats


Move = tuple[int, float]
"""A primary figure, and by how much it must be able to be larger (or smaller, below zero)."""


def find_pattern(given: Figures, primary: Mask, up: Floats, down: Floats | None = None, seconds: float = 30.0) -> Mask:
    """Which figures to withhold. primary: those that must be; up, down: how far each of them must be able to move.

    Every primary figure can then be larger by `up` and smaller by `down`, as far as the published figures tell.
    """
    until = time.monotonic() + seconds
    moves = [(int(i), float(up[i])) for i in np.flatnonzero(primary & (up > 0))]
    if down is not None:
        moves += [(int(i), -float(down[i])) for i in np.flatnonzero(primary & (down > 0))]
    if len(moves) * given.sums.shape[0] <= SMALL:
        found = _all_at_once(given, primary, moves, seconds / 2)
        if found is not None:
            return found
    withheld = primary.copy()
    # The largest need first: what it opens serves the smaller ones.
    for move in sorted(moves, key=lambda m: -abs(m[1])):
        change = _cheapest_change(given, withheld, *move)
        if change is not None:
            withheld |= np.abs(change) > MOVED
    return _thinned(given, primary, withheld, moves, until)


def _cheapest_change(given: Figures, withheld: Mask, target: int, need: float) -> Floats | None:
    """The change of the figures, of least cost, with which a figure moves by what it needs; None: it cannot."""
    n_figures, n_cells = given.sums.shape
    public = ~np.isfinite(given.cost)
    cost = np.where(withheld | public, 0.0, given.cost)
    free = np.flatnonzero(~public & ~withheld)
    # Cells up, cells down, then the published figures' moves up and down.
    eye = sparse.csr_array((np.ones(len(free)), (free, np.arange(len(free)))), shape=(n_figures, len(free)))
    moves = sparse.hstack([given.sums, -given.sums, -eye, eye]).tocsr()
    tied = np.flatnonzero(~withheld)
    row = sparse.hstack([given.sums[[target]], -given.sums[[target]], sparse.csr_array((1, 2 * len(free)))])
    upper = np.concatenate([given.most - given.cells, given.cells - given.least, np.full(2 * len(free), np.inf)])
    # A little for every cell that moves, so that nothing moves in vain.
    charge = np.concatenate([np.full(2 * n_cells, 1e-6), cost[free], cost[free]])
    held = moves[tied[tied != target]] if target in tied else moves[tied]
    done = linprog(
        charge,
        A_eq=sparse.vstack([held, row]).tocsr(),
        b_eq=np.concatenate([np.zeros(held.shape[0]), [need]]),
        bounds=np.column_stack([np.zeros(len(upper)), upper]),
        method="highs",
    )
    if done.x is None:
        return None
    return np.asarray(given.sums @ (done.x[:n_cells] - done.x[n_cells : 2 * n_cells]))


def _can_move(given: Figures, withheld: Mask, target: int, need: float) -> bool:
    """Whether a figure can move by what it needs while every published figure stays."""
    tied = np.flatnonzero(~withheld)
    row = given.sums[[target]]
    done = linprog(
        np.zeros(given.sums.shape[1]),
        A_eq=sparse.vstack([given.sums[tied], row]).tocsr(),
        b_eq=np.concatenate([np.zeros(len(tied)), [need]]),
        bounds=np.column_stack([given.least - given.cells, given.most - given.cells]),
        method="highs",
    )
    return done.status == 0


def _thinned(given: Figures, primary: Mask, withheld: Mask, moves: Sequence[Move], until: float) -> Mask:
    """The pattern without secondary figures that can be published again with everything still protected."""
    found = withheld.copy()
    secondary = np.flatnonzero(withheld & ~primary)
    if len(secondary) * len(moves) > FEW_CHECKS:
        return found
    for figure in secondary[np.argsort(-given.cost[secondary], kind="stable")].tolist():
        if time.monotonic() > until:
            break
        found[figure] = False
        if not all(_can_move(given, found, *move) for move in moves):
            found[figure] = True
    return found


def _beyond(need: float) -> tuple[Floats, Floats]:
    """The ends of a move of at least so much, up or down."""
    return (np.array([need]), np.array([np.inf])) if need > 0 else (np.array([-np.inf]), np.array([need]))


def _all_at_once(given: Figures, primary: Mask, moves: Sequence[Move], seconds: float) -> Mask | None:
    """The cheapest pattern by one mixed integer program; None where it does not finish with one."""
    n_cells = given.sums.shape[1]
    if not moves:
        return primary.copy()
    choice = np.flatnonzero(~primary & np.isfinite(given.cost))
    public = np.flatnonzero(~np.isfinite(given.cost))
    n_choice, n_changes = len(choice), len(moves) * n_cells
    # For each move a change of the cells, then whether each choice is withheld.
    rows, low, high = [], [], []

    def add(block: sparse.csr_array, at: int, chosen: sparse.csr_array | None, ends: tuple[Floats, Floats]) -> None:
        before = sparse.csr_array((block.shape[0], at * n_cells))
        after = sparse.csr_array((block.shape[0], (len(moves) - at - 1) * n_cells))
        last = sparse.csr_array((block.shape[0], n_choice)) if chosen is None else chosen
        rows.append(sparse.hstack([before, block, after, last]))
        low.append(ends[0])
        high.append(ends[1])

    for i, (target, need) in enumerate(moves):
        reach = 2.0 * abs(need)  # further than a cycle through the table has to go
        each, free = sparse.eye_array(n_choice, format="csr") * reach, np.zeros(n_choice)
        add(given.sums[choice], i, -each, (np.full(n_choice, -np.inf), free))
        add(given.sums[choice], i, each, (free, np.full(n_choice, np.inf)))
        add(given.sums[public], i, None, (np.zeros(len(public)), np.zeros(len(public))))
        add(given.sums[[target]], i, None, _beyond(need))
    least = np.concatenate([*(given.least - given.cells for _ in moves), np.zeros(n_choice)])
    most = np.concatenate([*(given.most - given.cells for _ in moves), np.ones(n_choice)])
    done = milp(
        np.concatenate([np.zeros(n_changes), given.cost[choice]]),
        integrality=np.concatenate([np.zeros(n_changes), np.ones(n_choice)]),
        bounds=Bounds(least, most),
        constraints=LinearConstraint(sparse.csr_matrix(sparse.vstack(rows)), np.concatenate(low), np.concatenate(high)),
        options={"time_limit": max(seconds, 0.1)},
    )
    if done.x is None:
        return None
    found = primary.copy()
    found[choice] = done.x[n_changes:] > 0.5
    return found
