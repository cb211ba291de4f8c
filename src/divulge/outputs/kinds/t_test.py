"""t tests of means: one sample against a number, two independent groups, or two variables of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import stdtr

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind, one_group
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures
from divulge.outputs.kinds.chi_squared import RANGES, Shown
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.rows import Groups, counted, weight_term
from divulge.outputs.lowering.smooth import SmoothSums, log_f_tail, product_term, scaled_numbers
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Entries
from divulge.table import Schema, Table


@dataclass(frozen=True, kw_only=True)
class TTest(Output):
    """Student's t, its degrees of freedom and its two-sided p-value.

    With `by`: the mean where it has its first value less that where it has its second, with the degrees of freedom of
    Welch 1947 unless variances are said to be equal (Student 1908). With `paired`: the mean difference of two
    variables. With neither: the mean less `mean`.
    """

    kind: ClassVar[str] = "t-test"
    statbarn: ClassVar[Statbarn] = Statbarn.TESTS
    is_of_sums: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Ages of men and women", {"variable": "AGE", "by": "SEX"}),
        Example("Equal variances, adults", {"variable": "AGE", "by": "TENURE", "equal": True, "where": "AGE >= 18"}),
        Example("Against 40 years", {"variable": "AGE", "mean": 40}),
        Example("Two variables of each person", {"variable": "MSTATUS", "paired": "LTILL", "show": ["statistic", "p"]}),
    )

    variable: Annotated[str, "The variable whose mean is tested."]
    by: Annotated[str | None, "A variable with two values that makes the two groups."] = None
    paired: Annotated[str | None, "A second variable, compared with the first row by row."] = None
    mean: Annotated[float, "What the mean (or the mean difference) is compared with."] = 0.0
    equal: Annotated[bool, "Whether both groups are taken to have the same variance."] = False
    show: Annotated[tuple[Shown, ...], "Which of statistic, df, p are published.", Entries(least=1, differ=True)] = (
        "statistic",
        "df",
        "p",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by is not None and self.paired is not None:
            raise OutputError("by and paired exclude each other.", where="paired", hint="Give one of them.")
        if self.variable in (self.by, self.paired):
            raise OutputError(f"{self.variable!r} cannot be compared with itself.", where="variable")

    @property
    def growth(self) -> Growth:
        return "neither"

    def responses(self) -> tuple[str, ...]:
        return (self.variable,)

    def own_variables(self) -> tuple[str, ...]:
        return tuple(n for n in (self.variable, self.by, self.paired) if n is not None)

    def check_fields(self, schema: Schema) -> None:
        for field in ("variable", "paired"):
            name = getattr(self, field)
            if name is not None:
                if name not in schema:
                    raise unknown_variable(name, schema.names, where=field)
                with in_field(field):
                    numeric(schema, name)
        if self.by is not None and schema[self.by].n_values != 2:
            raise OutputError(
                f"a variable with two values is needed, {self.by!r} has {schema[self.by].n_values}.",
                where="by",
                hint="Take two of its values by where, or use an f-test.",
            )

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return self.show

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if self.weights:
            return None
        names = {"statistic": "test.statistic", "df": "test.df", "p": "test.pvalue"}
        lines = [f"rows = rows.dropna(subset={list(self.own_variables())!r})"]
        lines.append(f"x = rows[{self.variable!r}].astype(float)")
        if self.by is not None:
            first, second = schema[self.by].values.tolist()
            lines.append(f"one, other = x[rows[{self.by!r}] == {first!r}], x[rows[{self.by!r}] == {second!r}]")
            lines.append(f"test = stats.ttest_ind(one - {self.mean!r}, other, equal_var={self.equal})")
        elif self.paired is not None:
            lines.append(f"test = stats.ttest_1samp(x - rows[{self.paired!r}].astype(float), {self.mean!r})")
        else:
            lines.append(f"test = stats.ttest_1samp(x, {self.mean!r})")
        return [*lines, f"found = [{', '.join(names[s] for s in self.show)}]"]

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        ranges = {**RANGES, "statistic": (-np.inf, np.inf), "df": (0.0, np.inf if n_rows is None else float(n_rows))}
        return tuple(np.array([ranges[name][end] for name in self.show]) for end in (0, 1))  # type: ignore[return-value]

    def behind(self, table: Table) -> tuple[Behind, ...]:
        rows = counted(self, table, self.own_variables())
        whole = one_group("test", rows, parameters=1 if self.by is None else 2)
        if self.by is None:
            return (whole,)
        groups = Groups.of(table.schema, (self.by,))
        number = np.where(rows, groups.numbers(table), -1)
        return whole, Behind("saturated", np.full(groups.n_groups, -1), number, texts=tuple(groups.labels()))

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        text = f"t test of {self.variable}"
        text += f" by {self.by}" if self.by else f" and {self.paired}" if self.paired else f" against {self.mean:g}"
        return text[0].upper() + text[1:] + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        """Rows, sum and sum of squares, of each group."""
        x, middle, scale = scaled_numbers(schema, self.variable)
        weight = weight_term(self, schema, self.own_variables())
        if self.by is not None:
            groups = Groups.of(schema, (self.by,))
            terms = [groups.term(index=k * 2 + np.arange(2), factor=(self.variable, x**k)) for k in range(3)]
            block = Block(tuple(terms), 6, weight=weight)
        elif self.paired is not None:
            y = np.where(schema[self.paired].is_missing, np.nan, (schema[self.paired].numbers - middle) / scale)
            block = Block(_paired_terms(self.variable, x, self.paired, y), 3, weight=weight)
        else:
            terms = [product_term([self.variable], [x**k], k) for k in range(3)]
            block = Block(tuple(terms), 3, weight=weight)
        origin = 0.0 if self.by or self.paired else middle
        against = (self.mean - origin) / scale

        def figures(totals: Floats, p: str = "p") -> Floats:
            found = _t(totals.reshape(3, -1), against, self.equal)
            return np.array([found[p if name == "p" else name] for name in self.show])

        are_tails = np.array([name == "p" for name in self.show])
        return SmoothSums((block,), figures, are_tails=are_tails, searched=lambda totals: figures(totals, "log p"))


def _paired_terms(a: str, x: Floats, b: str, y: Floats) -> tuple[Term, ...]:
    """Rows, Σ (x − y), Σ (x − y)² as products of functions of one variable each."""
    one_x, one_y = np.where(np.isfinite(x), 1.0, np.nan), np.where(np.isfinite(y), 1.0, np.nan)
    return (
        product_term([a, b], [one_x, one_y], 0),
        product_term([a, b], [x, one_y], 1),
        product_term([a, b], [one_x, -y], 1),
        product_term([a, b], [x**2, one_y], 2),
        product_term([a, b], [-2.0 * x, y], 2),
        product_term([a, b], [one_x, y**2], 2),
    )


def _t(sums: Floats, against: float, is_equal: bool) -> dict[str, float]:
    """Statistic, degrees of freedom and p-value from n, Σ x, Σ x² of one or two groups."""
    nothing = {"statistic": np.nan, "df": np.nan, "p": np.nan, "log p": np.nan}
    n, total, square = sums
    if (n < 1.5).any():  # one row has no variance; sums may be off by some ten-thousandths in central differences
        return nothing
    mean = total / n
    variance = np.maximum(square / n - mean**2, 0.0) * n / (n - 1.0)
    if len(n) == 1:
        apart, error, df = mean[0] - against, variance[0] / n[0], n[0] - 1.0
    else:
        apart = mean[0] - mean[1] - against
        parts = variance / n
        if is_equal:
            df = n.sum() - 2.0
            error = ((n - 1.0) * variance).sum() / df * (1.0 / n).sum()
        else:
            error = parts.sum()
            df = error**2 / max((parts**2 / (n - 1.0)).sum(), np.finfo(float).tiny)
    if error <= 1e-14:  # numbers lie between −1 and 1: what rounding leaves of equal ones
        return nothing
    t = float(apart / np.sqrt(error))
    p = float(2.0 * stdtr(df, -abs(t)))
    return {"statistic": t, "df": float(df), "p": p, "log p": log_f_tail(1.0, df, t**2)}
