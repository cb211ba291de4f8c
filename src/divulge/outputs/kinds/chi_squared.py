"""χ² test of independence of two variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.special import gammaincc

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind, one_group
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, counted, weight_term
from divulge.outputs.lowering.smooth import Sums, evaluate_sums, lower_sums
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table

Shown = Literal["statistic", "df", "p"]
RANGES = {"statistic": (0.0, np.inf), "df": (0.0, np.inf), "p": (0.0, 1.0)}


@dataclass(frozen=True, kw_only=True)
class ChiSquared(Output):
    """Pearson's χ² of a crosstab of two variables, its degrees of freedom and its p-value (Pearson 1900).

    Values that nobody has take no part, as if they were no values. Weights count as rows.
    """

    kind: ClassVar[str] = "chi-squared"
    statbarn: ClassVar[Statbarn] = Statbarn.TESTS
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Illness and sex", {"variables": ["LTILL", "SEX"]}),
        Example("Area and tenure of adults", {"variables": ["AREAP", "TENURE"], "where": "AGE >= 18"}),
        Example("With Yates's correction", {"variables": ["LTILL", "TENURE"], "correction": True}),
    )

    variables: Annotated[tuple[str, ...], "The two variables."]
    correction: Annotated[bool, "Whether differences are made smaller by ½ in a 2 × 2 table (Yates 1934)."] = False
    show: Annotated[tuple[Shown, ...], "Which of statistic, df, p are published."] = ("statistic", "df", "p")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.variables)) != 2 or len(self.variables) != 2:
            raise OutputError("two different variables are needed.", where="variables")

    @property
    def growth(self) -> Growth:
        return "neither"

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return self.show

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return None
        a, b = self.variables
        names = {"statistic": "test.statistic", "df": "test.dof", "p": "test.pvalue"}
        return [
            # Levels that nobody has take no part in the test.
            f"table = pd.crosstab(rows[{a!r}], rows[{b!r}])",
            "table = table.loc[table.sum(axis=1) > 0, table.sum() > 0]",
            f"test = stats.chi2_contingency(table, correction={self.correction})",
            f"found = [{', '.join(names[s] for s in self.show)}]",
        ]

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        shape = Groups.of(schema, self.variables).shape
        most = {"df": float((shape[0] - 1) * (shape[1] - 1)), "statistic": np.inf, "p": 1.0}
        if n_rows is not None and self.weights is None:
            most["statistic"] = n_rows * float(min(shape) - 1)
        return np.zeros(len(self.show)), np.array([most[name] for name in self.show])

    def behind(self, table: Table) -> tuple[Behind, ...]:
        keep = counted(self, table, self.variables)
        found = [one_group("test", keep)]
        for name in self.variables:
            texts = tuple(f"{name}={text}" for text in table.schema[name].texts[: table.schema[name].n_values])
            level = np.where(keep, table[name].astype(np.int64), -1)
            found.append(Behind("term", np.full(len(texts), -1), level, texts=texts))
        return tuple(found)

    def evaluate(self, table: Table) -> Figures:
        return evaluate_sums(self._sums(table.schema), self.labels(table.schema), table)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return lower_sums(self._sums(schema), released)

    def describe(self) -> str:
        text = f"χ² test of {' and '.join(self.variables)}"
        return text[0].upper() + text[1:] + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> Sums:
        groups = Groups.of(schema, self.variables)
        block = Block((groups.term(),), groups.n_groups, weight=weight_term(self, schema))

        def figures(totals: Floats) -> Floats:
            found = chi_squared(totals.reshape(groups.shape), self.correction)
            return np.array([found[name] for name in self.show])

        return Sums((block,), figures)


def chi_squared(counts: Floats, correction: bool) -> dict[str, float]:
    """Statistic, degrees of freedom and p-value of a table of counts."""
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    # Central differences may take some ten-thousandths off an empty row; a row has at least one person.
    rows_seen, columns_seen = rows > 1e-3, columns > 1e-3
    df = float((rows_seen.sum() - 1) * (columns_seen.sum() - 1))
    if df <= 0:
        return {"statistic": np.nan, "df": np.nan, "p": np.nan}
    counts = counts[np.ix_(rows_seen, columns_seen)]
    expected = np.outer(rows[rows_seen], columns[columns_seen]) / total
    apart = np.abs(counts - expected)
    if correction and df == 1:
        apart = apart - np.minimum(0.5, apart)
    statistic = float((apart**2 / expected).sum())
    return {"statistic": statistic, "df": df, "p": float(gammaincc(df / 2, statistic / 2))}
