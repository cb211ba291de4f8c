"""Mode: the most frequent value of variables, by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.grouped import Grouped
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table, Variable

N_RIVALS = 20
"""With how many of the other most frequent values a mode is compared between two refreshes of the search."""


@dataclass(frozen=True, kw_only=True)
class Mode(Grouped):
    """The most frequent value of each variable in each group; of equally frequent ones the first.

    The figure is the value where the variable's values are numbers, else its place in their order (1, 2, …).
    """

    kind: ClassVar[str] = "mode"
    statbarn: ClassVar[Statbarn] = Statbarn.MODE
    can_suppress: ClassVar[bool] = True
    residuals_are_figures: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = False
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mode": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("The commonest marital status by sex", {"variables": ["MSTATUS"], "by": ["SEX"], "where": "AGE >= 18"}),
        Example("The commonest age and area", {"variables": ["AGE", "AREAP"]}),
        Example("Weighted", {"variables": ["MSTATUS"], "weights": "AGE"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose modes are shown."]

    def whats(self) -> Sequence[tuple[What, float]]:
        return (("mode", np.nan),)

    def describe(self) -> str:
        return self.describe_as("Mode")

    def usual_decimals(self) -> int:
        return 6  # values of the data as they are, not rounded ones

    def read_value(self, label: str, text: str, schema: Schema) -> float | None:
        name = label.split(" | ")[0].strip()
        if name not in schema:
            return None
        code = schema[name].code(text)
        return None if code is None or code >= schema[name].n_values else float(_shown(schema[name])[code])

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        shown = [_shown(schema[name]) for name in self.variables]
        n_groups = Groups.of(schema, self.by).n_groups
        least = np.repeat([v.min(initial=np.inf) for v in shown], n_groups)
        return least, np.repeat([v.max(initial=-np.inf) for v in shown], n_groups)

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        for name, figure, code in self._codes(schema, released):
            if code is None and released.is_given[figure]:
                return f"{released.labels[figure]!r} is given as {released.values[figure]:g}, no value of {name!r}."
        return None

    def _codes(self, schema: Schema, released: Released) -> list[tuple[str, int, int | None]]:
        """Each figure's variable, number, and the code of its released mode."""
        n_groups = Groups.of(schema, self.by).n_groups
        found: list[tuple[str, int, int | None]] = []
        for v, name in enumerate(self.variables):
            shown = _shown(schema[name])
            for figure in range(v * n_groups, (v + 1) * n_groups):
                value = released.values[figure]
                near = int(np.argmin(np.abs(shown - value))) if np.isfinite(value) and len(shown) else None
                fits = near is not None and abs(shown[near] - value) <= released.half[figure] * (1 + 1e-9)
                found.append((name, figure, near if fits else None))
        return found

    def evaluate(self, table: Table) -> Figures:
        values: list[float] = []
        texts: list[str | None] = []
        n_rows = 0
        for column in self.columns(table):
            variable = table.schema[column.name]
            shape = (column.n_groups, max(variable.n_values, 1))
            key = column.groups * shape[1] + column.codes
            counts = np.bincount(key, column.weights, minlength=shape[0] * shape[1]).reshape(shape)
            n_rows += len(column.codes)
            for row in counts:
                code = int(np.argmax(row)) if row.any() else None
                values.append(np.nan if code is None else float(_shown(variable)[code]))
                texts.append(None if code is None or variable.kind == "numeric" else variable.display[code])
        undefined = bool(np.isnan(values).any())
        status = Status.EMPTY if not n_rows else Status.EMPTY_GROUP if undefined else Status.OK
        return Figures(self.labels(table.schema), np.array(values), status, texts=tuple(texts) if any(texts) else None)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        groups = Groups.of(schema, self.by)
        terms, modes, offset = [], [], 0
        codes = {figure: code for _, figure, code in self._codes(schema, released)}
        for v, name in enumerate(self.variables):
            n_values = schema[name].n_values
            spanned = Groups.of(schema, (*self.by, name))
            terms.append(spanned.term(index=offset + np.arange(spanned.n_groups)))
            for g in range(groups.n_groups):
                code = codes[v * groups.n_groups + g]
                if code is not None:
                    modes.append((offset + g * n_values, n_values, code))
            offset += spanned.n_groups
        # Among weights any difference decides, among rows it takes a whole one.
        residuals = _ModeResiduals(
            np.array(modes, dtype=np.int64).reshape(-1, 3), 1.0 if self.weights is None else 1e-9
        )
        n = residuals.n_residuals
        return Lowered(
            (Block(tuple(terms), offset, weight=weight_term(self, schema)),),
            np.zeros(offset),
            residuals,
            np.zeros(n),
            np.full(n, np.inf),
            np.full(n, 0.5),
            is_linear=False,
        )


@dataclass(frozen=True, eq=False)
class _ModeResiduals:
    """How many rows more the mode has than each of its nearest rivals, less `lead` for those before it in order.

    modes: where its variable's counts start among the totals, how many values these are, and the mode's code.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    modes: Integers
    lead: float

    @property
    def n_residuals(self) -> int:
        return int(np.minimum(self.modes[:, 1], N_RIVALS).sum())

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        residuals = np.zeros(self.n_residuals)
        jacobian = np.zeros((self.n_residuals, len(totals)))
        row = 0
        for start, n_values, mode in self.modes.tolist():
            counts = totals[start : start + n_values]
            # A tie goes to the first value, so the mode must beat those before it. Its own residual asks for a row.
            need = counts + np.where(np.arange(n_values) < mode, self.lead, 0.0)
            need[mode] = 1.0 if counts[mode] <= 0 else 0.0
            for rival in np.argsort(-need, kind="stable")[: min(n_values, N_RIVALS)].tolist():
                residuals[row] = counts[mode] - need[rival]
                jacobian[row, start + mode] = 1.0
                if rival != mode:
                    jacobian[row, start + rival] = -1.0
                row += 1
        return residuals, jacobian


def _has_numbers(variable: Variable) -> bool:
    return not np.isnan(variable.numbers[: variable.n_values]).any()


def _shown(variable: Variable) -> Floats:
    """The number that stands for each value."""
    if _has_numbers(variable):
        return variable.numbers[: variable.n_values]
    return np.arange(1.0, variable.n_values + 1)
