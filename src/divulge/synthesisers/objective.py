"""What a synthesiser is given: lowered outputs over a schema, weights, and the marginals that the scenario grants.

No table of original data is here, nor can one be: the fields are outputs' additive forms, a schema and distributions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divulge.kernels import search
from divulge.kernels.randomness import alias_table
from divulge.outputs.lowered import Lowered, Program, pack
from divulge.table import Schema, Table
from divulge.table.conditions import Atom, Node

Floats = NDArray[np.float64]

INSIDE = 0.8
"""Share of a published interval that the search aims for: linearised figures must still round as printed exactly."""


@dataclass(frozen=True, eq=False)
class Objective:
    """Outputs to reproduce, together: Σ over outputs of weight · Σ (residual outside its interval / unit)²."""

    schema: Schema
    lowered: tuple[Lowered, ...]
    weights: tuple[float, ...]
    marginals: Mapping[str, Floats]
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "program", pack(self.lowered, self.schema))

    @property
    def total_start(self) -> NDArray[np.int64]:
        return np.cumsum([0, *(o.n_totals for o in self.lowered)])

    @property
    def residual_start(self) -> NDArray[np.int64]:
        return np.cumsum([0, *(o.n_residuals for o in self.lowered)])

    @property
    def constants(self) -> Floats:
        return np.concatenate([np.zeros(0), *(o.constants for o in self.lowered)])

    def variables(self) -> tuple[str, ...]:
        """Variables that some output looks at, in schema order."""
        used = {name for o in self.lowered for name in o.variables}
        return tuple(n for n in self.schema.names if n in used)

    def totals(self, codes: NDArray[np.unsignedinteger]) -> Floats:
        """Centred totals of (rows, variables) codes."""
        return self.program.totals(codes) - self.constants

    def linearise(
        self, totals: Floats, table: Table, units: Sequence[Floats] | None = None, inside: float = INSIDE
    ) -> tuple[search.Metric, Floats]:
        """The metric at this table, and its residuals. units replaces the outputs' own units of discrepancy."""
        starts, residual_start = self.total_start, self.residual_start
        jacobians, residuals, weight = [], [], []
        first, size, jacobian_start, filled = [], [], [], 0
        for o, output in enumerate(self.lowered):
            residual, jacobian = output.head.linearise(totals[starts[o] : starts[o + 1]], table)
            n = output.n_totals
            if jacobian.ndim == 1:
                first.append(residual_start[o] + np.arange(n))
                size.append(np.ones(n))
                jacobian_start.append(filled + np.arange(n))
            else:
                first.append(np.full(n, residual_start[o]))
                size.append(np.full(n, len(residual)))
                jacobian_start.append(filled + len(residual) * np.arange(n))
            jacobians.append(np.ascontiguousarray(jacobian.T).ravel())
            filled += jacobian.size
            residuals.append(residual)
            unit = output.unit if units is None else units[o]
            weight.append(self.weights[o] / np.maximum(unit, 1e-300) ** 2)
        middle = [(o.low + o.high) / 2 for o in self.lowered]
        half = [(o.high - o.low) / 2 * inside for o in self.lowered]

        def bound(ends: list[Floats], side: float) -> Floats:
            # An open end (an inequality) has no middle; it stays where it is.
            parts = [np.where(np.isfinite(m), m + side * h, e) for m, h, e in zip(middle, half, ends, strict=True)]
            return np.concatenate([np.zeros(0), *parts])

        metric = search.Metric(
            first_residual=np.concatenate(first).astype(np.int64),
            n_residuals=np.concatenate(size).astype(np.int64),
            jacobian_start=np.concatenate(jacobian_start).astype(np.int64),
            jacobian=np.concatenate([np.zeros(0), *jacobians]),
            weight=np.concatenate([np.zeros(0), *weight]),
            low=bound([o.low for o in self.lowered], -1.0),
            high=bound([o.high for o in self.lowered], 1.0),
        )
        return metric, np.concatenate([np.zeros(0), *residuals])

    def moves(self, swap_share: float, step_share: float) -> search.Moves:
        """Which cells may change and to what: every variable that an output looks at and that has two codes or more."""
        schema = self.schema
        blocks: list[list[int]] = [[] for _ in schema]
        for b, positions in enumerate(self.program.block_variables):
            for position in positions:
                blocks[position].append(b)
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
            swap_share=swap_share,
            step_share=step_share,
        )

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
        )

    def rules(self) -> search.Rules:
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
        return search.Rules(
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
