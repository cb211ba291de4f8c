"""Outputs equal pandas, scipy and brute force on random tables with missing values, empty groups and ties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from divulge.outputs import Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.extremes import Extremes
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.gini import Gini
from divulge.outputs.kinds.herfindahl import Herfindahl
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.mode import Mode
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.totals import Totals
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("G", "categorical", np.array(["a", "b", "c"]), missing=(None,)),
        Variable("H", "categorical", np.array([1, 2])),
        # Away from zero, unevenly spaced.
        Variable("Y", "numeric", np.array([10, 11, 13, 17, 30, 31.5, 100]), missing=(None, -9)),
        Variable("W", "numeric", np.array([0, 1, 2, 3])),
    )
)


@st.composite
def tables(draw: st.DrawFn, min_rows: int = 1, max_rows: int = 40) -> Table:
    n = draw(st.integers(min_rows, max_rows))
    codes = [draw(st.lists(st.integers(0, v.n_codes - 1), min_size=n, max_size=n)) for v in SCHEMA]
    return Table(SCHEMA, tuple(np.array(c, dtype=np.uint8) for c in codes))


def frame(table: Table) -> pd.DataFrame:
    found = table.to_pandas()
    found["G"] = pd.Categorical(found["G"], ["a", "b", "c"])
    found["H"] = pd.Categorical(found["H"], ["1", "2"])
    return found


def replicated(table: Table) -> Table:
    """Every row as often as its weight says."""
    return table.take(np.repeat(np.arange(table.n_rows), table["W"]))


def same(output: Output, table: Table, expected: object) -> None:
    values = output.evaluate(table).values
    assert values == pytest.approx(np.asarray(expected, dtype=float), rel=1e-9, abs=1e-9, nan_ok=True)


@given(tables())
def test_crosstab_equals_pandas(table: Table) -> None:
    people = frame(table)
    counts = pd.crosstab(people["G"], people["H"], dropna=False).reindex(index=["a", "b", "c"], columns=["1", "2"])
    counts = counts.fillna(0)
    same(Crosstab(variables=("G", "H")), table, counts.to_numpy().ravel())
    with np.errstate(invalid="ignore"):
        by_row = (100 * counts.T / counts.sum(axis=1)).T.to_numpy().ravel()
        same(Crosstab(variables=("G", "H"), statistic="row percentages"), table, by_row)
        by_column = (counts / counts.sum(axis=0)).to_numpy().ravel()
        same(Crosstab(variables=("G", "H"), statistic="column proportions"), table, by_column)


@given(tables())
def test_frequencies_equal_pandas(table: Table) -> None:
    people = frame(table)
    counts = [people["G"].value_counts().reindex(["a", "b", "c"]), people["H"].value_counts().reindex(["1", "2"])]
    same(Frequencies(variables=("G", "H")), table, np.concatenate(counts))
    with np.errstate(invalid="ignore"):
        shares = np.concatenate([c.to_numpy() / c.sum() for c in counts])
    same(Frequencies(variables=("G", "H"), statistic="proportions"), table, shares)


@given(tables())
def test_aggregates_equal_pandas(table: Table) -> None:
    groups = frame(table).groupby(["G", "H"], observed=False)["Y"]
    same(Means(variables=("Y",), by=("G", "H")), table, groups.mean())
    same(Totals(variables=("Y",), by=("G", "H")), table, groups.sum())
    same(Extremes(variables=("Y",), by=("G", "H")), table, np.concatenate([groups.min(), groups.max()]))


@given(tables(), st.lists(st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.95, 1]), min_size=1, unique=True))
def test_quantiles_equal_pandas(table: Table, quantiles: list[float]) -> None:
    groups = frame(table).groupby("H", observed=False)["Y"]
    expected = np.concatenate([groups.quantile(p).reindex(["1", "2"]) for p in quantiles])
    same(Position(variables=("Y",), by=("H",), quantiles=tuple(quantiles)), table, expected)
    numbers = frame(table)["Y"].dropna()
    same(Position(variables=("Y",), quantiles=(), iqr=True), table, [stats.iqr(numbers) if len(numbers) else np.nan])


@given(tables(min_rows=12))
def test_shape_equals_pandas_and_scipy(table: Table) -> None:
    numbers = frame(table)["Y"].dropna()
    if numbers.nunique() < 2 or len(numbers) < 4:
        return
    every = ("sd", "variance", "skewness", "kurtosis")
    sample = [numbers.std(), numbers.var(), numbers.skew(), numbers.kurt()]
    same(Shape(variables=("Y",), show=every), table, sample)
    population = [np.std(numbers), np.var(numbers), stats.skew(numbers), stats.kurtosis(numbers)]
    same(Shape(variables=("Y",), show=every, formulas="population"), table, population)


@given(tables())
def test_mode_equals_pandas(table: Table) -> None:
    people = frame(table)
    modes = people["Y"].mode()
    same(Mode(variables=("Y",)), table, [modes.iloc[0] if len(modes) else np.nan])
    numbered = people["G"].cat.codes.replace(-1, np.nan).mode() + 1
    same(Mode(variables=("G",)), table, [numbered.iloc[0] if len(numbered) else np.nan])


@given(tables())
def test_concentration_equals_brute_force(table: Table) -> None:
    people = frame(table).dropna()
    y = people["Y"].to_numpy()
    complete = table.take(table["G"] < 3)
    complete = complete.take(complete["Y"] < SCHEMA["Y"].n_values)
    nothing = [np.nan]
    same(Herfindahl(variables=("Y",)), complete, [((y / y.sum()) ** 2).sum()] if len(y) else nothing)
    shares = people.groupby("G", observed=False)["Y"].sum() / y.sum() if len(y) else None
    same(Herfindahl(variables=("Y",), units="G"), complete, nothing if shares is None else [(shares**2).sum()])
    if len(y):
        gini = np.abs(y[:, None] - y[None, :]).sum() / (2 * len(y) ** 2 * y.mean())
        same(Gini(variables=("Y",)), complete, [gini])


WEIGHTED: list[Output] = [
    Frequencies(variables=("G", "Y"), statistic="percentages", weights="W"),
    Crosstab(variables=("G", "H"), margins=True, weights="W"),
    Means(variables=("Y",), by=("H",), weights="W"),
    Totals(variables=("Y",), by=("G",), weights="W"),
    Mode(variables=("Y", "G"), weights="W"),
    Gini(variables=("Y",), by=("H",), weights="W"),
    Shape(variables=("Y",), show=("sd", "skewness", "kurtosis"), weights="W"),
    Herfindahl(variables=("Y",), units="G", weights="W"),
]


@pytest.mark.slow
@pytest.mark.parametrize("output", WEIGHTED, ids=lambda o: o.kind)
@given(table=tables())
def test_weight_counts_a_row_as_often_as_it_says(output: Output, table: Table) -> None:
    import dataclasses

    plain = dataclasses.replace(output, weights=None)
    same(output, table, plain.evaluate(replicated(table)).values)


@given(tables(), st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_weighted_quantile_is_that_of_replicated_rows(table: Table, p: float) -> None:
    numbers = frame(replicated(table))["Y"].dropna()
    expected = np.quantile(numbers, p, method="inverted_cdf") if len(numbers) else np.nan
    same(Position(variables=("Y",), quantiles=(p,), weights="W"), table, [expected])


@given(tables(min_rows=4), tables(min_rows=4), st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]), st.integers(-1, 3))
def test_lowered_quantile_is_inside_exactly_where_it_is_as_printed(
    released_table: Table, other: Table, p: float, decimals: int
) -> None:
    for weights in (None, "W"):
        output = Position(variables=("Y",), quantiles=(p,), by=("H",), decimals=decimals, weights=weights)
        released = output.publish(output.evaluate(released_table), SCHEMA)
        lowered = output.lower(SCHEMA, released)
        for table in (released_table, other):
            residuals = lowered.residuals_at(table)
            inside = bool(((residuals >= lowered.low - 1e-9) & (residuals <= lowered.high + 1e-9)).all())
            assert inside == bool(released.agrees(output.evaluate(table).values).all())


WHERE = "Y > 12 or G = a"
"""Unknown where Y is missing and G is not a, or where both are missing."""

LOWERED: list[Output] = [
    Frequencies(variables=("G", "Y")),
    Frequencies(variables=("G", "Y"), statistic="percentages", missing="include", where=WHERE),
    Frequencies(variables=("G", "H"), statistic="proportions", weights="W"),
    Crosstab(variables=("G", "H"), margins=True, where=WHERE),
    Crosstab(variables=("G", "H"), base=3, missing="include"),
    Crosstab(variables=("G", "H"), threshold=4),
    Crosstab(variables=("G", "H"), statistic="row percentages", where=WHERE),
    Crosstab(variables=("G", "H", "W"), statistic="column proportions", decimals=2),
    Crosstab(variables=("G", "H"), statistic="percentages", margins=True, weights="W"),
    Means(variables=("Y", "W"), by=("G",), where=WHERE),
    Means(variables=("Y",), by=("H", "G"), decimals=0, empty="allow"),
    Means(variables=("Y",), weights="W"),
    Totals(variables=("Y",), by=("G",), where=WHERE),
    Totals(variables=("Y",), by=("H",), statistic="percentages", weights="W"),
    Extremes(variables=("Y",), by=("H",), decimals=0),
    Mode(variables=("Y", "G"), by=("H",)),
    Mode(variables=("Y",), weights="W", where=WHERE),
    # Powers around the middle of the range lose some digits of a kurtosis where nearly all values are equal.
    Shape(variables=("Y",), show=("sd", "kurtosis"), formulas="population", by=("H",), decimals=2),
    Herfindahl(variables=("Y",), units="G", where=WHERE),
    Herfindahl(variables=("Y",), by=("H",)),
    Gini(variables=("Y",), by=("H",), weights="W"),
]


@pytest.mark.slow
@pytest.mark.parametrize("output", LOWERED, ids=lambda o: f"{o.kind}-{o.growth}")
@given(released_table=tables(min_rows=4), other=tables(min_rows=4))
def test_lowered_form_is_inside_exactly_where_the_output_is_as_printed(
    output: Output, released_table: Table, other: Table
) -> None:
    released = output.publish(output.evaluate(released_table), SCHEMA)
    lowered = output.lower(SCHEMA, released)
    for table in (released_table, other):
        residuals = lowered.residuals_at(table)
        assert np.isfinite(residuals).all()
        slack = 1e-9 * np.maximum(lowered.unit, np.abs(residuals))
        inside = bool(((residuals >= lowered.low - slack) & (residuals <= lowered.high + slack)).all())
        assert inside == bool(released.agrees(output.evaluate(table).values).all())
