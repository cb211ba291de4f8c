"""What outputs about numeric variables by groups share: labels, checks, and the rows and numbers behind each figure.

Each variable is computed on the rows that are complete on it, on the groups and on the weights, as pandas does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, What
from divulge.outputs.lowering.rows import Groups, counted, row_weights
from divulge.outputs.output import Figures, Output, Status, in_field, numeric
from divulge.table import Schema, Table


class HasGroups(Protocol):
    """The fields that such outputs have."""

    @property
    def variables(self) -> tuple[str, ...]: ...

    @property
    def by(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, eq=False)
class Column:
    """One variable's numbers in the rows that count, with their groups and weights. values: one for each code."""

    name: str
    values: Floats
    codes: Integers
    numbers: Floats
    groups: Integers
    weights: Floats
    n_groups: int

    def sums(self, values: Floats | float = 1.0) -> Floats:
        """Σ weight · value by group."""
        return np.bincount(self.groups, self.weights * values, minlength=self.n_groups).astype(np.float64)

    def ranked(self) -> tuple[Floats, Integers]:
        """The possible values in order, and each row's place among them."""
        order = np.argsort(self.values, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return self.values[order], rank[self.codes]

    def by_group(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Each group that has rows, with its rows in the order of their numbers."""
        order = np.lexsort((self.numbers, self.groups))
        present, starts = np.unique(self.groups[order], return_index=True)
        if len(order):
            yield from zip(present.tolist(), np.split(order, starts[1:]), strict=True)


def columns(output: Output, variables: Sequence[str], by: Sequence[str], table: Table) -> Iterator[Column]:
    """The rows, numbers and groups of each variable in turn."""
    groups = Groups.of(table.schema, by)
    number = groups.numbers(table)
    weights = row_weights(output, table)
    for name in variables:
        keep = counted(output, table, (name, *by))
        codes = table[name][keep].astype(np.int64)
        values = table.schema[name].numbers[: table.schema[name].n_values]
        yield Column(name, values, codes, values[codes], number[keep], weights[keep], groups.n_groups)


def check_grouped(output: HasGroups, schema: Schema) -> None:
    """Raise where a variable is not numeric, or groups are made of the variable itself."""
    for i, name in enumerate(output.variables):
        if name not in schema:
            raise unknown_variable(name, schema.names, where=f"variables[{i}]")
        with in_field(f"variables[{i}]"):
            numeric(schema, name)
        if name in output.by:
            raise OutputError(f"{name!r} cannot be grouped by itself.", where="by", hint="Take it out of by.")


def check_named(variables: Sequence[str], by: Sequence[str]) -> None:
    """Raise where no variable is named, or one is named twice."""
    if not variables:
        raise OutputError(
            "at least one variable is needed.", where="variables", hint="For example variables: [INCOME]."
        )
    for field, names in (("variables", variables), ("by", by)):
        if len(set(names)) != len(names):
            raise OutputError("a variable is named twice.", where=field)


def grouped_labels(
    schema: Schema, variables: Sequence[str], by: Sequence[str], statistics: Sequence[str] = ("",)
) -> tuple[str, ...]:
    """`median INCOME | SEX=1 & AREAP=57`: variable by variable, statistic by statistic, group by group."""
    groups = Groups.of(schema, by).labels()
    named = [f"{statistic} {name}".strip() for name in variables for statistic in statistics]
    return tuple(f"{name} | {group}" if group else name for name in named for group in groups)


def grouped_behind(
    output: Output,
    variables: Sequence[str],
    by: Sequence[str],
    table: Table,
    statistics: Sequence[tuple[What, float]],
) -> tuple[Behind, ...]:
    """The rows behind figures that are labelled as `grouped_labels` does. statistics: what each is; which quantile."""
    groups = Groups.of(table.schema, by)
    number = groups.numbers(table)
    found, figure = [], 0
    for name in variables:
        group = np.where(counted(output, table, (name, *by)), number, -1)
        for what, quantile in statistics:
            figures = figure + np.arange(groups.n_groups)
            found.append(Behind(what, figures, group, name, tuple(by), groups.shape, quantile=quantile))
            figure += groups.n_groups
    return tuple(found)


def undefined_as_status(labels: tuple[str, ...], values: Floats, rows_in_group: Floats) -> Figures:
    """Figures with the status that explains the undefined ones. rows_in_group: weight behind each figure."""
    if np.isfinite(values).all():
        return Figures(labels, values)
    if not rows_in_group.any():
        return Figures(labels, values, Status.EMPTY)
    empty = rows_in_group <= 0
    return Figures(labels, values, Status.EMPTY_GROUP if empty.any() else Status.CONSTANT)


def known_numbers(schema: Schema, name: str, transform: Floats | None = None) -> tuple[str, Floats]:
    """A variable and a number for each of its codes (its own, or those of `transform`), NaN for missing ones."""
    variable = schema[name]
    numbers = variable.numbers if transform is None else transform
    return name, np.where(variable.is_missing, np.nan, numbers)


def present(schema: Schema, name: str) -> tuple[str, Floats]:
    """1 for each code of a variable that is no missing code, NaN for those: counts the rows where it is known."""
    variable = schema[name]
    return name, np.where(variable.is_missing, np.nan, 1.0)


def describe_grouped(what: str, output: Output, variables: Sequence[str], by: Sequence[str]) -> str:
    """`Means of INCOME by SEX, where AGE >= 18.`"""
    text = f"{what} of {', '.join(variables)}" + (f" by {' × '.join(by)}" if by else "")
    text += f", weighted by {output.weights}" if output.weights else ""
    return text + (f", where {output.where}" if output.where else "") + "."
