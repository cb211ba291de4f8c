"""Proposed changes: which figures are questions of their own, and which changes are of no use, as found one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.arrays import Floats
from divulge.synthesisers.descent.proposed import apart, useful


def _some(seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    n_changes, n_figures = int(rng.integers(1, 40)), int(rng.integers(1, 70))
    shifts = np.where(
        rng.random((n_changes, n_figures)) < rng.choice([0.02, 0.1]), rng.normal(size=(1, n_figures)), 0.0
    )
    return shifts, rng.normal(0, 2, n_figures)


@given(seed=st.integers(0, 10**6))
def test_figures_are_apart_unless_some_change_moves_both(seed: int) -> None:
    shifts, _ = _some(seed)
    left = {frozenset(np.flatnonzero(row).tolist()) for row in shifts if row.any()}
    found: list[set[int]] = []
    for figures in left:
        touched = [group for group in found if group & figures]
        found = [group for group in found if not group & figures] + [set(figures).union(*touched)]
    assert {frozenset(np.flatnonzero(mask).tolist()) for mask in apart(shifts)} == {frozenset(g) for g in found}


@given(seed=st.integers(0, 10**6))
def test_change_is_of_no_use_where_none_takes_back_what_it_takes_out(seed: int) -> None:
    shifts, errors = _some(seed)
    is_useful = useful(shifts, errors)
    left = shifts
    for _ in range(3):
        kept = []
        for row in left:
            ups, downs = (left > 1e-6).any(axis=0), (left < -1e-6).any(axis=0)
            room_up, room_down = np.maximum(1 - errors, 1e-6), np.maximum(1 + errors, 1e-6)
            kept.append(not ((~downs & (row > room_up)) | (~ups & (row < -room_down))).any())
        left = np.where(np.array(kept)[:, None], left, 0.0)
    dropped = (shifts != 0).any(axis=1) & ~left.any(axis=1)
    assert (is_useful == ~dropped).all()
