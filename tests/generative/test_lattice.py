"""The kernels of lattices agree with exact fractions, with FLINT and with trying everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.lattice import ROUNDED, Orthogonal, insert_deeply, nearest_plane, orthogonalise, reduce_basis
from divulge.lattice.hunt import Hunt
from divulge.lattice.reduced import DELTA, reduce_sums
from divulge.lattice.sums import sums_of
from tests.reference import lattice as reference

SEEDS = st.integers(0, 10**6)
MANY = 10**6  # swaps; never reached in these dimensions


def random_basis(rng: np.random.Generator, n: int, bits: int) -> np.ndarray:
    """Whole numbers with a large column, as (e_j | shift_j) has."""
    return np.hstack([np.eye(n), rng.integers(-(2**bits), 2**bits, (n, 2))])


def same_lattice(a: np.ndarray, b: np.ndarray) -> bool:
    hermite = [fmpz_mat([[int(x) for x in row] for row in m]).hnf() for m in (a, b)]
    return bool(hermite[0] == hermite[1])


@pytest.mark.slow
@given(seed=SEEDS, n=st.integers(2, 12), bits=st.integers(1, 24))
def test_reduced_basis_is_reduced_in_exact_arithmetic_and_spans_the_same_lattice(seed: int, n: int, bits: int) -> None:
    basis = random_basis(np.random.default_rng(seed), n, bits)
    reduced = basis.copy()
    assert reduce_basis(reduced, DELTA, MANY) >= 0
    assert reference.is_reduced(reduced, DELTA, ROUNDED + 1e-9)  # floats decide about rounding
    assert same_lattice(basis, reduced)


@given(seed=SEEDS, n=st.integers(2, 30), bits=st.integers(1, 20))
def test_shortest_vector_is_about_as_short_as_that_of_flint(seed: int, n: int, bits: int) -> None:
    basis = random_basis(np.random.default_rng(seed), n, bits)
    theirs = fmpz_mat([[int(x) for x in row] for row in basis]).lll(delta=DELTA)
    shortest = min(sum(int(theirs[i, j]) ** 2 for j in range(n + 2)) for i in range(n))
    reduced = basis.copy()
    reduce_basis(reduced, DELTA, MANY)
    # Both are LLL-reduced, of which there are many: in these dimensions they differ by a few per cent.
    assert (reduced**2).sum(axis=1).min() <= 1.5**2 * shortest


@given(seed=SEEDS, n=st.integers(2, 20))
def test_deep_insertion_keeps_the_lattice_and_makes_no_first_vector_longer(seed: int, n: int) -> None:
    basis = random_basis(np.random.default_rng(seed), n, 12)
    reduce_basis(basis, DELTA, MANY)
    deeper = basis.copy()
    insert_deeply(deeper, DELTA, 10_000)
    assert same_lattice(basis, deeper)
    assert (deeper[0] ** 2).sum() <= (basis[0] ** 2).sum() + 1e-9  # sums of whole squares


@given(seed=SEEDS, n=st.integers(1, 7))
def test_nearest_plane_is_that_of_exact_fractions(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    basis = random_basis(rng, n, 6)
    reduce_basis(basis, DELTA, MANY)
    target = rng.normal(3, 40, n + 2)
    left = nearest_plane(Orthogonal(basis, *orthogonalise(basis)), target)
    wanted = [float(x) for x in reference.nearest_plane(basis, target)]
    np.testing.assert_allclose(left, wanted, atol=1e-9)  # coordinates of some hundreds


@pytest.mark.parametrize("span", [1, 3], ids=["yes or no", "several steps"])
@given(seed=SEEDS, n=st.integers(1, 6), d=st.integers(1, 3), scale=st.sampled_from([1.5, 20.0, 4e9]))
def test_hunt_finds_every_solution_and_no_other(span: int, seed: int, n: int, d: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    shifts = np.round(rng.normal(0, scale, (n, d)), 3)
    aim = rng.integers(0, span + 1, n) @ shifts + rng.uniform(-0.9, 0.9, d)
    wanted = reference.solutions(shifts, aim, np.full(n, span))
    question = sums_of(shifts, aim, span)
    reduced = reduce_sums(question, insertions=50)
    hunt = Hunt(reduced, reduced.sums.aim)
    found: set[tuple[int, ...]] = set()
    while not hunt.is_over:
        found |= {tuple(map(int, numbers)) for numbers in hunt.go_on(7, 2)}  # few nodes: it is interrupted often
    assert wanted <= found
    assert {f for f in found if (np.abs(question.left(np.array(f))) <= 1).all()} == wanted


@given(seed=SEEDS)
def test_numbers_are_found_again_from_sums_of_ten_digits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shifts = rng.normal(0, 1e10, (20, 3))
    secret = rng.integers(0, 2, 20)
    reduced = reduce_sums(sums_of(shifts, secret @ shifts))
    assert np.array_equal(reduced.nearest(reduced.sums.aim), secret)


def test_nearest_plane_is_seldom_much_farther_than_the_nearest_point() -> None:
    rng = np.random.default_rng(4)  # any
    ratios = []
    for _ in range(40):
        reduced = reduce_sums(sums_of(rng.normal(0, 8, (4, 2)), rng.normal(0, 20, 2), 9))
        target = reduced.target(reduced.sums.aim, np.zeros(4, dtype=np.int64))
        left = nearest_plane(reduced.orthogonal, target)
        around = np.array(list(product(range(-3, 4), repeat=4))) @ reduced.orthogonal.basis
        ratios.append(np.linalg.norm(left) / np.linalg.norm(left - around, axis=1).min())
    assert min(ratios) == pytest.approx(1.0)  # where it is the nearest itself
    assert np.median(ratios) < 1.2  # Babai's bound is exponential; in 4 dimensions it is a few per cent
    assert max(ratios) < 2.0


@given(seed=SEEDS)
def test_numbers_found_from_around_an_aim_are_within_ranges_and_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shifts = rng.normal(0, 30, (60, 3))
    question = sums_of(shifts, 2 * shifts.sum(axis=0) + rng.normal(0, 60, 3), 4)
    reduced = reduce_sums(question, weight=1.0)
    found = reduced.nearest_within(reduced.sums.aim, rng, 100)
    assert found is not None  # 60 numbers of five values each for three figures: there are very many
    assert ((found >= 0) & (found <= 4)).all()
    assert (np.abs(question.left(found)) <= 1 + 1e-9).all()  # rounding
    assert reduce_sums(sums_of(shifts, shifts.sum(axis=0) * 50, 4)).nearest_within(question.aim * 50, rng, 5) is None
