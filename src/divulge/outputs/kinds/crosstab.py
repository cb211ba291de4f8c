"""Crosstabs of any number of variables: counts, shares of all, of rows or of columns, with or without margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, What
from divulge.outputs.few_people import FewPeople, groups_of_few, mean_of_few
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import TOTAL, WIDEST, Grid, grid_of
from divulge.outputs.keys import with_keys
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import (
    DiagonalResiduals,
    RatioResiduals,
    ShareResiduals,
    SizedResiduals,
)
from divulge.outputs.lowering.rows import (
    Groups,
    counted,
    group_keys,
    half_row,
    row_weights,
    shown_levels,
    weight_term,
)
from divulge.outputs.lowering.sizes import possible_sizes
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.recipes import count_code, every_group
from divulge.outputs.released.precision import Released, outside
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table

Statistic = Literal[
    "counts",
    "proportions",
    "percentages",
    "row proportions",
    "row percentages",
    "column proportions",
    "column percentages",
]


@dataclass(frozen=True, kw_only=True)
class Crosstab(Output):
    """How many rows have each combination of the values of some variables.

    Row shares are the distribution of the last variable within each combination of the others; column shares the
    distribution of the first variable within each combination of the others.
    """

    kind: ClassVar[str] = "crosstab"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"count": {}, "size": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Counts of tenure by sex, with margins", {"variables": ["TENURE", "SEX"], "margins": True}),
        Example(
            "Per cent of renters in each ethnic group, adults only",
            {"variables": ["ETHGROUP", "TENURE"], "statistic": "row percentages", "where": "AGE >= 18"},
        ),
        Example("Counts rounded to base 5", {"variables": ["MSTATUS", "LTILL"], "base": 5}),
        Example("Counts below 10 withheld", {"variables": ["MSTATUS", "LTILL"], "threshold": 10}),
        Example("Shares of all", {"variables": ["SEX", "LTILL", "TENURE"], "statistic": "proportions"}),
        Example("Weighted", {"variables": ["SEX", "LTILL"], "statistic": "column proportions", "weights": "AGE"}),
    )

    variables: Annotated[tuple[str, ...], "The variables that span the table, in order."]
    statistic: Annotated[Statistic, "What each cell shows."] = "counts"
    margins: Annotated[bool, "Whether the totals over each variable and set of variables are shown too."] = False
    missing: Annotated[Literal["exclude", "include"], "Whether missing values are left out, or are a category."] = (
        "exclude"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and self.statistic != "counts":
            raise OutputError(f"{self.statistic} have no threshold.", where="threshold", hint="List suppressed cells.")
        if not self.variables or len(set(self.variables)) != len(self.variables):
            raise OutputError(
                "different variables are needed, at least one.",
                where="variables",
                hint="For example variables: [TENURE, SEX].",
            )
        if self.margins and self._within is not None:
            raise OutputError(
                f"{self.statistic} have no margins.", where="margins", hint="Release margins as counts or percentages."
            )

    @property
    def _scale(self) -> float:
        return 100.0 if self.statistic.endswith("percentages") else 1.0

    @property
    def _within(self) -> int | None:
        """The variable whose distribution the shares are: the last for row shares, the first for column shares."""
        return -1 if self.statistic.startswith("row") else 0 if self.statistic.startswith("column") else None

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def counted_together(self, table: Table, released: Released) -> tuple[str, ...]:
        low, high = released.whole()
        is_plain = self.statistic == "counts" and self.weights is None and bool((low == high).all())
        return self.variables if is_plain and counted(self, table, self._complete()).all() else ()

    def as_rows(self, schema: Schema, released: Released) -> Table | None:
        low, high = released.whole()
        if self.statistic != "counts" or self.weights or self.where or not (low == high).all():
            return None
        spanned = schema.select(self.variables)
        shape = self._groups(schema).shape
        people = low[: int(np.prod(shape))].astype(np.int64)
        # Levels are numbered as codes are.
        codes = np.indices(shape).reshape(len(shape), -1)[:, people > 0]
        columns = tuple(code.astype(v.dtype) for v, code in zip(spanned, codes, strict=True))
        return Table(spanned, columns, people[people > 0])

    def _subsets(self) -> list[tuple[str, ...]]:
        """The whole table, then its margins from the largest to the grand total, which has no variables."""
        sizes = range(len(self.variables), -1, -1) if self.margins else [len(self.variables)]
        return [names for size in sizes for names in combinations(self.variables, size)]

    def _groups(self, schema: Schema, names: tuple[str, ...] | None = None) -> Groups:
        return Groups.of(schema, self.variables if names is None else names, self.missing == "include")

    def labels(self, schema: Schema) -> tuple[str, ...]:
        parts = [self._groups(schema, names).labels() for names in self._subsets()]
        return tuple(label or "total" for part in parts for label in part)

    def grid(self, schema: Schema) -> Grid:
        """The last variable across, the others down; margins last. A variable of very many values goes down."""
        sizes = zip(self.variables, self._groups(schema).shape, strict=True)
        levels = {name: shown_levels(schema[name], n_levels) for name, n_levels in sizes}
        is_wide = len(self.variables) > 1 and len(levels[self.variables[-1]]) <= WIDEST
        down, across = self.variables[: -1 if is_wide else None], self.variables[-1] if is_wide else ""
        places: dict[tuple[tuple[int, ...], int], int] = {}
        for names in self._subsets():
            for level in np.ndindex(*(len(levels[name]) for name in names)):
                # A margin stands after all values.
                at = {name: len(texts) for name, texts in levels.items()} | dict(zip(names, level, strict=True))
                places[tuple(at[name] for name in down), at.get(across, 0)] = len(places)
        rows, columns = sorted({row for row, _ in places}), sorted({column for _, column in places})
        shown = {name: (*texts, TOTAL) for name, texts in levels.items()}
        return grid_of(
            down,
            [tuple(shown[name][level] for name, level in zip(down, row, strict=True)) for row in rows],
            [shown[across][column] if is_wide else self.statistic.capitalize() for column in columns],
            [places.get((row, column), -1) for row in rows for column in columns],
            across,
        )

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        names = list(self.variables)
        if self.missing == "include" or self.weights in names:
            return None
        times = "100 * " if self._scale == 100 else ""
        lines = [*every_group(names, schema), f"counts = {count_code(names, self.weights)}"]
        if self._within is not None:
            others = names[:-1] if self._within else names[1:]
            below = f'counts.groupby(level={others!r}, observed=False).transform("sum")' if others else "counts.sum()"
            return [*lines, f"found = {times}counts / {below}"]
        parts = [f"counts.groupby(level={list(s)!r}, observed=False).sum()" for s in self._subsets()[1:] if s]
        if self.margins:
            lines.append(f"counts = pd.concat([{', '.join(['counts', *parts, 'pd.Series([counts.sum()])'])}])")
        whole = "counts.iloc[-1]" if self.margins else "counts.sum()"
        return [*lines, f"found = {times}counts" + ("" if self.statistic == "counts" else f" / {whole}")]

    def sums(self, schema: Schema) -> sparse.csr_array | None:
        if not self.margins:
            return None
        shape = self._groups(schema).shape
        numbers = np.indices(shape).reshape(len(shape), -1)
        parts = []
        for names in self._subsets():
            kept = [i for i, name in enumerate(self.variables) if name in names]
            sizes = [shape[i] for i in kept]
            at = np.ravel_multi_index([numbers[i] for i in kept], sizes) if kept else np.zeros(numbers.shape[1], int)
            ones = np.ones(numbers.shape[1])
            n_sums = int(np.prod(sizes))
            parts.append(sparse.csr_array((ones, (at, np.arange(numbers.shape[1]))), shape=(n_sums, numbers.shape[1])))
        return sparse.csr_array(sparse.vstack(parts))

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        if self.statistic == "counts":
            return 0.0, np.inf if n_rows is None or self.weights else float(n_rows)
        return 0.0, self._scale

    @property
    def growth(self) -> Growth:
        return "extensive" if self.statistic == "counts" else "intensive"

    def usual_decimals(self) -> int:
        return 0 if self.statistic == "counts" else 1 if self._scale == 100 else 4

    def describe(self) -> str:
        shown = {"counts": "Counts of rows"}.get(self.statistic, self.statistic.capitalize())
        text = f"{shown} by {' × '.join(self.variables)}"
        return text + (", with margins" if self.margins else "") + (f", where {self.where}" if self.where else "") + "."

    def _complete(self) -> tuple[str, ...]:
        return self.variables if self.missing == "exclude" else ()

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        shape = self._groups(schema).shape
        n_cells = int(np.prod(shape))
        counts_rows = self.statistic == "counts" and self.weights is None
        bounds = released.whole() if counts_rows else (released.low, released.high)
        low, high = (bound[:n_cells].reshape(shape) for bound in bounds)
        offset = 0
        for names in self._subsets():
            dropped = tuple(i for i, name in enumerate(self.variables) if name not in names)
            sums = low.sum(axis=dropped).ravel(), high.sum(axis=dropped).ravel()
            at = slice(offset, offset + len(sums[0]))
            wrong = outside(*sums, released.low[at], released.high[at])
            if wrong is not None:
                return f"{released.labels[offset + wrong]!r} cannot be the sum of its cells."
            offset += len(sums[0])
        if self.statistic != "counts":
            group = self._denominators(schema)[:n_cells]
            # A row or column without anybody has no shares; its zeros are not held against it.
            shown = np.bincount(group, released.centre[:n_cells]) > 0
            least, most = (np.bincount(group, b.ravel())[shown].astype(np.float64) for b in (low, high))
            if outside(least, most, self._scale, self._scale) is not None:
                return f"the {self.statistic} do not add to {self._scale:g}."
        elif n_rows is not None and counts_rows and self.where is None and self._has_all_rows(schema):
            wrong = outside(low.sum(), high.sum(), n_rows, n_rows)
            return None if wrong is None else f"the counts do not add to {n_rows:,}, the number of rows."
        return None

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        """Shares of a variable with two values are means of 0 and 1 in the groups of the others."""
        if self._within is None or self.weights is not None or self.missing == "include":
            return ()
        variable = table.schema[self.variables[self._within]]
        if variable.n_values != 2:
            return ()
        coding = np.where(variable.is_missing, np.nan, np.arange(variable.n_codes) == 1)
        shape = self._groups(table.schema).shape
        ones = np.moveaxis(np.arange(np.prod(shape, dtype=np.int64)).reshape(shape), self._within, -1)[..., 1].ravel()
        below = self._groups(table.schema, self._below()).numbers(table)
        found = []
        for group, rows in groups_of_few(np.where(counted(self, table, self._complete()), below, -1), most):
            share = released.low[ones[group]] / self._scale, released.high[ones[group]] / self._scale
            found.append(mean_of_few(variable.name, rows, share, coding))
        return tuple(one for one in found if one is not None)

    def _has_all_rows(self, schema: Schema) -> bool:
        return self.missing == "include" or not any(schema[name].missing for name in self.variables)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        keep = counted(self, table, self._complete())
        found, offset = [], 0
        for names in self._subsets():
            groups = self._groups(table.schema, names)
            figures = offset + np.arange(groups.n_groups)
            offset += groups.n_groups
            what: What = "count" if self.statistic == "counts" else "share"
            found.append(Behind(what, figures, np.where(keep, groups.numbers(table), -1), None, names, groups.shape))
        if self.statistic != "counts":
            groups = self._groups(table.schema, self._below())
            names = groups.names
            group, texts = np.where(keep, groups.numbers(table), -1), tuple(t or "total" for t in groups.labels())
            found.append(Behind("base", np.full(groups.n_groups, -1), group, None, names, groups.shape, texts))
        return tuple(found)

    def evaluate(self, table: Table) -> Figures:
        groups = self._groups(table.schema)
        shape = groups.shape
        number = groups.numbers(table)
        keep = counted(self, table) & (number >= 0)
        if self.weights is None:
            cells = table.tally(number, groups.n_groups, keep).astype(np.float64).reshape(shape)
        else:
            weights = row_weights(self, table)[keep]
            cells = np.bincount(number[keep], weights, minlength=groups.n_groups).astype(np.float64).reshape(shape)
        axes = {name: i for i, name in enumerate(self.variables)}
        parts = []
        for names in self._subsets():
            dropped = tuple(axes[n] for n in self.variables if n not in names)
            parts.append(cells.sum(axis=dropped).ravel())
        counts = np.concatenate(parts)
        status = Status.OK if keep.any() else Status.EMPTY
        if self.statistic == "counts":
            return with_keys(self, Figures(self.labels(table.schema), counts, status), table)
        within = None if self._within is None else (range(len(shape))[self._within],)
        below = np.broadcast_to(cells.sum(axis=within, keepdims=True), shape).ravel()
        below = below if within is not None else np.full(len(counts), cells.sum())
        shares = np.full(len(counts), np.nan)
        np.divide(self._scale * counts, below, out=shares, where=below > 0)
        if status is Status.OK and np.isnan(shares).any():
            status = Status.EMPTY_GROUP
        return Figures(self.labels(table.schema), shares, status)

    def linear(self, schema: Schema, released: Released) -> Linear:
        weight = weight_term(self, schema, self._complete())
        terms, offset = self._cell_terms(schema)
        if self.statistic == "counts":
            return Linear.of_totals(Block(tuple(terms), offset, weight=weight), released, self.weights is None)
        below, inside = self._denominators(schema), self._groups(schema)
        terms.append(inside.term(index=offset + below[: inside.n_groups]))
        block = Block(tuple(terms), offset + int(below.max(initial=0)) + 1, weight=weight)
        return Linear.of_ratios(block, below, self._scale, released)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        # All terms count the same rows: those complete on every variable of the table.
        weight = weight_term(self, schema, self._complete())
        terms, offset = self._cell_terms(schema)
        low, high, unit = released.residual_low, released.residual_high, released.half
        if self.statistic == "counts":
            block = Block(tuple(terms), offset, weight=weight)
            return Lowered((block,), released.centre, DiagonalResiduals(np.ones(offset)), low, high, unit)
        if self._within is None and weight is None:
            block = Block(tuple(terms), offset)
            return Lowered((block,), np.zeros(offset), ShareResiduals(released.centre, self._scale), low, high, unit)
        group = self._denominators(schema)
        n_groups = int(group.max(initial=0)) + 1
        inside = self._groups(schema)
        terms.append(inside.term(index=offset + group[: inside.n_groups]))
        occupied = np.unique(group[released.is_given])
        ratio = RatioResiduals(group, released.centre, self._scale, occupied)
        cells = np.arange(len(group)) < inside.n_groups
        low, high = np.clip([released.low / self._scale, released.high / self._scale], 0.0, 1.0)
        below = self._groups(schema, self._below())
        keys = group_keys(self, schema, below, self._complete())
        sized = SizedResiduals(ratio, np.zeros(offset), possible_sizes(group, low, high, cells), keys)
        return Lowered(
            (Block(tuple(terms), offset + n_groups, weight=weight),),
            np.zeros(offset + n_groups),
            ratio if self.weights else sized,
            *ratio.bounds(released, half_row(self, schema)),
            is_linear=False,
            sized=None if self.weights else sized,
        )

    def _cell_terms(self, schema: Schema) -> tuple[list[Term], int]:
        """A term for the cells of the table and for each of its margins, and how many cells they have together."""
        terms, offset = [], 0
        for names in self._subsets():
            groups = self._groups(schema, names)
            terms.append(groups.term(index=offset + np.arange(groups.n_groups)))
            offset += groups.n_groups
        return terms, offset

    def _below(self) -> tuple[str, ...]:
        """The variables that make the groups of which figures are shares."""
        return () if self._within is None else self.variables[:-1] if self._within else self.variables[1:]

    def _denominators(self, schema: Schema) -> Integers:
        """Which total each figure is a share of."""
        if self._within is None:
            return np.zeros(len(self.labels(schema)), dtype=np.int64)
        shape = self._groups(schema).shape
        axis = range(len(shape))[self._within]
        others = [n for i, n in enumerate(shape) if i != axis]
        numbers = np.arange(int(np.prod(others))).reshape(others)
        return np.broadcast_to(np.expand_dims(numbers, axis), shape).ravel().astype(np.int64)
