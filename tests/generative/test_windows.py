"""Counts in windows: the kernel against the obvious loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.windows import window_counts
from tests.reference import windows as reference


@given(
    st.lists(st.integers(0, 39), max_size=40),
    st.lists(st.integers(0, 39), min_size=1, max_size=40),
    st.integers(0, 3),
)
def test_window_counts_equal_the_obvious_loop(rows: list[int], cells: list[int], reach: int) -> None:
    width = 5
    low = np.maximum(np.arange(width) - reach, 0)
    high = np.minimum(np.arange(width) + reach, width - 1)
    ordered, unique = np.sort(np.array(rows, dtype=np.int64)), np.unique(np.array(cells, dtype=np.int64))
    near, matched = np.empty(len(unique), np.int32), np.empty(len(unique), np.int32)
    certain = np.empty(len(unique), np.bool_)
    window_counts(ordered, unique, width, low, high, near, matched, certain)
    found = list(zip(near.tolist(), matched.tolist(), certain.tolist(), strict=True))
    assert found == reference.window_counts(ordered, unique, width, low, high)
