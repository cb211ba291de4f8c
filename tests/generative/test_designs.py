"""Columns of a formula equal those of formulaic, on random tables and random formulas."""

from __future__ import annotations

import formulaic
import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

from divulge.outputs.models.design import Design, design_of, table_counts
from divulge.outputs.models.formula import parse_formula
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("y", "numeric", np.arange(3)),
        Variable("a", "categorical", np.array(["u", "v", "w"])),
        Variable("b", "categorical", np.array([3, 7])),
        Variable("x", "numeric", np.array([-1.5, 0.0, 0.25, 1.0, 2.0, 8.0])),
        Variable("z", "numeric", np.arange(1, 6)),
    )
)
FACTORS = [
    "a",
    "b",
    "x",
    "z",
    "C(a, Treatment('w'))",
    "C(b, Sum)",
    "C(z)",
    "log(z)",
    "np.exp(x)",
    "I(x**2 - 1)",
    "I(x > 0.5)",
    "center(x)",
    "scale(z)",
    "poly(x, 2)",
    "bs(x, df=4)",
    "bs(x, knots=[0.5], degree=2)",
]


@st.composite
def formulas(draw: st.DrawFn) -> str:
    terms = draw(
        st.lists(st.lists(st.sampled_from(FACTORS), min_size=1, max_size=2, unique=True), min_size=1, max_size=4)
    )
    joined = " + ".join(draw(st.sampled_from([":", "*"])).join(factors) for factors in terms)
    return joined + draw(st.sampled_from(["", " - 1"]))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n = draw(st.integers(12, 60))
    columns = []
    for variable in SCHEMA:
        # Every value occurs, so that both see the same levels.
        codes = np.concatenate([np.arange(variable.n_values), rng.integers(0, variable.n_values, n)])
        columns.append(rng.permutation(np.resize(codes, n + 6)).astype(np.uint8))
    return Table(SCHEMA, tuple(columns))


def matrix(design: Design, table: Table) -> np.ndarray:
    """The design matrix that the terms stand for."""
    out = np.zeros((len(table), design.n_columns))
    for term in design.terms:
        cell, value = np.zeros(len(table), dtype=int), np.ones(len(table))
        for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
            cell = cell + cells[table[name]]
            value = value * (1.0 if factors is None else factors[table[name]])
        assert (cell >= 0).all()
        has = np.flatnonzero(term.index[cell] >= 0)
        np.add.at(out, (has, term.index[cell][has]), (value * term.scale[cell])[has])
    return out


@given(formula=formulas(), table=tables())
def test_columns_and_labels_equal_those_of_formulaic(formula: str, table: Table) -> None:
    assume(all((table.frequencies(v.name) > 0).all() for v in SCHEMA))
    data = table.to_pandas()
    for name in ("a", "b"):
        data[name] = pd.Categorical(data[name], categories=SCHEMA[name].texts)
    expected = formulaic.model_matrix(formula, data, context={})
    design = design_of(parse_formula(f"y ~ {formula}", SCHEMA), SCHEMA, table_counts(table))
    shown = tuple(str(c) for c in expected.columns)
    # formulaic writes the numbers of C(z) as they are stored; ours are as value_text writes them: the same here.
    assert design.labels == shown
    np.testing.assert_allclose(matrix(design, table), np.asarray(expected, dtype=float), rtol=1e-9, atol=1e-9)
