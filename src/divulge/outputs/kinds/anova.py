"""Analysis of variance: the table of a linear model, term by term."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.smooth import SmoothSums, f_tail, log_f_tail
from divulge.outputs.models.cross_products import CrossProducts
from divulge.outputs.models.design import LevelCounts, design_of, schema_counts
from divulge.outputs.models.linear_test import LinearTest
from divulge.outputs.models.model import Model, counts_in
from divulge.outputs.models.spreads import spread_of_response
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.outputs.spreads import Spread
from divulge.outputs.stated import about_number
from divulge.settings import Entries
from divulge.table import Schema, Table

Shown = Literal["df", "sum sq", "mean sq", "F", "p"]
RESIDUAL = "Residual"
"""What is left when all terms are in; it has no F and no p."""


@dataclass(frozen=True, kw_only=True)
class Anova(LinearTest):
    """Degrees of freedom, sums of squares, F and p of each term of a linear model (Fisher 1925), as R's `anova` and
    statsmodels' `anova_lm` print them. Type 1: each term given those before it; type 2: given all that do not contain
    it; type 3: given all others, as their columns are coded (Yates 1934). It is lowered: all figures are functions of
    X'X and X'y.
    """

    kind: ClassVar[str] = "anova"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Ages by sex and tenure", {"formula": "AGE ~ SEX + TENURE", "decimals": 2}),
        Example(
            "Type 2, with an interaction: F and p", {"formula": "AGE ~ SEX*LTILL", "type": 2, "show": ["df", "F", "p"]}
        ),
    )

    type: Annotated[
        Literal[1, 2, 3],
        "Sums of squares of type 1 (R's anova), 2 (car's Anova) or 3 (SPSS, SAS), without a row of the intercept.",
    ] = 1
    show: Annotated[
        tuple[Shown, ...], "Which of df, sum sq, mean sq, F, p are published.", Entries(least=1, differ=True)
    ] = (
        "df",
        "sum sq",
        "mean sq",
        "F",
        "p",
    )

    def check_fields(self, schema: Schema) -> None:
        model = self.model(schema)
        if model.design.intercept < 0 or model.design.n_columns < 2:
            raise OutputError(
                "an intercept and something else are needed.", where="formula", hint="Leave - 1 and + 0 out."
            )

    def _terms(self, model: Model) -> tuple[str, ...]:
        return tuple(":".join(f.text for f in term) for term in model.formula.terms if term)

    def _placed(self, schema: Schema) -> list[tuple[str, Shown]]:
        """Which term and which figure, in the order of the labels: term by term, what is left last."""
        left: tuple[Shown, ...] = tuple(s for s in self.show if s not in ("F", "p"))
        terms = self._terms(self.model(schema))
        return [*((term, s) for term in terms for s in self.show), *((RESIDUAL, s) for s in left)]

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{shown} | {term}" for term, shown in self._placed(schema))

    def grid(self, schema: Schema) -> Grid:
        placed = self._placed(schema)
        rows = list(dict.fromkeys(term for term, _ in placed))
        numbers = np.full((len(rows), len(self.show)), -1)
        for number, (term, shown) in enumerate(placed):
            numbers[rows.index(term), self.show.index(shown)] = number
        kept = [i for i in range(len(rows)) if (numbers[i] >= 0).any()]
        return grid_of(("Term",), [(rows[i],) for i in kept], self.show, numbers[kept])

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula):
            return None
        names = {"df": "df", "sum sq": "sum_sq", "F": "F", "p": "PR(>F)"}
        code = {s: f"table[{names[s]!r}]" if s in names else "table['sum_sq'] / table['df']" for s in self.show}
        parts = ", ".join(f"{s!r}: {code[s]}" for s in self.show)
        return [
            f"table = sm.stats.anova_lm(smf.ols({self.formula!r}, rows).fit(), typ={self.type})",
            f"table = pd.DataFrame({{{parts}}}).drop(index='Intercept', errors='ignore').stack()",
            "found = pd.Series({f'{shown} | {term}': value for (term, shown), value in table.dropna().items()})",
        ]

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        most = {"df": np.inf if n_rows is None else float(n_rows), "p": 1.0}
        placed = self._placed(schema)
        return np.zeros(len(placed)), np.array([most.get(shown, np.inf) for _, shown in placed])

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        """The sums of squares of type 1 add up to that of the response."""
        model = self.model(table.schema)
        placed, terms = self._placed(table.schema), self._terms(model)
        degrees = {t: v for (t, s), v in zip(placed, released.values.tolist(), strict=True) if s == "df"}
        errors: dict[str, list[float]] = {term: [np.inf] for term in (*terms, RESIDUAL)}
        for (term, shown), value, half in zip(placed, released.values, released.half, strict=True):
            times = {"sum sq": 1.0, "mean sq": degrees.get(term, np.nan)}.get(shown, np.nan)
            if np.isfinite([value, half, times]).all():
                errors[term].append(float(half * times))
        error = sum(min(found) for found in errors.values())
        response = model.formula.response
        if not np.isfinite(error) or (self.type != 1 and len(terms) > 1):
            return ()
        about = (
            about_number(table, response.variable)
            if response.text == response.variable
            else (
                response.variable,
                response.text,
            )
        )
        own = np.nan_to_num(model.y)[table[response.variable]]
        return (spread_of_response(about, own, self.behind(table)[0].group >= 0, error, table),)

    def evaluate(self, table: Table) -> Figures:
        sums = self._sums(table.schema, counts_in(self, table))
        return sums.evaluate(self.labels(table.schema), table, Status.CONSTANT)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        return f"Analysis of variance of {self.formula}" + (f", where {self.where}" if self.where else "") + "."

    def _compared(self, model: Model, schema: Schema) -> list[tuple[Integers, Integers]]:
        """For each term the columns of the model without it and with it."""
        terms = model.formula.terms
        ends = [0]
        for k in range(len(terms)):
            part = replace(model.formula, terms=terms[: k + 1])
            ends.append(design_of(part, schema, schema_counts(schema)).n_columns)
        columns = [np.arange(a, b) for a, b in pairwise(ends)]
        texts = [frozenset(f.text for f in term) for term in terms]
        found = []
        for k, term in enumerate(terms):
            if not term:
                continue
            given = range(k) if self.type == 1 else [j for j in range(len(terms)) if j != k]
            others = [j for j in given if self.type != 2 or not texts[j] > texts[k]]
            before = np.concatenate([np.zeros(0, dtype=np.int64), *(columns[j] for j in others)])
            found.append((np.sort(before), np.sort(np.append(before, columns[k]))))
        return found

    def _sums(self, schema: Schema, counts: LevelCounts | None = None) -> SmoothSums:
        model = self.model(schema, counts)
        sums = CrossProducts.of(self, model, schema)
        compared, terms, placed = self._compared(model, schema), self._terms(model), self._placed(schema)

        def figures(totals: Floats, p_value: Callable[[float, float, float], float] = f_tail) -> Floats:
            rank, explained = sums.explained(totals)
            df_left, left = sums.rows(totals) - rank, sums.square(totals) - explained
            is_known = df_left > 0 and left > 1e-14 * sums.variation(totals)  # rounding leaves that of a perfect fit
            unit = sums.scale**2
            by_term = {RESIDUAL: {"df": df_left, "sum sq": unit * left, "mean sq": unit * left / max(df_left, 1.0)}}
            for term, (before, behind) in zip(terms, compared, strict=True):
                (rank_0, part_0), (rank_1, part_1) = sums.explained(totals, before), sums.explained(totals, behind)
                df, part = rank_1 - rank_0, max(part_1 - part_0, 0.0)
                f = part / df / (left / df_left) if df > 0 and is_known else np.nan
                mean = unit * part / df if df > 0 else np.nan
                p = p_value(df, df_left, f) if df > 0 and is_known else np.nan
                by_term[term] = {"df": float(df), "sum sq": unit * part, "mean sq": mean, "F": f, "p": p}
            if not is_known:
                return np.full(len(placed), np.nan)
            return np.array([by_term[term][shown] for term, shown in placed])

        return SmoothSums(
            (sums.block,),
            figures,
            are_tails=np.array([shown == "p" for _, shown in placed]),
            searched=lambda totals: figures(totals, log_f_tail),
        )
