"""The audit against every filling of the cells and every sample."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.proofs import find_contradiction, prove_at_most
from divulge.audit.samples import Known
from divulge.audit.system import System
from tests.reference import audit as reference

MOST = 3
"""What a cell holds at most: fillings of five cells are then 1,024."""


@st.composite
def systems(draw: st.DrawFn) -> System:
    n_cells, n_figures = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    factors = st.lists(st.sampled_from([0, 0, 1, 1, 1, -1, 2]), min_size=n_cells, max_size=n_cells)
    matrix = np.array([draw(factors) for _ in range(n_figures)], dtype=float).reshape(n_figures, n_cells)
    low = np.array([draw(st.integers(-3, 6)) for _ in range(n_figures)], dtype=float)
    high = low + [draw(st.sampled_from([0, 0, 1, 2])) for _ in range(n_figures)]
    names = tuple(map(str, range(n_figures))), tuple(map(str, range(n_cells)))
    least, most = np.zeros(n_cells), np.full(n_cells, float(MOST))
    return System(sparse.csr_array(matrix), low, high, least, most, True, *names)


@given(systems())
def test_bounds_are_those_of_all_fillings(system: System) -> None:
    expected = reference.whole_bounds(system.matrix.toarray(), system.low, system.high, MOST)
    found = find_bounds(system)
    assert found.is_possible == (expected is not None)
    if expected is not None:
        assert found.is_sharp.all()
        assert found.low.tolist() == expected[0]
        assert found.high.tolist() == expected[1]


@settings(max_examples=40)  # each finds several proofs
@given(systems())
def test_bound_of_real_cells_has_a_proof_and_a_sharper_one_has_none(system: System) -> None:
    real = System(**{**vars(system), "is_whole": False})
    found = find_bounds(real)
    if not found.is_possible:
        assert find_contradiction(real) != ()
        return
    target = np.zeros(system.n_cells)
    target[0] = 1.0
    proof = prove_at_most(real, target, found.high[0])
    assert proof is not None
    assert prove_at_most(real, target, found.high[0] - 0.01) is None  # far more than the slack of a proof


@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.sampled_from([0.005, 0.05, 0.5]), st.booleans())
def test_samples_are_those_of_all_combinations(sample: list[int], half: float, with_median: bool) -> None:
    n = len(sample)
    mean, sd = float(np.mean(sample)), float(np.std(sample, ddof=1))
    middle = float(np.median(sample))
    # Off the values themselves, so that rounding of floats decides nothing.
    intervals = (mean - half * 1.01, mean + half), (sd - half * 1.01, sd + half), (middle - 0.26, middle + 0.26)
    if not with_median:
        intervals = (*intervals[:2], (-1.0, 7.0))
    found = Known(n, *intervals, values=tuple(range(7))).possible()
    assert found.is_complete
    assert list(found.samples) == reference.samples(list(range(7)), n, *intervals)
