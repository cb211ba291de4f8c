"""F tests: one-way analysis of variance, and the F of a whole linear regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.smooth import SmoothSums, f_tail, log_f_tail
from divulge.outputs.models.cross_products import CrossProducts
from divulge.outputs.models.linear_test import LinearTest
from divulge.outputs.models.model import fit_model
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.outputs.output import Example
from divulge.outputs.released.precision import Released
from divulge.settings import Entries
from divulge.table import Schema, Table

Shown = Literal["statistic", "df", "df residual", "p"]


@dataclass(frozen=True, kw_only=True)
class FTest(LinearTest):
    """The F of a linear model against a constant (Fisher 1925): of a regression, or of group means (`AGE ~ C(AREA)`).

    Levels that nobody has take no part.
    """

    kind: ClassVar[str] = "f-test"
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Analysis of variance: ages by area", {"formula": "AGE ~ C(AREAP)"}),
        Example("Of a regression, adults", {"formula": "AGE ~ SEX*TENURE + LTILL", "where": "AGE >= 18"}),
        Example("Statistic and p-value alone", {"formula": "AGE ~ SEX", "show": ["statistic", "p"]}),
    )

    show: Annotated[
        tuple[Shown, ...], "Which of statistic, df, df residual, p are published.", Entries(least=1, differ=True)
    ] = (
        "statistic",
        "df",
        "df residual",
        "p",
    )

    def check_fields(self, schema: Schema) -> None:
        model = self.model(schema)
        if not model.design.spans_constant or model.design.n_columns < 2:
            raise OutputError(
                "an intercept and something else are needed: the F compares the model with a constant.",
                where="formula",
                hint="Leave - 1 and + 0 out.",
            )

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return self.show

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights or not fits_statsmodels(self.formula):
            return None
        names = {"statistic": "fvalue", "df": "df_model", "df residual": "df_resid", "p": "f_pvalue"}
        return [
            f"model = smf.ols({self.formula!r}, rows).fit()",
            f"found = [{', '.join(f'model.{names[s]}' for s in self.show)}]",
        ]

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        most = np.inf if n_rows is None else float(n_rows)
        ends = {"statistic": np.inf, "df": most, "df residual": most, "p": 1.0}
        return np.zeros(len(self.show)), np.array([ends[name] for name in self.show])

    def evaluate(self, table: Table) -> Figures:
        fitted = fit_model(self, table, self.model)
        if fitted.fit is None:
            return Figures(self.show, np.full(len(self.show), np.nan), fitted.status)
        fit = fitted.fit
        found = _f(fit.n_rows, fit.n_rows - fit.df_residual, fit.deviance, fit.null_deviance)
        values = np.array([found[name] for name in self.show])
        # Levels that nobody has are no levels here.
        status = Status.OK if fitted.status is Status.VANISHED_LEVEL else fitted.status
        if not np.isfinite(values).all():
            status = Status.CONSTANT if status is Status.OK else status
        return Figures(self.show, values, status)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        return f"F test of {self.formula}" + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        sums = CrossProducts.of(self, self.model(schema), schema)

        def figures(totals: Floats, p_value: Callable[[float, float, float], float] = f_tail) -> Floats:
            rank, explained = sums.explained(totals)
            left, total = sums.square(totals) - explained, sums.variation(totals)
            found = _f(sums.rows(totals), rank, left, total, p_value)
            return np.array([found[name] for name in self.show])

        return SmoothSums(
            (sums.block,),
            figures,
            are_tails=np.array([shown == "p" for shown in self.show]),
            searched=lambda totals: figures(totals, log_f_tail),
        )


def _f(
    n: float, rank: int, residual: float, total: float, p_value: Callable[[float, float, float], float] = f_tail
) -> dict[str, float]:
    df, df_residual = float(rank - 1), float(n - rank)
    if df <= 0 or df_residual <= 0 or not residual > 1e-14 * total:  # rounding leaves that of a perfect fit
        return dict.fromkeys(("statistic", "df", "df residual", "p"), np.nan)
    f = (total - residual) / df / (residual / df_residual)
    return {"statistic": f, "df": df, "df residual": df_residual, "p": p_value(df, df_residual, max(f, 0.0))}
