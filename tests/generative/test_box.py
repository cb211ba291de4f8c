"""The nearest point of a box agrees with scipy's bounded least squares."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from divulge.kernels.nearest_point import nearest_in_box


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
def test_nearest_in_box_is_the_bounded_least_squares_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n)) + 2 * np.eye(n)
    point, low = rng.normal(5, 3, n), rng.normal(4, 2, n)
    high = low + rng.uniform(0.1, 3, n)
    found = nearest_in_box(root.T @ root, point, low, high, 100_000)
    wanted = lsq_linear(root, root @ point, (low, high), tol=1e-14).x
    assert ((found >= low) & (found <= high)).all()
    distance = [float(np.sum((root @ (point - t)) ** 2)) for t in (found, wanted)]
    assert distance[0] <= distance[1] * (1 + 1e-2) + 1e-6  # it stops once it moves by less than 1e-4 of an interval
