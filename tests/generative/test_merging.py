"""The kernel that weighs merged levels equals a look at every cell of the merged table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.merging import Cells, Goal
from divulge.merging.goal import LARGE
from divulge.merging.rows import Rows
from tests.reference import merging as slow

GOALS = (Goal(), Goal(fewest=5), Goal(rarest=0.2), Goal(delta=0.1), Goal(3, 0.3, 0.15))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(GOALS), st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_people_and_bits_are_those_of_the_merged_table(seed: int, goal: Goal, shape: list[int]) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.choice([0.5, 3.0, 20.0]), shape).astype(np.int64)
    counts.flat[0] += 1
    names = tuple("ABC"[: len(shape)])
    groups = {name: _groups(rng, n) for name, n in zip(names, shape, strict=True)}
    rows = Rows([Cells(names, counts)], goal)
    table = slow.merged(counts, [groups[name].tolist() for name in names])
    share = table[table > 0] / table.sum()
    found = rows.weigh(groups)
    bad = slow.bad_cells(table, goal, LARGE)
    assert found.people == table[bad].sum()
    assert found.bits == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-12)
    share = table[(table > 0) & ~bad] / table.sum()
    assert found.kept == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-12)
    # A pair that is merged besides weighs what the table merged so weighs.
    name = names[int(rng.integers(len(names)))]
    kept = np.unique(groups[name]).tolist()
    pairs = [(a, b) for a in kept for b in kept if a < b]
    for pair, besides in zip(pairs, rows.weigh_merges(groups, name, pairs), strict=True):
        joined = np.where(groups[name] == pair[1], pair[0], groups[name])
        assert besides == rows.weigh({**groups, name: joined})


def _groups(rng: np.random.Generator, n: int) -> np.ndarray:
    drawn = rng.integers(0, n, n)
    _, first, place = np.unique(drawn, return_index=True, return_inverse=True)
    return first[place]
