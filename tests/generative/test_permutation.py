"""Permutation tails: the kernel against a count of every arrangement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.permutation import _block_distribution, permutation_tails
from tests.reference import permutation as reference


@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=8, max_size=8),
    st.sampled_from([(8,), (4, 8), (2, 5, 8), (1, 8)]),
)
def test_tail_is_the_share_of_all_arrangements(splits: list[tuple[int, bool]], ends: tuple[int, ...]) -> None:
    levels, inside = [level for level, _ in splits], [is_in for _, is_in in splits]
    found = np.empty(1)
    permutation_tails(np.array([levels]), np.array([inside]), np.array(ends), found)
    assert found[0] == pytest.approx(reference.permutation_tail(levels, inside, ends))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=9), st.data())
def test_distribution_of_a_sum_is_that_of_sampling_without_replacement(levels: list[int], data: st.DataObject) -> None:
    k, n = data.draw(st.integers(0, len(levels))), len(levels)
    found = _block_distribution(np.array(levels), k)
    values = np.arange(found.size)
    mean = values @ found
    assert found.sum() == pytest.approx(1.0)
    assert mean == pytest.approx(k * np.mean(levels))
    expected = k * (n - k) / (n - 1) * np.var(levels) if n > 1 else 0.0  # Cochran 1977, (2.9)
    assert (values - mean) ** 2 @ found == pytest.approx(expected, abs=1e-9)
