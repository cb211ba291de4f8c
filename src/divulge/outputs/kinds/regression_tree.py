"""Regression tree: how many rows are in each leaf, the mean of the response there, and how far people are from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind, What
from divulge.outputs.few_people import FewPeople, groups_of_few, mean_of_few
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.leaves import Leaves
from divulge.outputs.lowering.grouped import known_numbers, present
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import RatioResiduals, SizedResiduals
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.lowering.sizes import GroupKey, sizes_of_means
from divulge.outputs.lowering.smooth import SmoothSums, scaled_numbers
from divulge.outputs.models.pieces import crossed
from divulge.outputs.output import Example, Growth
from divulge.outputs.released.precision import Released
from divulge.outputs.spreads import Spread
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import about_number
from divulge.settings import Entries
from divulge.table import Schema, Table

Shown = Literal["n", "mean", "mse", "deviance"]
_WHATS: dict[str, What] = {"n": "count", "mean": "mean", "mse": "variance", "deviance": "variance"}
_SPREADS = ("mse", "deviance")


@dataclass(frozen=True, kw_only=True)
class RegressionTree(Leaves):
    """A fitted regression tree (Breiman et al. 1984) as the table that it is: for each leaf how many rows it has, the
    mean of the response there, and where asked for the mean (mse) or the sum (deviance) of squared distances from it.
    """

    kind: ClassVar[str] = "regression-tree"
    statbarn: ClassVar[Statbarn] = Statbarn.AGGREGATES
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age by tenure and illness",
            {
                "response": "AGE",
                "variables": ["TENURE", "LTILL"],
                "leaves": ["TENURE = 1 and LTILL = Yes", "TENURE = 1 and LTILL = No", "TENURE = 0"],
                "decimals": 2,
            },
        ),
        Example(
            "Means of leaves alone, as a text of scikit-learn has them",
            {
                "response": "AGE",
                "variables": ["TENURE", "LTILL"],
                "leaves": ["TENURE = 1 and LTILL = Yes", "TENURE = 1 and LTILL = No", "TENURE = 0"],
                "show": ["mean"],
                "decimals": 2,
            },
        ),
    )

    show: Annotated[
        tuple[Shown, ...], "Which figures of each leaf: n, mean, mse, deviance.", Entries(least=1, differ=True)
    ] = ("n", "mean")

    @property
    def growth(self) -> Growth:
        kinds = {name in ("n", "deviance") for name in self.show}
        return "neither" if len(kinds) > 1 else "extensive" if kinds == {True} else "intensive"

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        with in_field("response"):
            numeric(schema, self.response)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        del schema
        return tuple(f"{name} in {leaf}" for name in self.show for leaf in self.leaves)

    def grid(self, schema: Schema) -> Grid:
        del schema
        numbers = np.arange(len(self.show) * len(self.leaves)).reshape(len(self.show), -1)
        return grid_of(("Leaf",), [(leaf,) for leaf in self.leaves], self.show, numbers.T, self.response)

    def describe(self) -> str:
        return self.describe_as("Regression tree")

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        numbers = schema[self.response].numbers[: schema[self.response].n_values]
        least, most = float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf))
        ends = {"n": (0.0, np.inf if n_rows is None else float(n_rows)), "mean": (least, most)}
        shown = [ends.get(name, (0.0, np.inf)) for name in self.show for _ in self.leaves]
        return np.array([low for low, _ in shown]), np.array([high for _, high in shown])

    def _figures(self, name: Shown) -> slice:
        start = self.show.index(name) * len(self.leaves)
        return slice(start, start + len(self.leaves))

    def behind(self, table: Table) -> tuple[Behind, ...]:
        leaf, n = self.leaf_of_row(table), len(self.leaves)
        return tuple(
            Behind(_WHATS[name], i * n + np.arange(n), leaf, None if name == "n" else self.response)
            for i, name in enumerate(self.show)
        )

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        if "mean" not in self.show:
            return ()
        variable, means = table.schema[self.response], self._figures("mean")
        numbers = np.where(variable.is_missing, np.nan, variable.numbers)
        low, high = released.low[means], released.high[means]
        found = [
            mean_of_few(self.response, rows, (float(low[leaf]), float(high[leaf])), numbers)
            for leaf, rows in groups_of_few(self.leaf_of_row(table), most)
        ]
        return tuple(one for one in found if one is not None)

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        leaf = self.leaf_of_row(table)
        inside, n_leaves = leaf >= 0, len(self.leaves)
        own = np.nan_to_num(table.schema[self.response].numbers)[table[self.response]]
        people = np.bincount(leaf[inside], table.times[inside], minlength=n_leaves)
        sums = np.bincount(leaf[inside], (own * table.times)[inside], minlength=n_leaves)
        mean = np.divide(sums, people, out=np.zeros(n_leaves), where=people > 0)
        far = np.where(inside, own - mean[leaf], 0.0)
        found = []
        for behind, name in zip(self.behind(table), self.show, strict=True):
            if name in _SPREADS:
                half = released.half[behind.figures]
                error = np.where(people > 2, half * (people if name == "mse" else 1.0), np.inf)
                found.append(Spread(about_number(table, self.response), behind, own, far, error, 2))
        return found

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table, Status.EMPTY_GROUP)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._means(schema, released) if self.show == ("mean",) else self._sums(schema).lower(released)

    def _means(self, schema: Schema, released: Released) -> Lowered:
        """Means of leaves alone: Σ (y − μ*) of each is zero where its mean is as released, as it is of groups."""
        n, variable = len(self.leaves), schema[self.response]
        numbers, values = known_numbers(schema, self.response)[1], variable.numbers[: variable.n_values]
        people = Term.lookup(self.response, present(schema, self.response)[1])
        terms = []
        for leaf, (inside, mean) in enumerate(zip(self.leaf_terms(schema), released.centre.tolist(), strict=True)):
            terms.append(crossed(inside, Term.lookup(self.response, numbers - mean), 1))
            size = crossed(inside, people, 1)
            terms.append(replace(size, index=np.where(size.index < 0, -1, n + leaf).astype(np.int32)))
        ratio = RatioResiduals(np.arange(n), np.zeros(n), 1.0, np.flatnonzero(released.is_given))
        keys = self._keys(schema)
        sizes = sizes_of_means(values, released.low, released.high)
        sized = SizedResiduals(ratio, released.centre, sizes, keys)
        return Lowered(
            (Block(tuple(terms), 2 * n, weight=weight_term(self, schema)),),
            np.zeros(2 * n),
            sized,
            *ratio.bounds(released),
            is_linear=False,
            sized=sized,
        )

    def _keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """What says of each leaf which rows are in it: its condition."""
        lacking = frozenset([self.response] if schema[self.response].is_missing.any() else [])
        conditions = [leaf if self.where is None else f"({self.where}) and ({leaf})" for leaf in self.leaves]
        return tuple((condition, lacking, frozenset()) for condition in conditions)

    def _sums(self, schema: Schema) -> SmoothSums:
        """Rows, and sums of the response and of its square, of each leaf."""
        numbers, middle, scale = scaled_numbers(schema, self.response)
        powers = [Term.lookup(self.response, np.where(np.isnan(numbers), np.nan, numbers**k), k) for k in range(3)]
        terms = [crossed(inside, power, 3) for inside in self.leaf_terms(schema) for power in powers]
        block = Block(tuple(terms), 3 * len(self.leaves), weight=weight_term(self, schema))

        def figures(totals: Floats) -> Floats:
            n, first, second = totals.reshape(-1, 3).T
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = np.where(n > 0.5, first / n, np.nan)  # half a row: nobody
                mse = np.maximum(second / n - mean**2, 0.0) * scale**2
            found = {"n": n, "mean": middle + scale * mean, "mse": mse, "deviance": n * mse}
            return np.concatenate([found[name] for name in self.show])

        return SmoothSums((block,), figures)
