"""Shape: standard deviation, variance, skewness and kurtosis of numeric variables, by groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs.behind import What
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.grouped import Grouped, Range, undefined_as_status
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.lowering.sizes import Moments, MomentsByGroup
from divulge.outputs.lowering.smooth import SmoothSums
from divulge.outputs.output import Example, Growth
from divulge.outputs.recipes import by_groups
from divulge.outputs.released.precision import Released
from divulge.outputs.spreads import Spread
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import about_number
from divulge.settings import Entries
from divulge.table import Schema, Table

N_POWERS = 5
"""Sums of powers 0 … 4 of a variable give all four statistics."""

_POWERS = {"sd": 2, "variance": 2, "skewness": 3, "kurtosis": 4}
"""The highest power that each of them takes."""


@dataclass(frozen=True, kw_only=True)
class Shape(Grouped):
    """Standard deviation, variance, skewness and (excess) kurtosis of each variable in each group.

    `sample` divides by n − 1 and corrects skewness and kurtosis for small samples (G₁ and G₂ of Joanes & Gill 1998), as
    pandas, SAS and SPSS do; `population` divides by n (g₁ and g₂), as scipy does by default. Weights count as rows.
    """

    kind: ClassVar[str] = "shape"
    statbarn: ClassVar[Statbarn] = Statbarn.SHAPE
    can_suppress: ClassVar[bool] = True
    can_condense: ClassVar[bool] = True
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {"std": {"show": ("sd",)}, "var": {"show": ("variance",)}}
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "The spread and the shape of ages by sex",
            {"variables": ["AGE"], "show": ["sd", "skewness", "kurtosis"], "by": ["SEX"], "decimals": 3},
        ),
        Example("Variance as scipy has it", {"variables": ["AGE"], "show": ["variance"], "formulas": "population"}),
        Example("Weighted", {"variables": ["AGE"], "where": "TENURE = 1", "weights": "ETHGROUP"}),
    )

    variables: Annotated[tuple[str, ...], "The variables whose shape is shown."]
    show: Annotated[
        tuple[Literal["sd", "variance", "skewness", "kurtosis"], ...],
        "Which statistics.",
        Entries(least=1, differ=True),
    ] = ("sd",)
    formulas: Annotated[Literal["sample", "population"], "Corrected for small samples, or not."] = "sample"

    @property
    def growth(self) -> Growth:
        return "intensive" if self.formulas == "population" else "neither"

    def statistics(self) -> tuple[str, ...]:
        return self.show

    def whats(self) -> Sequence[tuple[What, float]]:
        spread: What = "sd" if self.formulas == "sample" else "variance"
        whats: dict[str, What] = {"sd": spread, "variance": "variance"}
        return [(whats.get(which, "shape"), np.nan) for which in self.show]

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        code = {"sd": "x.std()", "variance": "x.var()", "skewness": "x.skew()"}
        # The kurtosis of a group has no method in pandas, and population formulas are not its own.
        if self.weights or self.formulas != "sample" or "kurtosis" in self.show:
            return None
        return by_groups(self.variables, self.by, schema, [code[which] for which in self.show])

    def describe(self) -> str:
        shown = ", ".join(self.show).replace("sd", "standard deviation")
        return self.describe_as(shown[0].upper() + shown[1:])

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        least = [0.0 if which in ("sd", "variance") else -np.inf for which in self.show]
        return np.tile(np.repeat(least, Groups.of(schema, self.by).n_groups), len(self.variables)), np.inf

    def evaluate(self, table: Table) -> Figures:
        parts, sizes = [], []
        for column in self.columns(table):
            n = column.sums()
            mean = np.divide(column.sums(column.numbers), n, out=np.zeros(len(n)), where=n > 0)
            # Around each group's own mean the powers lose no digits.
            away = column.numbers - mean[column.groups]
            powers = np.stack([column.sums(away**k) for k in range(N_POWERS)])
            found = self._statistics(powers)
            constant = powers[2] <= 1e-12 * np.maximum(mean**2, 1e-300) * n  # what rounding leaves of equal numbers
            for which, values in zip(self.show, found, strict=True):
                parts.append(np.where(constant, np.where(np.isnan(values), np.nan, 0.0), values))
                if which in ("skewness", "kurtosis"):
                    parts[-1] = np.where(constant, np.nan, parts[-1])
                sizes.append(n)
        return undefined_as_status(self.labels(table.schema), np.concatenate(parts), np.concatenate(sizes))

    def _statistics(self, powers: Floats) -> Floats:
        """(statistics, groups) from sums of powers of the numbers around any constant, (powers, groups)."""
        n = powers[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            m1, r2, r3, r4 = (powers[k] / n for k in range(1, N_POWERS))
            m2 = r2 - m1**2
            m3 = r3 - 3 * m1 * r2 + 2 * m1**3
            m4 = r4 - 4 * m1 * r3 + 6 * m1**2 * r2 - 3 * m1**4
            variance, skewness, kurtosis = m2, m3 / m2**1.5, m4 / m2**2 - 3
            if self.formulas == "sample":
                variance = m2 * n / np.where(n > 1, n - 1, np.nan)
                skewness = skewness * np.sqrt(n * (n - 1)) / np.where(n > 2, n - 2, np.nan)
                kurtosis = (n - 1) / np.where(n > 3, (n - 2) * (n - 3), np.nan) * ((n + 1) * kurtosis + 6)
            found = {
                "sd": np.sqrt(np.maximum(variance, 0.0)),
                "variance": variance,
                "skewness": skewness,
                "kurtosis": kurtosis,
            }
        return np.stack([np.where(n > 0, found[which], np.nan) for which in self.show])

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        """Sums of squares, and of cubes and fourth powers beside them, of which one person makes more still."""
        found, behind = [], iter(self.behind(table))
        for column in self.columns(table):
            n = column.sums()
            mean = np.divide(column.sums(column.numbers), n, out=np.zeros(len(n)), where=n > 0)
            away = column.numbers - mean[column.groups]
            sums = np.stack([column.sums(away**k) for k in range(N_POWERS)])
            said = {which: next(behind) for which in self.show}
            of_squares = np.full(len(n), np.inf)
            for which in sorted(self.show, key=lambda which: _POWERS[which]):
                groups, power = said[which], _POWERS[which]
                is_shown = np.isfinite(released.values[groups.figures])
                half = np.where(is_shown, released.half[groups.figures], np.inf)
                error = self._error(which, sums, half, of_squares)
                of_squares = np.minimum(of_squares, error) if power == 2 else of_squares
                far = np.zeros(table.n_rows)
                far[groups.group >= 0] = away * column.own_weights ** (1 / power)
                own = np.nan_to_num(table.schema[column.name].numbers)[table[column.name]]
                found.append(Spread(about_number(table, column.name), groups, own, far, error, power))
        return found

    def _error(self, which: str, sums: Floats, half: Floats, of_squares: Floats) -> Floats:
        """How precisely a printed figure gives its sum of powers. of_squares: how precisely others give squares."""
        n, square = sums[0], sums[2]
        sample = self.formulas == "sample"
        with np.errstate(divide="ignore", invalid="ignore"):
            base = n - 1 if sample else n
            if which == "variance":
                error = base * half
            elif which == "sd":
                error = 2 * np.sqrt(base * square) * half
            elif which == "skewness":
                scale = np.where(sample, (n - 2) / np.sqrt(n * (n - 1)), 1.0)
                error = n * (square / n) ** 1.5 * scale * half + 1.5 * np.abs(sums[3]) * of_squares / square
            else:
                scale = np.where(sample, (n - 2) * (n - 3) / (n * n - 1), 1.0)
                error = n * (square / n) ** 2 * scale * half + 2 * sums[4] * of_squares / square
        return np.where((n > 2) & np.isfinite(error), error, np.inf)

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        # A standard deviation of n − 1; it says something beside a mean.
        if self.formulas != "sample" or self.show[0] != "sd":
            return ()
        return self.few_in_groups(table, released, most, lambda sd: ((-np.inf, np.inf), sd))

    def lower(self, schema: Schema, released: Released) -> Lowered:
        groups = Groups.of(schema, self.by)
        n_groups, n_variables = groups.n_groups, len(self.variables)
        terms, scales = [], []
        for v, name in enumerate(self.variables):
            numbers = np.where(schema[name].is_missing, np.nan, schema[name].numbers)
            middle = (np.nanmin(numbers) + np.nanmax(numbers)) / 2
            # Powers of numbers between −1 and 1 keep all totals of one size.
            scales.append(max((np.nanmax(numbers) - np.nanmin(numbers)) / 2, np.finfo(float).tiny))
            for k in range(N_POWERS):
                at = (v * N_POWERS + k) * n_groups + np.arange(n_groups)
                # NaN⁰ is 1, but a missing value counts nowhere.
                power = np.where(np.isnan(numbers), np.nan, ((numbers - middle) / scales[-1]) ** k)
                terms.append(groups.term(index=at, factor=(name, power)))
        units = {"sd": 1.0, "variance": 2.0}

        def figures(totals: Floats) -> Floats:
            powers = totals.reshape(n_variables, N_POWERS, n_groups)
            parts = []
            for v, scale in enumerate(scales):
                shown = self._statistics(powers[v])
                parts += [f * scale ** units.get(which, 0.0) for which, f in zip(self.show, shown, strict=True)]
            found = np.concatenate(parts)
            # A group without rows, or all rows alike.
            return np.where(np.isfinite(found), found, released.beyond)

        block = Block(tuple(terms), n_variables * N_POWERS * n_groups, weight=weight_term(self, schema))
        own = np.arange(n_groups) + n_groups * np.arange(n_variables)[:, None]
        alike = (np.repeat(own, N_POWERS, axis=0).ravel(), np.repeat(own, len(self.show), axis=0).ravel())
        lowered = SmoothSums((block,), figures, groups=alike).lower(released)
        return replace(lowered, moments=self._moments(schema, released))

    def _moments(self, schema: Schema, released: Released) -> MomentsByGroup:
        """What the variance, or the standard deviation, says of each group's numbers."""
        shown = next((which for which in ("variance", "sd") if which in self.show), None)
        if shown is None:
            return {}
        less, power = int(self.formulas == "sample"), 2 if shown == "sd" else 1

        def says(printed: Range) -> Moments:
            least, most = (max(end, 0.0) ** power for end in printed)
            return Moments(variance=(least, most), less=less)

        return self.moments(schema, released, says, self.show.index(shown))
