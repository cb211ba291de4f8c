"""Residuals as linear functions of totals, and what the search aims at: a metric over them.

Everything here is arithmetic on arrays; which outputs there are is `objective`'s concern.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.changes import Metric, discrepancy
from divulge.kernels.nearest_point import nearest_in_box

MOVE_WEIGHT = 0.02
"""What one move is worth to a dense output. Far below what a cell of a crosstab is worth (4: a count off by one at a
half-unit of 0.5), so that tables are put right first, then kept while moves that leave them alone fit the estimates."""

BOX_SWEEPS = 100
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
    weight: Floats
    low: Floats
    high: Floats
    total_start: Integers
    residual_start: Integers
    output_weights: tuple[float, ...]
    metric: Metric = field(init=False)

    def __post_init__(self) -> None:
        first, size, place, filled = [], [], [], 0
        for o, jacobian in enumerate(self.jacobians):
            n = int(self.total_start[o + 1] - self.total_start[o])
            if jacobian.ndim == 1:
                first.append(self.residual_start[o] + np.arange(n))
                size.append(np.ones(n))
                place.append(filled + np.arange(n))
            else:
                first.append(np.full(n, self.residual_start[o]))
                size.append(np.full(n, len(jacobian)))
                place.append(filled + len(jacobian) * np.arange(n))
            filled += jacobian.size
        metric = Metric(
            first_residual=np.concatenate([np.zeros(0), *first]).astype(np.int64),
            n_residuals=np.concatenate([np.zeros(0), *size]).astype(np.int64),
            jacobian_start=np.concatenate([np.zeros(0), *place]).astype(np.int64),
            jacobian=np.concatenate([np.zeros(0), *(np.ascontiguousarray(j.T).ravel() for j in self.jacobians)]),
            weight=self.weight,
            low=self.low,
            high=self.high,
        )
        object.__setattr__(self, "metric", metric)

    @property
    def n_residuals(self) -> int:
        return len(self.residuals)

    @property
    def has_dense(self) -> bool:
        """Whether some output's figures depend on more than one total each."""
        return any(jacobian.ndim == 2 for jacobian in self.jacobians)

    def discrepancy(self) -> float:
        return float(discrepancy(self.weight, self.low, self.high, self.residuals))

    def is_inside(self, n: int) -> bool:
        """Whether each of the first n residuals is in its interval (a little inside, see INSIDE)."""
        slack = 1e-12 * np.maximum(np.abs(self.low), np.abs(self.high))
        with np.errstate(invalid="ignore"):
            slack = np.where(np.isfinite(slack), slack, 0.0)
        inside = (self.residuals >= self.low - slack) & (self.residuals <= self.high + slack)
        return bool(inside[:n].all())

    def at(self, totals: Floats) -> View:
        """The same view moved to other totals."""
        moved = self.residuals.copy()
        for o, jacobian in enumerate(self.jacobians):
            change = (totals - self.reference)[self.total_start[o] : self.total_start[o + 1]]
            place = slice(self.residual_start[o], self.residual_start[o + 1])
            moved[place] += jacobian * change if jacobian.ndim == 1 else jacobian @ change
        return replace(self, residuals=moved, reference=totals.copy())

    def _groups(self) -> list[list[int]]:
        """Outputs that are measured together: dense ones, apart where they differ in weight; the others one by one."""
        dense = [o for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 2]
        same = len({self.output_weights[o] for o in dense}) == 1
        groups = [dense] if same else [[o] for o in dense]
        return groups + [[o] for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 1]

    def _rows(self, group: list[int]) -> Integers:
        return np.concatenate([np.arange(*self.residual_start[[o, o + 1]]) for o in group])

    def turns(self, shifts: Floats) -> list[Floats | None]:
        """For each group C^(−1/2), with C the second moments of what these moves shift; None where none is turned."""
        found: list[Floats | None] = []
        for group in self._groups():
            rows = self._rows(group)
            closed = np.isfinite(self.low[rows]) & np.isfinite(self.high[rows])
            is_dense = self.jacobians[group[0]].ndim == 2
            found.append(_whitening(shifts[:, rows[closed]]) if is_dense and closed.any() and len(shifts) else None)
        return found

    def in_moves(self, turns: list[Floats | None], n_outputs: int) -> Aim:
        """The same with dense outputs measured in units of what moves do to them, jointly (`turns`).

        With C the second moments of the moves' shifts, z = C^(−1/2) · residuals makes moves equally long in every
        direction. Estimates are strongly correlated (a slope with its intercept, a model with the means of its
        groups): in units of standard errors one by one, greedy search leaves them a dozen moves from their goal with
        nowhere to go; in these units it gets there. The aim is the nearest point, in these units, at which every
        figure is as printed: figures that follow from each other disagree by their rounding, so that no data have
        them all in the middle of their intervals. Residuals with open intervals stay as they are. Outputs of different
        weight are measured apart, so that weights count.
        """
        n_totals = int(self.total_start[-1])
        first, size, place = (np.zeros(n_totals, dtype=np.int64) for _ in range(3))
        slopes: list[Floats] = []
        parts: list[tuple[Floats, Floats, Floats, Floats]] = []
        is_target: list[Mask] = []
        n_residuals = n_slopes = 0
        for group, turn in zip(self._groups(), turns, strict=True):
            columns = np.concatenate([np.arange(*self.total_start[[o, o + 1]]) for o in group])
            rows = self._rows(group)
            residual, weight, low, high = (x[rows] for x in (self.residuals, self.weight, self.low, self.high))
            if self.jacobians[group[0]].ndim == 1:
                jacobian = self.jacobians[group[0]]
                first[columns], size[columns] = n_residuals + np.arange(len(rows)), 1
                place[columns] = n_slopes + np.arange(len(rows))
                slopes.append(jacobian)
            else:
                jacobian = np.zeros((len(rows), len(columns)))
                down = right = 0
                for o in group:
                    own = self.jacobians[o]
                    jacobian[down : down + own.shape[0], right : right + own.shape[1]] = own
                    down, right = down + own.shape[0], right + own.shape[1]
                closed = np.isfinite(low) & np.isfinite(high)
                if turn is not None:
                    share = np.full(len(turn), MOVE_WEIGHT * self.output_weights[group[0]] / max(len(turn), 1))
                    aim = nearest_in_box(turn.T @ turn, residual[closed], low[closed], high[closed], BOX_SWEEPS)
                    zero = np.zeros(len(turn))
                    jacobian = np.vstack([turn @ jacobian[closed], jacobian[~closed]])
                    residual = np.concatenate([turn @ (residual[closed] - aim), residual[~closed]])
                    weight = np.concatenate([share, weight[~closed]])
                    low, high = np.concatenate([zero, low[~closed]]), np.concatenate([zero, high[~closed]])
                first[columns], size[columns] = n_residuals, len(residual)
                place[columns] = n_slopes + len(residual) * np.arange(len(columns))
                slopes.append(np.ascontiguousarray(jacobian.T).ravel())
            parts.append((residual, weight, low, high))
            is_target.append(np.full(len(residual), group[0] < n_outputs))
            n_residuals, n_slopes = n_residuals + len(residual), n_slopes + len(slopes[-1])
        residuals, weights, lows, highs = (np.concatenate([np.zeros(0), *x]) for x in zip(*parts, strict=True))
        metric = Metric(first, size, place, np.concatenate(slopes), weights, lows, highs)
        return Aim(metric, residuals, np.concatenate(is_target))


@dataclass(frozen=True, eq=False)
class Aim:
    """What single moves descend: a metric, the residuals that move along with the totals, and which are of outputs."""

    metric: Metric
    residuals: Floats
    is_target: Mask

    def discrepancy(self) -> float:
        """Of the outputs; known marginals are kept on the way, but how far the search is, the outputs say."""
        of = self.is_target
        weight, low, high = self.metric.weight[of], self.metric.low[of], self.metric.high[of]
        return float(discrepancy(weight, low, high, self.residuals[of]))


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
