"""Columns that are the same have the same number."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from divulge.audit.alike import number_alike


@given(seed=st.integers(0, 10**6), rows=st.integers(0, 4), columns=st.integers(1, 30))
def test_columns_have_the_number_of_the_first_that_is_equal(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.integers(-1, 2, (rows, columns)) / 3
    number, first = number_alike(sparse.csr_array(dense))
    kinds: dict[tuple[float, ...], int] = {}
    expected = [kinds.setdefault(tuple(column), len(kinds)) for column in dense.T.tolist()]
    assert number.tolist() == expected
    assert first.tolist() == [expected.index(k) for k in range(len(kinds))]
