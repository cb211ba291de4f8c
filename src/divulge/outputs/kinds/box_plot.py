"""Box plots: whiskers, quartiles and median of numeric variables by groups, and how many rows lie beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, What
from divulge.outputs.figures import Figures
from divulge.outputs.kinds.position import Position
from divulge.outputs.lowering.grouped import Grouped, undefined_as_status
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import Residuals
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.output import Example, Growth
from divulge.outputs.recipes import every_group
from divulge.outputs.released.precision import SLACK, Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Range
from divulge.table import Schema, Table

_SHOWN = ("lower whisker", "lower quartile", "median", "upper quartile", "upper whisker", "beyond")
_QUARTILES = (1, 2, 3)
_SHARES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, kw_only=True)
class BoxPlot(Grouped):
    """What a box plot shows (Tukey 1977): quartiles, median, the last values within `reach` interquartile ranges of the
    box, and how many rows lie beyond these. Quartiles are of type 7, as matplotlib, seaborn and ggplot2 draw them.

    Points beyond the whiskers are single people: a plot that draws them releases their values (`extremes`). It is
    lowered: quartiles and whiskers are inequalities on counts.
    """

    kind: ClassVar[str] = "box-plot"
    statbarn: ClassVar[Statbarn] = Statbarn.POSITION
    takes_weights: ClassVar[bool] = False
    can_suppress: ClassVar[bool] = True
    residuals_are_figures: ClassVar[bool] = False
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Ages by tenure", {"variables": ["AGE"], "by": ["TENURE"], "decimals": 1}),
    )

    variables: Annotated[tuple[str, ...], "The variables that have a box."]
    reach: Annotated[float, "How many interquartile ranges whiskers reach beyond the box.", Range(above=0)] = 1.5

    @property
    def growth(self) -> Growth:
        return "neither"

    def statistics(self) -> tuple[str, ...]:
        return _SHOWN

    def whats(self) -> Sequence[tuple[What, float]]:
        # A whisker is a value of the data; a quarter lies between it and the box.
        quarters: list[tuple[What, float]] = [("quantile", share) for share in _SHARES]
        return [("minimum", np.nan), *quarters, ("maximum", np.nan), ("count", np.nan)]

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """Rows beyond the whiskers stand behind their number alone; all others behind the rest."""
        found = []
        for behind in super().behind(table):
            if behind.what != "count":
                found.append(behind)
                continue
            assert behind.variable is not None
            numbers = table.schema[behind.variable].numbers[table[behind.variable]]
            position = replace(self._position(), variables=(behind.variable,))
            quartiles = position.evaluate(table).values.reshape(3, -1)
            low, high = self._fences(quartiles[0], quartiles[2])
            group = np.maximum(behind.group, 0)
            with np.errstate(invalid="ignore"):
                is_beyond = (behind.group >= 0) & ((numbers < low[group]) | (numbers > high[group]))
            found.append(replace(behind, group=np.where(is_beyond, behind.group, -1), variable=None))
        return tuple(found)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        by = list(self.by)
        groups = f"rows.groupby({by!r}, observed=False)[name]" if by else "[(0, rows[name])]"
        return [
            *every_group(by, schema),
            "def box(x):",
            "    x = x.dropna().astype(float)",
            "    q = [x.quantile(p) for p in (0.25, 0.5, 0.75)]",
            f"    reach = {self.reach!r} * (q[2] - q[0])",
            "    inside = x[(x >= q[0] - reach) & (x <= q[2] + reach)]",
            "    return [inside.min(), *q, inside.max(), len(x) - len(inside)]",
            "found = []",
            f"for name in {list(self.variables)!r}:",
            f"    boxes = [box(x) for _, x in {groups}]",
            "    found += [b[k] for k in range(6) for b in boxes]",
        ]

    def describe(self) -> str:
        return self.describe_as("Box plots")

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        n_groups = Groups.of(schema, self.by).n_groups
        least: list[float] = []
        most: list[float] = []
        for name in self.variables:
            values = schema[name].numbers[: schema[name].n_values]
            least += [values.min(initial=np.inf)] * 5 + [0.0]
            most += [values.max(initial=-np.inf)] * 5 + [np.inf if n_rows is None else float(n_rows)]
        return np.repeat(least, n_groups), np.repeat(most, n_groups)

    def _position(self) -> Position:
        return Position(variables=self.variables, by=self.by, where=self.where, quantiles=_SHARES, empty=self.empty)

    def _fences(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Where whiskers end at most; rounding is no reason to leave a value out."""
        reach = self.reach * (upper - lower)
        slack = SLACK * np.maximum(np.abs(lower), np.abs(upper))
        return lower - reach - slack, upper + reach + slack

    def evaluate(self, table: Table) -> Figures:
        quartiles = self._position().evaluate(table).values.reshape(len(self.variables), 3, -1)
        parts, sizes = [], []
        for column, (lower, middle, upper) in zip(self.columns(table), quartiles, strict=True):
            low, high = self._fences(lower, upper)
            inside = (column.numbers >= low[column.groups]) & (column.numbers <= high[column.groups])
            ends = []
            for start, furthest in ((np.inf, np.minimum), (-np.inf, np.maximum)):
                values = np.full(column.n_groups, start)
                furthest.at(values, column.groups[inside], column.numbers[inside])
                ends.append(np.where(np.isfinite(values), values, np.nan))
            beyond = np.where(column.sums() > 0, column.sums(np.where(inside, 0.0, 1.0)), np.nan)
            parts += [ends[0], lower, middle, upper, ends[1], beyond]
            sizes += [column.sums()] * len(_SHOWN)
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def lower(self, schema: Schema, released: Released) -> Lowered:
        """Quartiles as `position` has them; then for each whisker that nobody lies between it and the fence and
        somebody at it, and how many lie beyond. Fences are those of the released quartiles."""
        n_groups, n = Groups.of(schema, self.by).n_groups, len(self.variables)
        number = np.arange(len(released.labels)).reshape(n, len(_SHOWN), n_groups)
        boxes = self._position().lower(schema, _chosen(released, number[:, _QUARTILES].ravel()))
        terms: list[Term] = []
        low: list[float] = []
        high: list[float] = []
        for v, name in enumerate(self.variables):
            terms.append(self._counts(schema, name, released, number[v], len(low)))
            for g in range(n_groups):
                known = released.is_given[number[v, :, g]]
                ends = [known[0] and known[1] and known[3], known[4] and known[1] and known[3]]
                for is_known in ends:
                    low += [-np.inf, 0.5 if is_known else -np.inf]
                    high += [0.5 if is_known else np.inf, np.inf]
                count = number[v, 5, g]
                low.append(released.low[count] if known[5] else -np.inf)
                high.append(released.high[count] if known[5] else np.inf)
        block = Block(tuple(terms), len(low), weight=weight_term(self, schema))
        more = np.zeros(len(low))
        return Lowered(
            (*boxes.blocks, block),
            np.append(boxes.constants, more),
            _BoxResiduals(boxes.residuals, boxes.n_totals),
            np.append(boxes.low, low),
            np.append(boxes.high, high),
            np.append(boxes.unit, more + 0.5),
            is_linear=False,
        )

    def _counts(self, schema: Schema, name: str, released: Released, number: Integers, first: int) -> Term:
        """Five counts a group, from `first`: between the lower fence and whisker, at it, the same above, beyond."""
        numbers = schema[name].numbers[: schema[name].n_values]
        n_groups = number.shape[1]
        index = np.full((n_groups, len(numbers)), -1, dtype=np.int64)
        centre = released.centre[number]
        fences = self._fences(centre[1], centre[3])
        slack = SLACK * np.maximum(np.abs(centre), released.half[number])
        low, high = released.low[number] - slack, released.high[number] + slack
        for g in range(n_groups):
            at = first + 5 * g
            below, above = numbers < low[0, g], numbers > high[4, g]
            index[g, numbers <= high[0, g]] = at + 1
            index[g, below] = at
            index[g, (numbers >= low[4, g])] = at + 3
            index[g, above] = at + 2
            index[g, (numbers < fences[0][g]) | (numbers > fences[1][g])] = at + 4
        return Groups.of(schema, (*self.by, name)).term(index=index.ravel())


@dataclass(frozen=True, eq=False)
class _BoxResiduals:
    """Residuals of the quartiles on the first totals; then each count is one."""

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = True
    boxes: Residuals
    n: int

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        residuals, jacobian = self.boxes.linearise(totals[: self.n], table)
        more = totals[self.n :]
        whole = np.zeros((len(residuals) + len(more), len(totals)))
        whole[: len(residuals), : self.n] = jacobian
        whole[len(residuals) :, self.n :] = np.eye(len(more))
        return np.append(residuals, more), whole


def _chosen(released: Released, which: Integers) -> Released:
    """Some of the figures."""
    return replace(
        released,
        labels=tuple(released.labels[i] for i in which.tolist()),
        values=released.values[which],
        low=released.low[which],
        high=released.high[which],
        half=released.half[which],
        se=None,
    )
