"""Position: medians, other quantiles and interquartile ranges of numeric variables, by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy import sparse

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.grouped import Grouped, undefined_as_status
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.quantiles import (
    QuantileCell,
    QuantilePlan,
    QuantileResiduals,
    SpreadCell,
    grouped_quantiles,
)
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.output import Example, Growth
from divulge.outputs.recipes import by_groups
from divulge.outputs.released.precision import SLACK, Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Position(Grouped):
    """Quantiles of each variable in each group, and the interquartile range.

    Type 7 (the default of numpy, pandas and R) without weights; with weights the smallest value up to which the share
    of the weight lies.
    """

    kind: ClassVar[str] = "position"
    statbarn: ClassVar[Statbarn] = Statbarn.POSITION
    can_suppress: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    residuals_are_figures: ClassVar[bool] = False
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"median": {}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Median age by tenure and sex", {"variables": ["AGE"], "by": ["TENURE", "SEX"], "decimals": 1}),
        Example(
            "Quartiles, their distance and the 90th percentile of adults' ages",
            {"variables": ["AGE"], "quantiles": [0.25, 0.75, 0.9], "iqr": True, "where": "AGE >= 18"},
        ),
        Example("Weighted median", {"variables": ["AGE"], "by": ["LTILL"], "weights": "MSTATUS"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose quantiles are shown."]
    quantiles: Annotated[tuple[float, ...], "Which quantiles, between 0 and 1; 0.5 is the median."] = (0.5,)
    iqr: Annotated[bool, "Whether the interquartile range is shown too."] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.quantiles and not self.iqr:
            raise OutputError("at least one quantile is needed.", where="quantiles", hint="0.5 is the median.")
        for i, p in enumerate(self.quantiles):
            if not 0 <= p <= 1:
                raise OutputError(f"a number between 0 and 1 is needed, {p:g} is given.", where=f"quantiles[{i}]")
        if len(set(self.quantiles)) != len(self.quantiles):
            raise OutputError("a quantile is named twice.", where="quantiles")

    @property
    def growth(self) -> Growth:
        return "intensive" if self.weights else "neither"

    def statistics(self) -> tuple[str, ...]:
        named = ["median" if p == 0.5 else f"p{100 * p:g}" for p in self.quantiles]
        return (*named, *(["IQR"] if self.iqr else []))

    def whats(self) -> Sequence[tuple[What, float]]:
        # The quantiles 0 and 1 are the extremes. A quarter lies on each side of the interquartile range.
        ends: dict[float, What] = {0.0: "minimum", 1.0: "maximum"}
        return [(ends.get(p, "quantile"), p) for p in (*self.quantiles, *([0.25] if self.iqr else []))]

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return None
        figures = [f"x.quantile({q!r})" for q in self.quantiles]
        figures += ["x.quantile(0.75) - x.quantile(0.25)"] if self.iqr else []
        return by_groups(self.variables, self.by, schema, figures)

    def describe(self) -> str:
        shown = ", ".join(self.statistics())
        return self.describe_as(shown[0].upper() + shown[1:])

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        least: list[float] = []
        most: list[float] = []
        for name in self.variables:
            values = schema[name].numbers[: schema[name].n_values]
            bottom, top = values.min(initial=np.inf), values.max(initial=-np.inf)
            least += [bottom] * len(self.quantiles) + [0.0] * self.iqr
            most += [top] * len(self.quantiles) + [top - bottom] * self.iqr
        n_groups = Groups.of(schema, self.by).n_groups
        return np.repeat(least, n_groups), np.repeat(most, n_groups)

    def evaluate(self, table: Table) -> Figures:
        asked = [*self.quantiles, *((0.25, 0.75) if self.iqr else ())]
        parts, sizes = [], []
        for column in self.columns(table):
            found = grouped_quantiles(column, asked, self.weights is not None)
            n = len(self.quantiles)
            shown = found[:n] if not self.iqr else np.vstack([found[:n], found[n + 1] - found[n]])
            parts.append(shown.ravel())
            sizes.append(np.tile(column.sums(), len(shown)))
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def linear(self, schema: Schema, released: Released) -> Linear:
        """Of n rows more than p (n − 1) are at most the quantile's upper end, and fewer than that + 1 below its lower.

        Quantiles of type 7 lie between the rows ⌊p (n − 1)⌋ and ⌈p (n − 1)⌉ in order (Hyndman & Fan 1996).
        """
        groups = Groups.of(schema, self.by)
        n_groups, n_statistics, n = groups.n_groups, len(self.statistics()), len(released.labels)
        slack = SLACK * np.maximum(np.abs(released.centre), released.half)
        terms: list[Term] = []
        rows, low, high, which = [], [], [], []
        for v, name in enumerate(self.variables):
            numbers = schema[name].numbers[: schema[name].n_values]
            spanned = Groups.of(schema, (*self.by, name))
            for s, p in enumerate(self.quantiles):
                figure = (v * n_statistics + s) * n_groups + np.arange(n_groups)
                at_most = numbers <= (released.high + slack)[figure, None]
                below = numbers < (released.low - slack)[figure, None]
                for place, chosen in enumerate((at_most, below, np.ones_like(below))):
                    terms.append(spanned.term(index=np.where(chosen, place * n + figure[:, None], -1).ravel()))
                given = figure[released.is_given[figure]]
                each = sparse.eye_array(n, format="csr")[given]
                empty = sparse.csr_array(each.shape)
                rows += [sparse.hstack([each, empty, -p * each]), sparse.hstack([empty, each, -p * each])]
                # With weights p of their sum lies at or below the quantile, and less than that below it.
                ends = (-p, 1.0 - p) if self.weights is None else (0.0, 0.0)
                low += [np.full(len(given), ends[0]), np.full(len(given), -np.inf)]
                high += [np.full(len(given), np.inf), np.full(len(given), ends[1])]
                which += [given, given]
        block = Block(tuple(terms), 3 * n, weight=weight_term(self, schema))
        combine = sparse.csr_array(sparse.vstack([sparse.csr_array((0, 3 * n)), *rows]))
        figures = np.concatenate([np.zeros(0, dtype=np.int64), *which])
        return Linear(block, combine, np.concatenate([[], *low]), np.concatenate([[], *high]), figures, False)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        groups = Groups.of(schema, self.by)
        n_quantiles, n_statistics = len(self.quantiles), len(self.statistics())
        terms: list[Term] = []
        cells: list[QuantileCell] = []
        spreads: list[SpreadCell] = []
        offset = 0
        for v, name in enumerate(self.variables):
            numbers = schema[name].numbers
            order = np.argsort(numbers[: schema[name].n_values], kind="stable")
            ordered = numbers[order]
            rank = np.full(schema[name].n_codes, -1)
            rank[order] = np.arange(len(order))
            spanned = Groups.of(schema, (*self.by, name))
            index = np.full((groups.n_groups, len(order)), -1, dtype=np.int64)
            shares = np.full((groups.n_groups, len(order)), -1, dtype=np.int64)
            for g in range(groups.n_groups):
                figures = [v * n_statistics * groups.n_groups + s * groups.n_groups + g for s in range(n_statistics)]
                known = [s for s in range(n_quantiles) if released.is_given[figures[s]]]
                plans = [
                    QuantilePlan.of(
                        ordered,
                        self.quantiles[s],
                        released.low[figures[s]],
                        released.high[figures[s]],
                        self.weights is not None,
                    )
                    for s in known
                ]
                if plans:
                    cuts = tuple(sorted(set().union(*(plan.cuts() for plan in plans))))
                    own = tuple(figures[s] for s in known)
                    cells.append(QuantileCell(offset, cuts, tuple(plans), own, v, len(order)))
                    index[g] = offset + np.searchsorted(cuts, rank[: len(order)], side="right")
                    offset += len(cuts) + 1
                if self.iqr and released.is_given[figures[-1]]:
                    spreads.append(SpreadCell(offset, ordered, figures[-1], released.centre[figures[-1]]))
                    shares[g] = offset + rank[: len(order)]
                    offset += len(order)
            terms.append(spanned.term(index=index.ravel()))
            if self.iqr:
                terms.append(spanned.term(index=shares.ravel()))
        residuals = QuantileResiduals(
            self, released.low, released.high, tuple(cells), tuple(spreads), self.weights is not None
        )
        return Lowered(
            (Block(tuple(terms), offset, weight=weight_term(self, schema)),),
            np.zeros(offset),
            residuals,
            *residuals.bounds(released.half, released.centre),
            is_linear=False,
            nearest=None if self.iqr or self.weights is not None else residuals.nearest,
        )
