"""What a synthesiser is given: lowered outputs over a schema, weights, and the marginals that the scenario grants.

No table of original data is here, nor can one be: the fields are outputs' additive forms, a schema and distributions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from divulge.errors import EmbedError
from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.kernels.changes import Goal
from divulge.objective.views import View
from divulge.outputs import Output, Released
from divulge.outputs.lowering.lowered import Block, Lowered, Program, Term, pack
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.outputs.lowering.sizes import agreed_sizes
from divulge.table import Schema, Table

INSIDE = 0.8
"""Share of a published interval that the search aims for at first: linearised figures must still round as printed.
Where figures follow from each other, all of them may be in their intervals only near the ends, so it grows later on."""

MANY_ROWS = 1_000_000
"""From here on a copy of the table costs more (memory) than columns that are not contiguous (time)."""


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
        outputs = _agreeing([t.output.lower(informed, t.released) for t in lowering])
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

    def recentred(self, figures: Sequence[Floats], table: Table) -> Objective:
        """The same question with estimates taken where they are now, wherever that is as printed.

        figures: of every output, as the synthetic data (table) have them. Sums at the released figures tell how these
        change as far as they are near; where one was printed with few digits they need not be.
        """
        found, lowered = copy(self), list(self.lowered)
        informed = self._informed()
        for o, (target, now) in enumerate(zip(self.targets, figures, strict=True)):
            released = target.released
            is_there = np.isfinite(released.values) & np.isfinite(now) & released.agrees(now)
            if lowered[o].is_bent:
                there = replace(released, values=np.where(is_there, now, released.values))
                moved = target.output.lower(informed, there) if is_there.any() else lowered[o]
                lowered[o] = moved if moved.settled is None else moved.settled(table)
        object.__setattr__(found, "lowered", tuple(lowered))
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
        return Lowered((block,), self.n_rows * share, DiagonalResiduals(np.ones(n)), -half, half, np.full(n, 0.5))

    @property
    def n_target_residuals(self) -> int:
        """How many residuals are figures of outputs; those of known marginals follow them."""
        return int(self.residual_start[self.n_lowered_targets])

    @property
    def total_start(self) -> Integers:
        return np.cumsum([0, *(o.n_totals for o in self.lowered)])

    @property
    def residual_start(self) -> Integers:
        return np.cumsum([0, *(o.n_residuals for o in self.lowered)])

    @property
    def constants(self) -> Floats:
        return np.concatenate([np.zeros(0), *(o.constants for o in self.lowered)])

    def table(self, codes: Codes) -> Table:
        """(rows, variables) codes as a table, which shares no memory with them."""
        columns = []
        for j, variable in enumerate(self.schema):
            column = np.array(codes[:, j], dtype=variable.dtype)
            column.setflags(write=False)  # a table takes what nobody can change as it is, without another copy
            columns.append(column)
        return Table(self.schema, tuple(columns))

    def seen(self, codes: Codes) -> Table:
        """The same for a glance: where rows are many, the columns are the codes themselves, not a copy of them."""
        if len(codes) < MANY_ROWS:
            return self.table(codes)
        fixed = codes.view()
        fixed.setflags(write=False)
        return Table(self.schema, tuple(fixed[:, j] for j in range(codes.shape[1])))

    def variables(self) -> tuple[str, ...]:
        """Variables that some output looks at, in schema order."""
        used = {name for o in self.lowered for name in o.variables}
        return tuple(n for n in self.schema.names if n in used)

    def totals(self, codes: Codes) -> Floats:
        """Centred totals of (rows, variables) codes."""
        n_targets = self.n_lowered_targets
        n = sum(len(output.blocks) for output in self.lowered[:n_targets])
        found = self.program.totals(codes, n)
        # Known marginals are counts of single columns, which need no program.
        for output, at in zip(self.lowered[n_targets:], self.total_start[n_targets:], strict=False):
            position = self.schema.position(output.variables[0])
            found[at : at + output.n_totals] = np.bincount(codes[:, position], minlength=output.n_totals)
        return found - self.constants

    def linearise(
        self, totals: Floats, table: Table, units: Sequence[Floats] | None = None, inside: float = INSIDE
    ) -> View:
        """Residuals as linear functions of the totals near this table.

        units replaces the outputs' own units; inside is the share of the published intervals to aim for.
        """
        starts, residual_start = self.total_start, self.residual_start
        residuals, jacobians, weight = [], [], []
        for o, output in enumerate(self.lowered):
            residual, jacobian = output.residuals.linearise(totals[starts[o] : starts[o + 1]], table)
            residuals.append(residual)
            jacobians.append(jacobian)
            unit = output.unit if units is None else units[o]
            weight.append(self.weights[o] / np.maximum(unit, 1e-300) ** 2)  # a unit of 0 asks for exactness
        low = np.concatenate([np.zeros(0), *(o.low for o in self.lowered)])
        high = np.concatenate([np.zeros(0), *(o.high for o in self.lowered)])
        # Counts are exact: nothing is gained by staying away from the ends, and a withheld count may have to be at one.
        counts = [o.residuals.is_diagonal for o in self.lowered]
        share = np.repeat(np.where(counts, 1.0, inside), [o.n_residuals for o in self.lowered])
        # An open end (an inequality) has no middle; it stays where it is.
        closed = np.isfinite(low) & np.isfinite(high)
        middle, half = np.zeros(len(low)), np.zeros(len(low))
        middle[closed] = (low[closed] + high[closed]) / 2
        half[closed] = (high[closed] - low[closed]) / 2 * share[closed]
        return View(
            tuple(jacobians),
            totals.copy(),
            np.concatenate([np.zeros(0), *residuals]),
            Goal(
                np.concatenate([np.zeros(0), *weight]),
                np.where(closed, middle - half, low),
                np.where(closed, middle + half, high),
            ),
            starts,
            residual_start,
            self.weights,
        )


def _agreeing(outputs: Sequence[Lowered]) -> tuple[Lowered, ...]:
    """Outputs of which those on the same people ask for the same sizes of groups."""
    sizes = agreed_sizes([o.sized.possible() for o in outputs if o.sized is not None], [o.moments for o in outputs])
    found = []
    for output in outputs:
        sized = None if output.sized is None else output.sized.agreed(sizes)
        found.append(output if sized is None else replace(output, residuals=sized, sized=sized))
    return tuple(found)
