"""Dense and sorted counting give the same cells."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.kernels import counting


@pytest.mark.parametrize("n", [0, 1, 50, 5000])
def test_dense_and_sorted_counts_agree_with_numpy(n: int) -> None:
    codes = np.random.default_rng(n).integers(0, 700, n)
    expected = np.unique(codes, return_counts=True)
    for radix in (700, counting.DENSE_CELLS + 1):
        found, counts = counting.distinct(codes.copy(), radix)
        assert found.tolist() == expected[0].tolist()
        assert counts.tolist() == expected[1].tolist()


@pytest.mark.slow
def test_cells_are_put_together_alike_dense_and_sorted() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 40, 300)
    a, b = (rng.integers(0, 5, 300).astype(np.int32) for _ in "ab")
    a[0] = 1
    dense = counting.regrouped(codes, a, b, 40)
    by_sorting = counting.regrouped(codes, a, b, counting.DENSE_CELLS + 1)
    some = dense[1] + dense[2] > 0
    for left, right in zip(dense, by_sorting, strict=True):
        assert left[some].tolist() == right.tolist()
    assert dense[1].sum() == a.sum()
