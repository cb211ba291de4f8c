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
from divulge.outputs.lowering.smooth import SmoothSums, log_tail
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Entries
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
    show: Annotated[tuple[Shown, ...], "Which of statistic, df, p are published.", Entries(least=1, differ=True)] = (
        "statistic",
        "df",
        "p",
    )

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
            shape = (len(texts),)
            found.append(Behind("term", np.full(len(texts), -1), level, names=(name,), shape=shape, texts=texts))
        return tuple(found)

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        text = f"χ² test of {' and '.join(self.variables)}"
        return text[0].upper() + text[1:] + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        groups = Groups.of(schema, self.variables)
        block = Block((groups.term(),), groups.n_groups, weight=weight_term(self, schema))

        def figures(totals: Floats, p: str = "p") -> Floats:
            found = _chi_squared(totals.reshape(*totals.shape[:-1], *groups.shape), self.correction)
            return np.stack([found[p if name == "p" else name] for name in self.show], axis=-1)

        return SmoothSums(
            (block,),
            figures,
            are_counts=self.weights is None,
            are_tails=np.array([name == "p" for name in self.show]),
            searched=lambda totals: figures(totals, "log p"),
        )


def _chi_squared(counts: Floats, correction: bool) -> dict[str, Floats]:
    """Statistic, degrees of freedom and p-value of tables of counts, (…, rows, columns)."""
    rows, columns = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    # Central differences may take some ten-thousandths off an empty row; a row has at least one person.
    seen = (rows > 1e-3) & (columns > 1e-3)
    n_rows, n_columns = (rows > 1e-3).sum(axis=(-2, -1)), (columns > 1e-3).sum(axis=(-2, -1))
    df = np.asarray((n_rows - 1.0) * (n_columns - 1.0))
    total = np.maximum(counts.sum(axis=(-2, -1), keepdims=True), 1e-3)
    expected = np.where(seen, rows * columns / total, 1.0)
    apart = np.where(seen, np.abs(counts - expected), 0.0)
    if correction:
        apart = np.where(df[..., None, None] == 1, apart - np.minimum(0.5, apart), apart)
    statistic = (apart**2 / expected).sum(axis=(-2, -1))
    p = gammaincc(np.maximum(df, 1.0) / 2, statistic / 2)
    found = {"statistic": statistic, "df": df, "p": p, "log p": log_tail(p, -statistic / 2)}
    return {name: np.where((df > 0) & (n_rows > 0), value, np.nan) for name, value in found.items()}
