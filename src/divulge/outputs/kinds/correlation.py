"""Correlation matrix of numeric variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind, one_group
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.paired import Paired
from divulge.outputs.lowering.rows import counted, weight_term
from divulge.outputs.lowering.smooth import SmoothSums, product_term, scaled_numbers
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import Stated
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class Correlation(Paired):
    """Pearson's correlation of each pair of variables (Pearson 1895)."""

    kind: ClassVar[str] = "correlation"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    is_of_sums: ClassVar[bool] = True
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age, sex and tenure", {"variables": ["AGE", "SEX", "TENURE"]}),
        Example("Weighted, adults", {"variables": ["AGE", "LTILL"], "where": "AGE >= 18", "weights": "ETHGROUP"}),
        Example("Pair by pair", {"variables": ["AGE", "LTILL", "SEX"], "rows": "pairwise", "decimals": 2}),
    )

    rows: Annotated[
        Literal["complete", "pairwise"], "Rows complete on all variables, or for each pair those complete on it."
    ] = "complete"

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return None
        complete = ".dropna()" if self.rows == "complete" else ""
        pairs = [f"r.loc[{a!r}, {b!r}]" for a, b in combinations(self.variables, 2)]
        return [
            f"r = rows[{list(self.variables)!r}].astype(float){complete}.corr()",
            f"found = [{', '.join(pairs)}]",
        ]

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        if self.rows == "pairwise" or not np.isfinite(released.values).all():
            return None
        n = len(self.variables)
        matrix = np.eye(n)
        for (i, j), value in zip(combinations(range(n), 2), released.values, strict=True):
            matrix[i, j] = matrix[j, i] = value
        # Rounding moves an eigenvalue by at most the largest sum of a row's half-units (Gershgorin 1931).
        if np.linalg.eigvalsh(matrix)[0] < -n * float(released.half.max()):
            return "the correlations contradict each other: no data have such a matrix."
        return None

    def responses(self) -> tuple[str, ...]:
        return self.variables

    def behind(self, table: Table) -> tuple[Behind, ...]:
        found = []
        for figure, pair in enumerate(combinations(self.variables, 2)):
            rows = counted(self, table, self.variables if self.rows == "complete" else pair)
            found.append(one_group("correlation", rows, figure, parameters=2))
        return tuple(found)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """Σ (x − x̄) y = r n s_x s_y, of each pair both ways, for whoever has mean and spread of y."""
        found = []
        for (a, b), behind, half in zip(
            combinations(self.variables, 2), self.behind(table), released.half.tolist(), strict=True
        ):
            inside = behind.group >= 0
            for x, y in ((a, b), (b, a)) if inside.any() and np.isfinite(half) else ():
                left, right = (np.nan_to_num(table.schema[name].numbers)[table[name]] for name in (x, y))
                centred = np.where(inside, left - left[inside].mean(), 0.0)
                design = np.column_stack([inside.astype(np.float64), centred])
                spread = float(inside.sum() * left[inside].std() * right[inside].std())
                error = np.array([0.0, half * spread])
                found.append(Stated((y, f"{y} beside {x}"), right, inside, design.__getitem__, error, "canonical"))
        return found

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        text = f"Correlations of {', '.join(self.variables)}"
        return text + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        """For each set of rows: 1, each variable, each product of two."""
        sets = [self.variables] if self.rows == "complete" else list(combinations(self.variables, 2))
        numbers = {name: scaled_numbers(schema, name)[0] for name in self.variables}
        blocks = []
        for names in sets:
            terms = [Term.constant(0)]
            terms += [product_term([a], [numbers[a]], 1 + i) for i, a in enumerate(names)]
            for k, (a, b) in enumerate(combinations_with_replacement(names, 2)):
                at = 1 + len(names) + k
                parts = ([a], [numbers[a] ** 2]) if a == b else ([a, b], [numbers[a], numbers[b]])
                terms.append(product_term(*parts, at))
            blocks.append(Block(tuple(terms), len(terms), weight=weight_term(self, schema, names)))
        sizes = [len(names) for names in sets]

        def figures(totals: Floats) -> Floats:
            found, start = [], 0
            for size in sizes:
                n_totals = 1 + size + size * (size + 1) // 2
                found.append(_correlations(totals[start : start + n_totals], size))
                start += n_totals
            return np.concatenate(found)

        return SmoothSums(tuple(blocks), figures)


def _correlations(totals: Floats, size: int) -> Floats:
    """Upper triangle, row by row, from n, sums and sums of products."""
    upper = np.triu_indices(size, 1)
    n = totals[0]
    if n <= 0:
        return np.full(len(upper[0]), np.nan)
    mean = totals[1 : 1 + size] / n
    products = np.zeros((size, size))
    products[np.triu_indices(size)] = totals[1 + size :] / n
    covariance = products - np.outer(mean, mean)
    variance = np.diagonal(covariance)
    # Numbers lie between −1 and 1, so what rounding leaves of a constant is below 1e-14.
    sd = np.sqrt(np.where(variance > 1e-14, variance, np.nan))
    return (covariance / np.outer(sd, sd))[upper]
