"""Scores of people equal their definition, dense and sorted, with and without a tolerance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import MeasureError
from divulge.kernels import counting
from divulge.measures import Scenario
from divulge.measures.scores import Scorer
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("k", "categorical", np.array(["a", "b", "c"], dtype=object), missing=(None,)),
        Variable("t", "numeric", np.array([0.1, 0.2, 0.3, 0.5, 0.9]), missing=(None,)),
    )
)
SCENARIO = Scenario(("k",), "t")
_ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=12)


def table(rows: list[tuple[int, int]]) -> Table:
    return Table(SCHEMA, tuple(np.array(c) for c in zip(*rows, strict=True)))


def near(a: int, b: int, tolerance: float) -> bool:
    values = SCHEMA["t"].numbers
    return a == b or (max(a, b) < 5 and abs(values[a] - values[b]) <= tolerance + 1e-12)


@given(_ROWS, _ROWS, st.sampled_from([0.0, 0.1, 0.2]), st.sampled_from([0.0, 1.0, 2.5]), st.booleans())
def test_scores_equal_their_definition(
    people: list[tuple[int, int]], synthetic: list[tuple[int, int]], tolerance: float, smoothing: float, dense: bool
) -> None:
    expected = []
    for q, t in people:
        same = [x for k, x in synthetic if k == q]
        share = sum(near(x, t, tolerance) for _, x in people) / len(people)
        below = len(same) + smoothing
        above = sum(near(x, t, tolerance) for x in same) + smoothing * share
        expected.append(above / below if below else math.nan)
    cells = counting.DENSE_CELLS
    counting.DENSE_CELLS = cells if dense else 0
    try:
        found = Scorer.of(table(people), SCENARIO, smoothing=smoothing, tolerance=tolerance).scores(table(synthetic))
    finally:
        counting.DENSE_CELLS = cells
    assert found == pytest.approx(expected, nan_ok=True)


def test_granted_shares_stand_in_where_nobody_synthetic_has_the_keys() -> None:
    shares = np.array([0.5, 0.5, 0, 0, 0, 0])
    found = Scorer.of(table([(0, 1), (1, 0)]), SCENARIO, shares).scores(table([(1, 0)]))
    assert found.tolist() == [0.5, 0.75]


def test_scorer_rejects_other_schemas_and_negative_settings() -> None:
    other = Table(
        SCHEMA.with_variable(Variable("k", "categorical", np.array(["a"], dtype=object))), (np.zeros(1, int),) * 2
    )
    with pytest.raises(MeasureError, match="different schemas"):
        Scorer.of(table([(0, 0)]), SCENARIO).scores(other)
    with pytest.raises(MeasureError, match="at least 0"):
        Scorer.of(table([(0, 0)]), SCENARIO, smoothing=-1)
    wide = Schema(tuple(Variable(f"v{i}", "numeric", np.arange(3000)) for i in range(7)))
    zeros = Table(wide, (np.zeros(1, int),) * 7)
    with pytest.raises(MeasureError, match="more possible combinations"):
        Scorer.of(zeros, Scenario(tuple(f"v{i}" for i in range(6)), "v6"))
