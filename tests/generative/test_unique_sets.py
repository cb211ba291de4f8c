"""The search for minimal sample uniques equals trying every set of columns on every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels import uniques
from divulge.measures.counting.unique_sets import unique_sets
from tests.generative.test_counted_measures import table
from tests.reference import measures as reference

Rows = list[tuple[Any, ...]]

_LEVEL = st.sampled_from(["a", "b", "c", "d", None])


@st.composite
def some_rows(draw: st.DrawFn) -> Rows:
    n_columns = draw(st.integers(1, 5))
    return draw(st.lists(st.tuples(*[_LEVEL] * n_columns), min_size=1, max_size=12))


def names(rows: Rows) -> list[str]:
    return [f"v{j}" for j in range(len(rows[0]))]


@given(some_rows())
def test_minimal_uniques_are_those_of_the_definition(rows: Rows) -> None:
    found = unique_sets(table(rows, names(rows)), names(rows))
    for i, expected in enumerate(reference.minimal_uniques(rows)):
        masks = found.sets[found.rows == found.of_row[i]].tolist()
        assert {frozenset(j for j in range(5) if m >> j & 1) for m in masks} == expected
        assert len(masks) == len(expected)


@given(some_rows())
def test_scores_are_those_of_the_definition(rows: Rows) -> None:
    found = unique_sets(table(rows, names(rows)), names(rows))
    assert found.suda_scores().tolist() == reference.suda(rows)


@given(some_rows(), st.integers(1, 3))
def test_a_largest_size_leaves_out_larger_sets_only(rows: Rows, largest: int) -> None:
    every = unique_sets(table(rows, names(rows)), names(rows))
    some = unique_sets(table(rows, names(rows)), names(rows), largest)
    small = every.sizes <= largest
    assert some.rows.tolist() == every.rows[small].tolist()
    assert sorted(zip(some.rows, some.sets, strict=True)) == sorted(
        zip(every.rows[small], every.sets[small], strict=True)
    )


def test_sorting_finds_what_the_dense_buffer_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows = [tuple(str(v) for v in r) for r in rng.integers(0, 6, (200, 4))]
    dense = unique_sets(table(rows, names(rows)), names(rows))
    monkeypatch.setattr(uniques, "BUFFER", 8)
    ranked = unique_sets(table(rows, names(rows)), names(rows))
    assert len(dense.sets) > 50
    assert dense.suda_scores().tolist() == ranked.suda_scores().tolist()
