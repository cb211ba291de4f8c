"""Numbers of cells handed out to people: the kernels against the obvious lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.parting import add_to_those_in, parted
from tests.reference import parting as reference


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=30),
)
def test_parted_numbers_equal_the_obvious_lists(numbers: list[float], people: list[tuple[int, bool]]) -> None:
    by_cell = np.array(numbers)
    cells = np.array([c % len(numbers) for c, _ in people], dtype=np.int32)
    inside = np.array([is_in for _, is_in in people], dtype=bool)
    assert [part.tolist() for part in parted(by_cell, cells, inside)] == reference.parted(by_cell, cells, inside)
    sums, counts = np.ones(len(people)), np.zeros(len(people), dtype=np.int32)
    add_to_those_in(sums, counts, by_cell, cells, inside)
    assert sums.tolist() == np.where(inside, 1.0 + by_cell[cells], 1.0).tolist()
    assert counts.tolist() == inside.astype(int).tolist()
