"""What a synthesiser is given: lowered outputs over a schema, weights, and the marginals that the scenario grants.

No table of original data is here, nor can one be: the fields are outputs' additive forms, a schema and distributions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from divulge.errors import EmbedError
from divulge.kernels import search
from divulge.kernels.box import nearest_in_box
from divulge.kernels.randomness import alias_table
from divulge.kernels.rules import Rules
from divulge.outputs import Output, Released
from divulge.outputs.heads import ShareHead
from divulge.outputs.lowered import Block, DiagonalHead, Lowered, Program, Term, pack
from divulge.table import Schema, Table
from divulge.table.conditions import Atom, Node

Floats = NDArray[np.float64]

MOVE_WEIGHT = 0.02
"""What one move is worth to a dense output. Far below what a cell of a crosstab is worth (4: a count off by one at a
half-unit of 0.5), so that tables are put right first, then kept while moves that leave them alone fit the estimates."""

BOX_SWEEPS = 100
"""Sweeps of coordinate descent for the aim, at most; it is taken anew after every chunk of proposals."""

INSIDE = 0.8
"""Share of a published interval that the search aims for: linearised figures must still round as printed exactly."""


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
    total_start: NDArray[np.int64]
    residual_start: NDArray[np.int64]
    output_weights: tuple[float, ...]
    metric: search.Metric = field(init=False)

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
        metric = search.Metric(
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
        return float(search.discrepancy(self.weight, self.low, self.high, self.residuals))

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

    def in_moves(self, shifts: Floats, n_outputs: int) -> Aim:
        """The same with dense outputs measured in units of what moves do to them, jointly.

        With C the second moments of the moves' shifts, z = C^(−1/2) · residuals makes moves equally long in every
        direction. Estimates are strongly correlated (a slope with its intercept, a model with the means of its
        groups): in units of standard errors one by one, greedy search leaves them a dozen moves from their goal with
        nowhere to go; in these units it gets there. The aim is the nearest point, in these units, at which every
        figure is as printed: figures that follow from each other disagree by their rounding, so that no data have
        them all in the middle of their intervals. Residuals with open intervals stay as they are. Outputs of different
        weight are measured apart, so that weights count.
        """
        dense = [o for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 2]
        same = len({self.output_weights[o] for o in dense}) == 1
        groups = [dense] if same else [[o] for o in dense]
        groups += [[o] for o, jacobian in enumerate(self.jacobians) if jacobian.ndim == 1]
        n_totals = int(self.total_start[-1])
        first, size, place = (np.zeros(n_totals, dtype=np.int64) for _ in range(3))
        slopes: list[Floats] = []
        parts: list[tuple[Floats, Floats, Floats, Floats]] = []
        is_target: list[NDArray[np.bool_]] = []
        n_residuals = n_slopes = 0
        for group in groups:
            columns = np.concatenate([np.arange(*self.total_start[[o, o + 1]]) for o in group])
            rows = np.concatenate([np.arange(*self.residual_start[[o, o + 1]]) for o in group])
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
                if closed.any() and len(shifts):
                    turn = _whitening(shifts[:, rows[closed]])
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
        metric = search.Metric(first, size, place, np.concatenate(slopes), weights, lows, highs)
        return Aim(metric, residuals, np.concatenate(is_target))


@dataclass(frozen=True, eq=False)
class Aim:
    """What single moves descend: a metric, the residuals that move along with the totals, and which are of outputs."""

    metric: search.Metric
    residuals: Floats
    is_target: NDArray[np.bool_]

    def discrepancy(self) -> float:
        """Of the outputs; known marginals are kept on the way, but how far the search is, the outputs say."""
        of = self.is_target
        weight, low, high = self.metric.weight[of], self.metric.low[of], self.metric.high[of]
        return float(search.discrepancy(weight, low, high, self.residuals[of]))


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


@dataclass(frozen=True, eq=False)
class Target:
    """An output with its released figures."""

    output: Output
    released: Released


@dataclass(frozen=True, eq=False)
class Objective:
    """Outputs to reproduce, together: Σ over outputs of weight · Σ (residual outside its interval / unit)².

    marginals: how each variable's codes are distributed as far as the intruder knows: a probability for every code.
    known: the variables whose marginal the intruder really has, and so keeps to: within what drawing n rows from it
        gives, it costs nothing, and beyond that as much as a crosstab that is wrong.
    n_rows: how many rows the known marginals are of; needed where there are any.
    Outputs that do not lower (`custom`) are in `targets` alone: only the evolutionary synthesiser can use them.
    """

    schema: Schema
    targets: tuple[Target, ...]
    marginals: Mapping[str, Floats]
    known: tuple[str, ...] = ()
    n_rows: int = 0
    lowered: tuple[Lowered, ...] = field(init=False)
    weights: tuple[float, ...] = field(init=False)
    program: Program = field(init=False)
    n_lowered_targets: int = field(init=False)

    def __post_init__(self) -> None:
        self.schema.check_closed()
        empty = [v.name for v in self.schema if not np.any(self.marginals[v.name] > 0)]
        if empty:
            raise EmbedError(
                f"no value of {', '.join(map(repr, empty))} has any probability.",
                hint="Give the variable possible values in the schema, and frequencies that are not all 0.",
            )
        lowering = [t for t in self.targets if t.output.can_lower]
        informed = self._informed()
        outputs = tuple(t.output.lower(informed, t.released) for t in lowering)
        used = {name for output in outputs for name in output.variables}
        held = tuple(self._lowered_marginal(name) for name in self.known if name in used)
        object.__setattr__(self, "lowered", (*outputs, *held))
        object.__setattr__(self, "weights", (*(t.output.weight for t in lowering), *(1.0 for _ in held)))
        object.__setattr__(self, "n_lowered_targets", len(outputs))
        object.__setattr__(self, "program", pack(self.lowered, self.schema))

    def of_outputs(self) -> Objective:
        """The same outputs, lowered alike, without the known marginals as something to reproduce."""
        found, n = copy(self), self.n_lowered_targets
        object.__setattr__(found, "lowered", self.lowered[:n])
        object.__setattr__(found, "weights", self.weights[:n])
        object.__setattr__(found, "program", pack(found.lowered, self.schema))
        return found

    def _informed(self) -> Schema:
        """The schema with the known marginals as its frequencies: where splines have their knots follows from them."""
        schema = self.schema
        for name in self.known:
            counts = np.round(self.n_rows * np.asarray(self.marginals[name])).astype(np.int64)
            schema = schema.with_variable(replace(schema[name], frequencies=counts))
        return schema

    def _lowered_marginal(self, name: str) -> Lowered:
        """A known marginal as counts: free within two standard deviations of drawing the rows from it."""
        share = np.asarray(self.marginals[name], dtype=float)
        share = share / share.sum()
        half = np.maximum(0.5, 2.0 * np.sqrt(self.n_rows * share * (1 - share)))
        n = len(share)
        block = Block((Term.cross([name], [np.arange(n)]),), n)
        return Lowered((block,), self.n_rows * share, DiagonalHead(np.ones(n)), -half, half, np.full(n, 0.5))

    @property
    def n_target_residuals(self) -> int:
        """How many residuals are figures of outputs; those of known marginals follow them."""
        return int(self.residual_start[self.n_lowered_targets])

    @property
    def total_start(self) -> NDArray[np.int64]:
        return np.cumsum([0, *(o.n_totals for o in self.lowered)])

    @property
    def residual_start(self) -> NDArray[np.int64]:
        return np.cumsum([0, *(o.n_residuals for o in self.lowered)])

    @property
    def constants(self) -> Floats:
        return np.concatenate([np.zeros(0), *(o.constants for o in self.lowered)])

    def table(self, codes: NDArray[np.unsignedinteger]) -> Table:
        """(rows, variables) codes as a table."""
        return Table(self.schema, tuple(np.ascontiguousarray(codes[:, j]) for j in range(codes.shape[1])))

    def variables(self) -> tuple[str, ...]:
        """Variables that some output looks at, in schema order."""
        used = {name for o in self.lowered for name in o.variables}
        return tuple(n for n in self.schema.names if n in used)

    def totals(self, codes: NDArray[np.unsignedinteger]) -> Floats:
        """Centred totals of (rows, variables) codes."""
        return self.program.totals(codes) - self.constants

    def linearise(self, totals: Floats, table: Table, units: Sequence[Floats] | None = None) -> View:
        """Residuals as linear functions of the totals near this table. units replaces the outputs' own units."""
        starts, residual_start = self.total_start, self.residual_start
        residuals, jacobians, weight = [], [], []
        for o, output in enumerate(self.lowered):
            residual, jacobian = output.head.linearise(totals[starts[o] : starts[o + 1]], table)
            residuals.append(residual)
            jacobians.append(jacobian)
            unit = output.unit if units is None else units[o]
            weight.append(self.weights[o] / np.maximum(unit, 1e-300) ** 2)  # a unit of 0 asks for exactness
        low = np.concatenate([np.zeros(0), *(o.low for o in self.lowered)])
        high = np.concatenate([np.zeros(0), *(o.high for o in self.lowered)])
        # An open end (an inequality) has no middle; it stays where it is.
        closed = np.isfinite(low) & np.isfinite(high)
        middle, half = np.zeros(len(low)), np.zeros(len(low))
        middle[closed] = (low[closed] + high[closed]) / 2
        half[closed] = (high[closed] - low[closed]) / 2 * INSIDE
        return View(
            tuple(jacobians),
            totals.copy(),
            np.concatenate([np.zeros(0), *residuals]),
            np.concatenate([np.zeros(0), *weight]),
            np.where(closed, middle - half, low),
            np.where(closed, middle + half, high),
            starts,
            residual_start,
            self.weights,
        )

    def moves(self, swap_share: float, step_share: float) -> search.Moves:
        """Which cells may change and to what: every variable that an output looks at and that has two codes or more."""
        schema = self.schema
        blocks: list[list[int]] = [[] for _ in schema]
        for b, positions in enumerate(self.program.block_variables):
            for position in positions:
                blocks[position].append(b)
        blocks.append(list(range(self.program.n_blocks)))
        thresholds, aliases = [], []
        for variable in schema:
            threshold, alias = alias_table(self.marginals[variable.name])
            thresholds.append(threshold)
            aliases.append(alias)
        used = set(self.variables())
        movable = [
            i
            for i, v in enumerate(schema)
            if v.name in used and np.count_nonzero(self.marginals[v.name]) > 1 and len(blocks[i])
        ]
        movable_in = [[v for v in positions if v in movable] for positions in self.program.block_variables]
        share = np.full(len(movable), 1.0 / max(len(movable), 1))
        return search.Moves(
            variables=np.array(movable, dtype=np.int64),
            cumulative=np.append(np.cumsum(share)[:-1], 2.0),
            n_codes=np.array([v.n_codes for v in schema], dtype=np.int64),
            n_values=np.array([v.n_values for v in schema], dtype=np.int64),
            is_numeric=np.array([v.kind == "numeric" for v in schema], dtype=np.bool_),
            threshold=np.concatenate(thresholds),
            alias=np.concatenate(aliases),
            alias_start=np.cumsum([0, *(v.n_codes for v in schema)])[:-1].astype(np.int64),
            block_start=np.cumsum([0, *(len(b) for b in blocks)]).astype(np.int64),
            blocks=np.array([b for part in blocks for b in part], dtype=np.int64),
            total_block=self._total_blocks(),
            block_variable_start=np.cumsum([0, *(len(m) for m in movable_in)]).astype(np.int64),
            block_variables=np.array([v for part in movable_in for v in part], dtype=np.int64),
            swap_share=swap_share,
            step_share=step_share,
        )

    def _total_blocks(self) -> NDArray[np.int64]:
        """For every total that is a count of rows and a figure of its own, its block; −1 for the others."""
        found, number = [], 0
        for output in self.lowered:
            for block in output.blocks:
                counts = block.link is None and isinstance(output.head, DiagonalHead | ShareHead)
                found.append(np.full(block.n_totals, number if counts else -1))
                number += 1
        return np.concatenate([np.zeros(0), *found]).astype(np.int64)

    def scratch(self) -> search.Scratch:
        """Working memory for one search."""
        n_totals, n_residuals = int(self.total_start[-1]), int(self.residual_start[-1])
        return search.Scratch(
            delta=np.zeros(n_totals),
            mark=np.zeros(n_totals, dtype=np.int64),
            touched=np.zeros(n_totals, dtype=np.int64),
            shift=np.zeros(n_residuals),
            shift_mark=np.zeros(n_residuals, dtype=np.int64),
            shifted=np.zeros(n_residuals, dtype=np.int64),
            shifted_size=np.zeros(n_residuals, dtype=np.int64),
            indices=np.zeros(self.program.longest, dtype=np.int64),
            values=np.zeros(self.program.longest),
            crowded=np.zeros(n_totals, dtype=np.int64),
        )

    def rules(self) -> Rules:
        """The schema's edit rules as postfix programs."""
        start, operation, variable = [0], [], []
        lookups: list[NDArray[np.int8]] = []
        for rule in self.schema.parsed_rules():
            for op, var, lookup in _postfix(rule.node, self.schema):
                operation.append(op if lookup is None else sum(map(len, lookups)))
                variable.append(var)
                if lookup is not None:
                    lookups.append(lookup)
            start.append(len(operation))
        return Rules(
            start=np.array(start, dtype=np.int64),
            operation=np.array(operation, dtype=np.int64),
            variable=np.array(variable, dtype=np.int64),
            lookup=np.concatenate([np.zeros(0, np.int8), *lookups]),
        )


def _postfix(node: Node, schema: Schema) -> list[tuple[int, int, NDArray[np.int8] | None]]:
    if isinstance(node, Atom):
        ranked = np.where(node.lookup < 0, 1, 2 * node.lookup).astype(np.int8)
        return [(0, schema.position(node.variable), ranked)]
    steps = [step for part in node.parts for step in _postfix(part, schema)]
    if node.word == "not":
        return [*steps, (-3, 0, None)]
    joined: list[tuple[int, int, NDArray[np.int8] | None]] = []
    for k, part in enumerate(node.parts):
        joined += _postfix(part, schema)
        if k:
            joined.append((-1 if node.word == "and" else -2, 0, None))
    return joined
