"""Residuals as linear functions of totals, and what the search aims at: a metric over them.

Everything here is arithmetic on arrays; which outputs there are is `objective`'s concern.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.changes import Goal, Metric, Slopes, discrepancy
from divulge.kernels.nearest_point import nearest_in_box

_MOVE_WEIGHT = 0.02
"""What one move is worth to a dense output. Far below what a cell of a crosstab is worth (4: a count off by one at a
half-unit of 0.5), so that tables are put right first, then kept while moves that leave them alone fit the estimates."""

_ACROSS = 100.0
"""How much longer a way is that no move goes than the shortest that some do, squared: enough for the nearest point to
lie where moves lead, and little enough to be found in so many sweeps."""

_IDLE = 1e-9
"""Share of its interval by which a move shifts a figure, at most, that nothing moves. Where it is about as printed, it
is what all rows together need for half the interval."""

_BOX_SWEEPS = 100
"""Sweeps of coordinate descent for the aim, at most; it is taken anew after every chunk of proposals."""


@dataclass(frozen=True, eq=False)
class View:
    """Residuals as linear functions of totals: residuals + jacobian · (totals − reference).

    jacobians: one for each output, (residuals, totals) or (totals,) where diagonal. `residuals` is changed in place by
    the search, which moves it along with the totals.
    """

    jacobians: tuple[Floats, ...]
    reference: Floats
    residuals: Floats
    goal: Goal
    total_start: Integers
    residual_start: Integers
    output_weights: tuple[float, ...]
    metric: Metric = field(init=False)

    def __post_init__(self) -> None:
        slopes = _Slopes(int(self.total_start[-1]))
        for o, jacobian in enumerate(self.jacobians):
            slopes.add(self._totals([o]), jacobian)
        object.__setattr__(self, "metric", Metric(slopes.joined(), self.goal))

    @property
    def n_residuals(self) -> int:
        return len(self.residuals)

    @property
    def has_dense(self) -> bool:
        """Whether some output's figures depend on more than one total each."""
        return any(jacobian.ndim == 2 for jacobian in self.jacobians)

    def discrepancy(self) -> float:
        return float(discrepancy(self.goal, self.residuals))

    def is_inside(self, n: int) -> bool:
        """Whether each of the first n residuals is in its interval (a little inside, see INSIDE)."""
        return bool(self._inside()[:n].all())

    def _inside(self) -> Mask:
        low, high = self.goal.low, self.goal.high
        slack = 1e-12 * np.maximum(np.abs(low), np.abs(high))
        with np.errstate(invalid="ignore"):
            slack = np.where(np.isfinite(slack), slack, 0.0)
        inside: Mask = (self.residuals >= low - slack) & (self.residuals <= high + slack)
        return inside

    def of_few(self, behind: Integers, most: float, n: int) -> Mask:
        """The totals of those of the first n residuals that are outside of their intervals and that few rows make.

        behind: how many rows are behind each total; most: of all totals of such a residual.
        """
        outside, found = ~self._inside(), np.zeros(len(self.reference), dtype=bool)
        for o, jacobian in enumerate(self.jacobians):
            totals = slice(self.total_start[o], self.total_start[o + 1])
            for k in np.flatnonzero(outside[self.residual_start[o] : min(self.residual_start[o + 1], n)]):
                moved = np.zeros(jacobian.shape[-1], dtype=bool)
                moved |= jacobian[k] != 0 if jacobian.ndim == 2 else np.arange(len(moved)) == k
                if behind[totals][moved].max(initial=0) <= most:
                    found[totals] |= moved
        return found

    def at(self, totals: Floats) -> View:
        """The same view moved to other totals."""
        moved = self.residuals.copy()
        for o, jacobian in enumerate(self.jacobians):
            change = (totals - self.reference)[self.total_start[o] : self.total_start[o + 1]]
            place = slice(self.residual_start[o], self.residual_start[o + 1])
            moved[place] += jacobian * change if jacobian.ndim == 1 else jacobian @ change
        return replace(self, residuals=moved, reference=totals.copy())

    def turns(self, shifts: Floats, n_rows: int) -> list[Turn | None]:
        """For each group C^(−1/2), with C the second moments of what these moves shift; None where none is turned.

        n_rows: how many rows can be moved.
        """
        found: list[Turn | None] = []
        for group in self._groups():
            rows = self._rows(group)
            # A withheld figure has no middle, and no room to be measured in.
            rows = rows[_is_closed(self.goal.part(rows))]
            goal = self.goal.part(rows)
            is_turned = self.jacobians[group[0]].ndim == 2 and len(rows) and len(shifts)
            width = goal.high - goal.low
            is_about = np.abs(self.residuals[rows] - (goal.low + goal.high) / 2) <= width
            room = width * np.where(is_about, 0.5 / n_rows, _IDLE)
            found.append(_whitening(shifts[:, rows], room) if is_turned else None)
        return found

    def in_moves(self, turns: list[Turn | None], n_outputs: int) -> _Aim:
        """The same with dense outputs measured in units of what moves do to them, jointly (`turns`).

        With C the second moments of the moves' shifts, z = C^(−1/2) · residuals makes moves equally long in every
        direction. Estimates are strongly correlated (a slope with its intercept, a model with the means of its
        groups): in units of standard errors one by one, greedy search leaves them a dozen moves from their goal with
        nowhere to go; in these units it gets there. The aim is the nearest point, in these units, at which every
        figure is as printed: figures that follow from each other disagree by their rounding, so that no data have
        them all in the middle of their intervals. Residuals with open intervals stay as they are. Outputs of different
        weight are measured apart, so that weights count.
        """
        slopes = _Slopes(int(self.total_start[-1]))
        residuals, goals, is_target = [], [], []
        for group, turn in zip(self._groups(), turns, strict=True):
            rows = self._rows(group)
            residual, goal, jacobian = self.residuals[rows], self.goal.part(rows), self._jacobian(group)
            if turn is not None:
                weight = self.output_weights[group[0]]
                residual, goal, jacobian = _turned(turn, residual, goal, jacobian, weight)
            slopes.add(self._totals(group), jacobian)
            residuals.append(residual)
            goals.append(goal)
            is_target.append(np.full(len(residual), group[0] < n_outputs))
        goal = Goal(*(np.concatenate(part) for part in zip(*goals, strict=True)))
        return _Aim(Metric(slopes.joined(), goal), np.concatenate(residuals), np.concatenate(is_target))

    def _groups(self) -> list[list[int]]:
        """Outputs that are measured together: dense ones, apart where they differ in weight; the others one by one."""
        dense = [o for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 2]
        same = len({self.output_weights[o] for o in dense}) == 1
        groups = [dense] if same else [[o] for o in dense]
        return groups + [[o] for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 1]

    def _rows(self, group: list[int]) -> Integers:
        """The residuals of a group."""
        return np.concatenate([np.arange(*self.residual_start[[o, o + 1]]) for o in group])

    def _totals(self, group: list[int]) -> Integers:
        return np.concatenate([np.arange(*self.total_start[[o, o + 1]]) for o in group])

    def _jacobian(self, group: list[int]) -> Floats:
        """The jacobian of a group: a diagonal one as it is, dense ones along the diagonal of one matrix."""
        parts = [self.jacobians[o] for o in group]
        if parts[0].ndim == 1:
            return parts[0]
        joint = np.zeros((sum(len(part) for part in parts), sum(part.shape[1] for part in parts)))
        down = right = 0
        for part in parts:
            joint[down : down + part.shape[0], right : right + part.shape[1]] = part
            down, right = down + part.shape[0], right + part.shape[1]
        return joint


@dataclass(frozen=True, eq=False)
class _Aim:
    """What single moves descend: a metric, the residuals that move along with the totals, and which are of outputs."""

    metric: Metric
    residuals: Floats
    is_target: Mask

    def discrepancy(self) -> float:
        """The discrepancy of the outputs alone: known marginals are kept on the way, and do not say how far the search
        is."""
        return float(discrepancy(self.metric.goal.part(self.is_target), self.residuals[self.is_target]))


class _Slopes:
    """Collects the slopes of outputs; their residuals follow each other."""

    def __init__(self, n_totals: int) -> None:
        self.first, self.size, self.start = np.zeros((3, n_totals), dtype=np.int64)
        self.slopes: list[Floats] = [np.zeros(0)]
        self.n_residuals = self.n_slopes = 0

    def add(self, totals: Integers, jacobian: Floats) -> None:
        """jacobian: (residuals, totals), or (totals,) where each total has one residual."""
        n, each = len(jacobian), np.arange(len(totals))
        is_dense = jacobian.ndim == 2
        self.first[totals] = self.n_residuals + (0 if is_dense else each)
        self.size[totals] = n if is_dense else 1
        self.start[totals] = self.n_slopes + (n * each if is_dense else each)
        self.slopes.append(np.ascontiguousarray(jacobian.T).ravel())
        self.n_residuals += n
        self.n_slopes += jacobian.size

    def joined(self) -> Slopes:
        return Slopes(self.first, self.size, self.start, np.concatenate(self.slopes))


def _is_closed(goal: Goal) -> Mask:
    """Which intervals have two ends."""
    return np.isfinite(goal.low) & np.isfinite(goal.high)


class Turn(NamedTuple):
    """What measures residuals in moves. ways: the directions in which moves go, each as long as they make it; distance:
    between two points, also across these directions, where it is long."""

    ways: Floats
    distance: Floats


def _turned(turn: Turn, residual: Floats, goal: Goal, jacobian: Floats, weight: float) -> tuple[Floats, Goal, Floats]:
    """(residuals, goal, jacobian) with closed intervals measured in moves from the nearest point that is as printed."""
    closed, n_ways = _is_closed(goal), len(turn.ways)
    open_, zero = goal.part(~closed), np.zeros(n_ways)
    aim = nearest_in_box(turn.distance, residual[closed], goal.low[closed], goal.high[closed], _BOX_SWEEPS)
    share = np.full(n_ways, _MOVE_WEIGHT * weight / max(n_ways, 1))
    turned = Goal(*(np.concatenate(parts) for parts in zip((share, zero, zero), open_, strict=True)))
    residual = np.concatenate([turn.ways @ (residual[closed] - aim), residual[~closed]])
    return residual, turned, np.vstack([turn.ways @ jacobian[closed], jacobian[~closed]])


def _whitening(shifts: Floats, room: Floats) -> Turn:
    """The directions in which these shifts (moves, residuals) go, all made equally long.

    Directions in which no move goes are left out: nothing can be done about them here. A point that lies that way is
    far, though: figures that follow from each other (a test and its p-value) are not brought together by taking one
    for the other, however wide its interval. room: residuals that moves shift by no more (a p-value of 10⁻⁹ printed as
    0.000) count as not moving: theirs would be the longest of all directions.
    """
    scale, n = shifts.std(axis=0), shifts.shape[1]
    moving = np.flatnonzero(scale > room)
    scale = scale[moving]
    # Where variables are left alone most figures do not move, and there is no need to look at them.
    scaled = (shifts if len(moving) == n else shifts[:, moving]) / scale
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    kept = values > 1e-8 * max(float(values.max(initial=0.0)), 1e-300)  # less is rounding
    own = (vectors[:, kept] / np.sqrt(values[kept])).T / scale
    across = vectors[:, ~kept].T / scale * np.sqrt(_ACROSS / values[kept].min(initial=np.inf))
    ways, distance = np.zeros((len(own), n)), np.zeros((n, n))
    ways[:, moving], distance[np.ix_(moving, moving)] = own, own.T @ own + across.T @ across
    return Turn(ways, distance)
