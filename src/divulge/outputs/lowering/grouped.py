"""What outputs about numeric variables by groups share: labels, checks, and the rows and numbers behind each figure.

Each variable is computed on the rows that are complete on it, on the groups and on the weights, as pandas does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, What
from divulge.outputs.few_people import FewPeople, groups_of_few, mean_of_few
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.rows import Groups, counted, group_keys, row_weights
from divulge.outputs.lowering.sizes import GroupKey, Moments, spacing
from divulge.outputs.output import Output
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

Range = tuple[float, float]
"""Between what a figure lies."""


@dataclass(frozen=True, eq=False)
class Column:
    """One variable's numbers in the rows that count, with their groups and weights. values: one for each code.

    people: how many people each row stands for; None: one. Weights count all of them.
    """

    name: str
    values: Floats
    codes: Integers
    numbers: Floats
    groups: Integers
    weights: Floats
    n_groups: int
    people: Integers | None = None

    @property
    def own_weights(self) -> Floats:
        """The weight of one person of each row."""
        return self.weights if self.people is None else self.weights / np.maximum(self.people, 1)

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


@dataclass(frozen=True, kw_only=True)
class Grouped(Output):
    """Statistics of some variables in each group: variable by variable, statistic by statistic, group by group.

    A kind says what it shows of each variable, and computes it.
    """

    needs_numbers: ClassVar[bool] = True

    variables: Annotated[tuple[str, ...], "The variables."]
    by: Annotated[tuple[str, ...], "The variables that make the groups; none: one group of all rows."] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_named(self.variables, self.by)

    def statistics(self) -> tuple[str, ...]:
        """What is shown of each variable, as labels have it; an empty text where labels need not say it."""
        return ("",)

    def named(self) -> list[str]:
        """`median INCOME`: what is shown of each variable."""
        return [f"{statistic} {name}".strip() for name in self.variables for statistic in self.statistics()]

    def heading(self) -> str:
        """What stands above the figures where labels do not say which statistic they are."""
        return self.kind

    def whats(self) -> Sequence[tuple[What, float]]:
        """What each statistic is to rules of output checking; of quantiles, which one."""
        raise NotImplementedError

    def own_variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.variables, *self.by]))

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys([self.uses(schema), *((name, *self.by) for name in self.variables)]))

    def check_fields(self, schema: Schema) -> None:
        for i, name in enumerate(self.variables if self.needs_numbers else ()):
            if name not in schema:
                raise unknown_variable(name, schema.names, where=f"variables[{i}]")
            with in_field(f"variables[{i}]"):
                numeric(schema, name)
            if name in self.by:
                raise OutputError(f"{name!r} cannot be grouped by itself.", where="by", hint="Take it out of by.")

    def labels(self, schema: Schema) -> tuple[str, ...]:
        """`median INCOME | SEX=1 & AREAP=57`."""
        groups = Groups.of(schema, self.by).labels()
        return tuple(f"{name} | {group}" if group else name for name in self.named() for group in groups)

    def grid(self, schema: Schema) -> Grid:
        """Groups down and statistics of variables across; without groups variables down and statistics across."""
        shown = [statistic or self.heading() for statistic in self.statistics()]
        if not self.by:
            rows = [(name,) for name in self.variables]
            return grid_of(("Variable",), rows, shown, np.arange(len(rows) * len(shown)))
        groups = Groups.of(schema, self.by)
        columns = [f"{statistic} {name}" for name in self.variables for statistic in shown]
        numbers = np.arange(len(columns) * groups.n_groups).reshape(len(columns), groups.n_groups)
        return grid_of(self.by, groups.shown(schema), columns, numbers.T, picture="bars")

    def few_in_groups(
        self, table: Table, released: Released, most: int, says: Callable[[Range], tuple[Range, Range | None]]
    ) -> tuple[FewPeople, ...]:
        """Groups of few people. says: the mean and the standard deviation that the range of a figure stands for; of
        several statistics the first is looked at."""
        if self.weights is not None:
            return ()
        found, groups = [], Groups.of(table.schema, self.by)
        of_row = groups.numbers(table)
        for v, name in enumerate(self.variables):
            numbers = np.where(table.schema[name].is_missing, np.nan, table.schema[name].numbers)
            own = np.where(counted(self, table, (name, *self.by)), of_row, -1)
            for group, rows in groups_of_few(own, most):
                at = v * len(self.statistics()) * groups.n_groups + group
                mean, sd = says((float(released.low[at]), float(released.high[at])))
                found.append(mean_of_few(name, rows, mean, numbers, sd))
        return tuple(one for one in found if one is not None)

    def moments(
        self, schema: Schema, released: Released, says: Callable[[Range], Moments], statistic: int = 0
    ) -> dict[tuple[GroupKey, str], Moments]:
        """What one of the statistics says of each group's numbers, where these are whole numbers of steps."""
        found: dict[tuple[GroupKey, str], Moments] = {}
        groups = Groups.of(schema, self.by)
        for v, name in enumerate(self.variables if self.weights is None else ()):
            values = schema[name].numbers[: schema[name].n_values]
            step = spacing(values)
            first = (v * len(self.statistics()) + statistic) * groups.n_groups
            if step is None:
                continue
            for group, key in enumerate(group_keys(self, schema, groups, (name, *self.by))):
                if released.is_given[first + group]:
                    said = says((float(released.low[first + group]), float(released.high[first + group])))
                    found[key, name] = said.in_steps(float(values.min()), step)
        return found

    def behind(self, table: Table) -> tuple[Behind, ...]:
        groups = Groups.of(table.schema, self.by)
        number = groups.numbers(table)
        found, figure = [], 0
        for name in self.variables:
            group = np.where(counted(self, table, (name, *self.by)), number, -1)
            for what, quantile in self.whats():
                figures = figure + np.arange(groups.n_groups)
                found.append(Behind(what, figures, group, name, self.by, groups.shape, quantile=quantile))
                figure += groups.n_groups
        return tuple(found)

    def found_at(self, what: What, variable: str, schema: Schema) -> tuple[tuple[str, ...], Integers] | None:
        shown = [w for w, quantile in self.whats() if w != "quantile" or quantile == 0.5]
        if variable not in self.variables or what not in shown:
            return None
        n_groups = Groups.of(schema, self.by).n_groups
        place = next(i for i, (w, q) in enumerate(self.whats()) if w == what and (w != "quantile" or q == 0.5))
        first = (self.variables.index(variable) * len(self.whats()) + place) * n_groups
        return self.by, first + np.arange(n_groups)

    def columns(self, table: Table) -> Iterator[Column]:
        """The rows, numbers and groups of each variable in turn."""
        groups = Groups.of(table.schema, self.by)
        number = groups.numbers(table)
        weights = row_weights(self, table) * table.times
        for name in self.variables:
            keep = counted(self, table, (name, *self.by))
            codes = table[name][keep].astype(np.int64)
            values = table.schema[name].numbers[: table.schema[name].n_values]
            people = None if table.people is None else table.people[keep]
            yield Column(name, values, codes, values[codes], number[keep], weights[keep], groups.n_groups, people)

    def describe_as(self, what: str) -> str:
        """`Means of INCOME by SEX, where AGE >= 18.`"""
        text = f"{what} of {', '.join(self.variables)}" + (f" by {' × '.join(self.by)}" if self.by else "")
        text += f", weighted by {self.weights}" if self.weights else ""
        return text + (f", where {self.where}" if self.where else "") + "."


def check_named(variables: Sequence[str], by: Sequence[str]) -> None:
    """Raise where no variable is named, or one is named twice."""
    if not variables:
        raise OutputError(
            "at least one variable is needed.", where="variables", hint="For example variables: [INCOME]."
        )
    for field, names in (("variables", variables), ("by", by)):
        if len(set(names)) != len(names):
            raise OutputError("a variable is named twice.", where=field)


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
