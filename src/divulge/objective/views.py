"""Residuals as linear functions of totals, and what the search aims at: a metric over them.

Everything here is arithmetic on arrays; which outputs there are is `objective`'s concern.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.changes import Goal, Metric, Slopes, discrepancy
from divulge.kernels.nearest_point import nearest_in_box

_MOVE_WEIGHT = 0.02
"""What one move is worth to a dense output. Far below what a cell of a crosstab is worth (4: a count off by one at a
half-unit of 0.5), so that tables are put right first, then kept while moves that leave them alone fit the estimates."""

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
        low, high = self.goal.low, self.goal.high
        slack = 1e-12 * np.maximum(np.abs(low), np.abs(high))
        with np.errstate(invalid="ignore"):
            slack = np.where(np.isfinite(slack), slack, 0.0)
        inside = (self.residuals >= low - slack) & (self.residuals <= high + slack)
        return bool(inside[:n].all())

    def at(self, totals: Floats) -> View:
        """The same view moved to other totals."""
        moved = self.residuals.copy()
        for o, jacobian in enumerate(self.jacobians):
            change = (totals - self.reference)[self.total_start[o] : self.total_start[o + 1]]
            place = slice(self.residual_start[o], self.residual_start[o + 1])
            moved[place] += jacobian * change if jacobian.ndim == 1 else jacobian @ change
        return replace(self, residuals=moved, reference=totals.copy())

    def turns(self, shifts: Floats) -> list[Floats | None]:
        """For each group C^(−1/2), with C the second moments of what these moves shift; None where none is turned."""
        found: list[Floats | None] = []
        for group in self._groups():
            rows = self._rows(group)
            closed = _is_closed(self.goal.part(rows))
            is_dense = self.jacobians[group[0]].ndim == 2
            found.append(_whitening(shifts[:, rows[closed]]) if is_dense and closed.any() and len(shifts) else None)
        return found

    def in_moves(self, turns: list[Floats | None], n_outputs: int) -> _Aim:
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
        """Of the outputs; known marginals are kept on the way, but how far the search is, the outputs say."""
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


def _turned(turn: Floats, residual: Floats, goal: Goal, jacobian: Floats, weight: float) -> tuple[Floats, Goal, Floats]:
    """(residuals, goal, jacobian) with closed intervals measured in moves from the nearest point that is as printed."""
    closed = _is_closed(goal)
    open_, zero = goal.part(~closed), np.zeros(len(turn))
    aim = nearest_in_box(turn.T @ turn, residual[closed], goal.low[closed], goal.high[closed], _BOX_SWEEPS)
    share = np.full(len(turn), _MOVE_WEIGHT * weight / max(len(turn), 1))
    turned = Goal(*(np.concatenate(parts) for parts in zip((share, zero, zero), open_, strict=True)))
    residual = np.concatenate([turn @ (residual[closed] - aim), residual[~closed]])
    return residual, turned, np.vstack([turn @ jacobian[closed], jacobian[~closed]])


def _whitening(shifts: Floats) -> Floats:
    """The matrix that makes these shifts (moves, residuals) equally long in every direction in which any goes.

    Directions in which no move goes are left out: nothing can be done about them here.
    """
    scale = shifts.std(axis=0)
    scale[scale == 0] = np.inf
    scaled = shifts / scale
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    kept = values > 1e-8 * max(float(values.max(initial=0.0)), 1e-300)  # less is rounding
    return (vectors[:, kept] / np.sqrt(values[kept])).T / scale
