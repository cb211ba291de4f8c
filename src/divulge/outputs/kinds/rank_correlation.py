"""Rank correlations: Spearman's ρ and Kendall's τ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind, one_group
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.paired import Paired
from divulge.outputs.lowering.rows import counted, weight_term
from divulge.outputs.lowering.smooth import SmoothSums, SumsResiduals
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table

MOST_BINS = 20
"""Values of a variable that are told apart in derivatives; neighbours hardly differ in what they add to a rank."""


@dataclass(frozen=True, kw_only=True)
class RankCorrelation(Paired):
    """Spearman's ρ (1904), or Kendall's τ-b (1945), of each pair of variables, on the rows complete on all of them."""

    is_of_sums: ClassVar[bool] = True
    is_of_order: ClassVar[bool] = True
    kind: ClassVar[str] = "rank-correlation"
    statbarn: ClassVar[Statbarn] = Statbarn.MODELS
    takes_weights: ClassVar[bool] = False
    can_suppress: ClassVar[bool] = True
    is_exact: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age and marital status", {"variables": ["AGE", "MSTATUS"]}),
        Example("Kendall's", {"variables": ["AGE", "MSTATUS", "LTILL"], "rank": "kendall", "decimals": 3}),
    )

    rank: Annotated[Literal["spearman", "kendall"], "Spearman's ρ or Kendall's τ-b."] = "spearman"

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        pairs = [f"r.loc[{a!r}, {b!r}]" for a, b in combinations(self.variables, 2)]
        return [
            f"r = rows[{list(self.variables)!r}].astype(float).dropna().corr(method={self.rank!r})",
            f"found = [{', '.join(pairs)}]",
        ]

    def responses(self) -> tuple[str, ...]:
        return self.variables

    def behind(self, table: Table) -> tuple[Behind, ...]:
        rows = counted(self, table, self.variables)
        pairs = combinations(self.variables, 2)
        found = [one_group("correlation", rows, figure, parameters=2) for figure, _ in enumerate(pairs)]
        # Of two values the rank of whoever has the rarer one is told.
        for name in self.variables:
            values, number = np.unique(table[name][rows], return_inverse=True)
            if len(values) == 2:
                own = np.full(table.n_rows, -1)
                own[rows] = number
                texts = tuple(f"class {k + 1} of {name}" for k in range(2))
                found.append(Behind("class", np.full(2, -1), own, texts=texts))
        return tuple(found)

    def evaluate(self, table: Table) -> Figures:
        labels = self.labels(table.schema)
        rows = np.flatnonzero(counted(self, table, self.variables))
        if not len(rows):
            return Figures(labels, np.full(len(labels), np.nan), Status.EMPTY)
        places = {name: _places(table.schema, name)[table[name][rows]] for name in self.variables}
        values = []
        for a, b in combinations(self.variables, 2):
            x, y = (np.unique(places[name], return_inverse=True)[1] for name in (a, b))
            shape = int(x.max()) + 1, int(y.max()) + 1
            values.append(self._figure(np.bincount(x * shape[1] + y, minlength=shape[0] * shape[1]).reshape(shape)))
        found = np.array(values)
        return Figures(labels, found, Status.OK if np.isfinite(found).all() else Status.CONSTANT)

    def _figure(self, joint: Floats | Integers) -> float:
        """From the counts of each pair of values."""
        a, b, n = joint.sum(axis=1), joint.sum(axis=0), float(joint.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.rank == "spearman":
                x, y = np.cumsum(a) - a / 2.0 - n / 2.0, np.cumsum(b) - b / 2.0 - n / 2.0
                return float(np.divide(x @ joint @ y, np.sqrt((a @ x**2) * (b @ y**2))))
            # Pairs further on in both, less those further on in one and back in the other.
            below = np.cumsum(joint[::-1], axis=0)[::-1]
            below = np.concatenate([below[1:], np.zeros((1, joint.shape[1]))])
            right = np.cumsum(below[:, ::-1], axis=1)[:, ::-1]
            after = np.concatenate([right[:, 1:], np.zeros((len(joint), 1))], axis=1)
            before = right[:, :1] - right
            pairs = float((joint * (after - before)).sum())
            return float(np.divide(2.0 * pairs, np.sqrt((n**2 - a @ a) * (n**2 - b @ b))))

    def lower(self, schema: Schema, released: Released) -> Lowered:
        weight = weight_term(self, schema, self.variables)
        blocks, shapes = [], []
        for a, b in combinations(self.variables, 2):
            levels = [_binned(schema, name) for name in (a, b)]
            shape = tuple(int(level.max(initial=0)) + 1 for level in levels)
            blocks.append(Block((Term.cross((a, b), levels),), shape[0] * shape[1], weight=weight))
            shapes.append(shape)
        ends = np.cumsum([0, *(s[0] * s[1] for s in shapes)])

        def figures(totals: Floats) -> Floats:
            parts = [totals[i:j].reshape(s) for i, j, s in zip(ends[:-1], ends[1:], shapes, strict=True)]
            return np.array([self._figure(part) for part in parts])

        slopes = SumsResiduals(SmoothSums(tuple(blocks), figures), released.centre, released.half)
        low, high = released.residual_low, released.residual_high
        residuals = _RankResiduals(self, slopes, released.centre, released.half)
        return Lowered(tuple(blocks), np.zeros(int(ends[-1])), residuals, low, high, released.half, is_linear=False)

    def describe(self) -> str:
        named = "Spearman's ρ" if self.rank == "spearman" else "Kendall's τ-b"
        return f"{named} of {', '.join(self.variables)}" + (f", where {self.where}" if self.where else "") + "."


@dataclass(frozen=True, eq=False)
class _RankResiduals:
    """The correlation itself − released; its derivatives are those of grouped values."""

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    output: RankCorrelation
    slopes: SumsResiduals
    released: Floats
    half: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        _, jacobian = self.slopes.linearise(totals, table)
        found = self.output.evaluate(table).values
        # Far away where it is not defined, and finite.
        return np.where(np.isfinite(found), found - self.released, 1e3 * self.half), jacobian


def _places(schema: Schema, name: str) -> Integers:
    """The place of each code among the values in order; missing ones are never asked for."""
    variable = schema[name]
    places = np.full(variable.n_codes, -1, dtype=np.int64)
    order = np.argsort(variable.numbers[: variable.n_values], kind="stable")
    places[order] = np.arange(variable.n_values)
    return places


def _binned(schema: Schema, name: str) -> Integers:
    places, n = _places(schema, name), schema[name].n_values
    return np.where(places < 0, -1, places * min(n, MOST_BINS) // max(n, 1))
