"""Families that fit, link or reconstruct, on tables that are small, empty, constant, all missing or oddly scaled.

Whatever the tables are, a figure is a number with its numerator and denominator, or NaN with a reason; nothing warns.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.measures import Case, Family, Scenario
from divulge.measures.families.isolation import Isolation
from divulge.measures.families.outliers import Outliers
from divulge.measures.families.rapid import Rapid
from divulge.measures.families.reconstruction import Reconstruction
from divulge.measures.families.unique_matches import UniqueMatches
from divulge.measures.families.utility import Utility
from divulge.record import dumps
from divulge.table import Schema, Table, Variable

_QUICK = {"n_trees": 3, "n_resamples": 3, "n_permutations": 3}
_FAMILIES: tuple[Family, ...] = (
    Rapid(**_QUICK),
    Rapid(error="normalised", attackers=("cart", "l1"), **_QUICK),
    UniqueMatches(),
    Isolation(),
    Outliers(z=0.5),
    Reconstruction(top=3),
    Utility(),
    Utility(model="cart", n_permutations=2),
)


@st.composite
def variables(draw: st.DrawFn, name: str) -> Variable:
    size = draw(st.integers(1, 6))
    missing = draw(st.sampled_from([(), (None,), (None, "NA")]))
    if draw(st.booleans()):
        levels = np.array([f"level {i}" for i in range(size)], dtype=object)
        return Variable(name, "categorical", levels, missing=missing, is_ordered=draw(st.booleans()))
    scale = draw(st.sampled_from([1e-8, 1.0, 1e9]))
    return Variable(name, "numeric", scale * (np.arange(size) - draw(st.integers(0, 3))), missing=missing)


@st.composite
def tables(draw: st.DrawFn, schema: Schema) -> Table:
    n = draw(st.sampled_from([0, 1, 2, 6, 30]))
    columns = []
    for variable in schema:
        codes = st.integers(0, variable.n_codes - 1)
        if draw(st.booleans()):
            columns.append(np.full(n, draw(codes)))
        else:
            columns.append(np.random.default_rng(draw(st.integers(0, 99))).integers(0, variable.n_codes, n))
    return Table(schema, tuple(columns))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    keys = tuple(f"k{i}" for i in range(draw(st.integers(1, 3))))
    schema = Schema(tuple(draw(variables(name)) for name in (*keys, "t")))
    people, synthetic, held, other = (draw(tables(schema)) for _ in range(4))
    return Case(
        people,
        synthetic,
        Scenario(keys, "t"),
        held if draw(st.booleans()) else None,
        (synthetic, other) if draw(st.booleans()) else (),
        with_scores=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("family", _FAMILIES, ids=lambda f: f.name)
@settings(max_examples=12)  # all attackers together take a quarter of a second
@given(cases())
def test_figures_are_numbers_or_undefined_with_a_reason(family: Family, case: Case) -> None:
    for each in [case] if case.holdout is None else [case, case.for_holdout()]:
        found = family.estimate(each, np.random.default_rng(1))
        for figure in found.values():
            assert not math.isinf(figure.value)
            if math.isnan(figure.value):
                assert figure.caveats
                continue
            if figure.numerator is not None and figure.denominator:
                assert figure.value == pytest.approx(figure.numerator / figure.denominator)
            if figure.interval is not None:
                # Rounding of a bound at 0 or 1.
                assert figure.interval.low - 1e-9 <= figure.value <= figure.interval.high + 1e-9
            if figure.scores is not None:
                assert len(figure.scores) == each.people.n_rows
        dumps(found)
