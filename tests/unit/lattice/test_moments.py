"""Sums of products: short bases hold all that rows can make, and what is wanted has coefficients in the box."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import gcd
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.lattice import moments
from divulge.lattice.moments import Moments, rows_for, whole_basis
from tests.reference.lattice import solved


def minors(rows: Any) -> tuple[int, int]:
    """The rank of whole rows, and the greatest common divisor of their minors: how dense their sums are."""
    for size in range(min(rows.shape), 0, -1):
        divisor = 0
        for chosen in combinations(range(len(rows)), size):
            for columns in combinations(range(rows.shape[1]), size):
                divisor = gcd(divisor, round(np.linalg.det(rows[np.ix_(chosen, columns)].astype(float))))
        if divisor:
            return size, divisor
    return 0, 0


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), n_sums=st.integers(1, 3))
def test_a_short_basis_has_all_sums_of_the_changes_and_no_others(seed: int, n: int, n_sums: int) -> None:
    changes = np.random.default_rng(seed).integers(-6, 7, (n, n_sums))
    basis = whole_basis(changes)
    # The same rank and density, and no more of either together: then both are the same lattice.
    assert minors(changes) == minors(np.concatenate([changes, basis]))
    assert minors(basis) == minors(changes)
    assert len(basis) == minors(changes)[0]


def test_parity_is_seen() -> None:
    x = np.arange(-5, 6)
    # x and x² are odd together, whatever rows are changed.
    basis = whole_basis(np.stack([np.ones(11, dtype=int), 2 * x + 1], axis=1))
    assert abs(round(np.linalg.det(basis.astype(float)))) == 2


def people(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n, dtype=int), rng.integers(0, 50, n), rng.integers(0, 9, n)])
    return design, (design @ [20, 1, -2] + rng.normal(0, 9, n)).round().astype(int)


def products_of(column: int, design: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of columns, and what a step of the column does to their products, row by row, by multiplying them out."""
    pairs = np.array(np.triu_indices(design.shape[1])).T
    after = design.copy()
    after[:, column] += step
    both = [after[:, j] * after[:, k] - design[:, j] * design[:, k] for j, k in pairs]
    moved = [m for m, change in enumerate(both) if change.any()]
    return pairs[moved], np.stack([both[m] for m in moved], axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_wanted_sums_have_coefficients_in_the_box_and_rows_are_found_that_make_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    design, response = people(seed, 300)
    true, _ = people(seed + 100, 300)
    beta = np.linalg.lstsq(true, true @ [20, 1, -2] + rng.normal(0, 9, 300), rcond=None)[0]
    half = 5 * 10.0 ** (np.floor(np.log10(np.abs(beta))) - 8)  # eight significant digits
    sums = Moments((design.T @ design).astype(float), (design.T @ response).astype(float), beta, half)
    assert sums.bits < -20  # no response alone
    steps = {column: rng.choice([-1, 1], 300) for column in (1, 2)}
    kinds = [products_of(column, design, step) for column, step in steps.items()]
    up = rng.choice([-2, -1, 1, 2], 300)
    wanted = sums.wanted(kinds, design * up[:, None], rng)
    assert wanted is not None
    products, answers = (design.T @ design).tolist(), (design.T @ response + wanted[1]).tolist()
    for (pairs, _), change in zip(kinds, wanted[0], strict=True):
        for (j, k), more in zip(pairs.tolist(), change.tolist(), strict=True):
            products[j][k] += more
            products[k][j] += more if j != k else 0
    for found, b, h in zip(solved(products, answers), beta, half, strict=True):
        assert abs(found - Fraction(float(b))) < Fraction(float(h))
    for (_, changes), change in zip(kinds, wanted[0], strict=True):
        made = rows_for(changes, change, np.zeros((300, 0)), rng)
        assert made is not None
        assert changes[made].sum(axis=0).tolist() == change.tolist()


@given(seed=st.integers(0, 10**6))
def test_the_bits_of_a_box_are_how_many_sums_it_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(6, dtype=int), rng.permutation(np.arange(6))])
    products = (design.T @ design).astype(float)
    half = np.array([0.9, 0.3])
    sums = Moments(products, np.zeros(2), rng.uniform(-1, 1, 2), half)
    near = np.round(products @ sums.middle).astype(int)
    inverse, n = np.linalg.inv(products), 0
    for step in product(range(-40, 41), repeat=2):
        n += bool((np.abs(inverse @ (near + step) - sums.middle) <= half).all())
    assert abs(n - 2**sums.bits) < 0.25 * n  # 113 on average: the edge of the box holds a few more or fewer


def test_what_rows_do_beside_is_kept_small() -> None:
    rng = np.random.default_rng(1)  # any seed
    changes = rng.integers(-5, 6, (300, 2))
    beside = rng.normal(0, 100, (300, 1))
    made = rows_for(changes, np.array([3, -2]), beside / 50, rng)
    assert made is not None
    assert changes[made].sum(axis=0).tolist() == [3, -2]
    assert abs(beside[made].sum()) <= 50


def test_squares_of_a_response_are_met_by_deep_reduction(monkeypatch: pytest.MonkeyPatch) -> None:
    n_plain, n_deep = 0, 0
    for seed in range(6):  # any
        rng = np.random.default_rng(seed)
        design = np.column_stack([np.ones(300, int), rng.integers(0, 900, 300), rng.integers(1940, 1990, 300)])
        design = np.column_stack([design, np.eye(4, dtype=int)[rng.integers(0, 4, 300)][:, 1:]])
        years = rng.integers(5, 40, 300)
        changes = design * ((years + rng.choice([-2, -1, 1, 2], 300)) ** 2 - years**2)[:, None]
        wanted = changes[:40].sum(axis=0)  # so that there is an answer at all
        made = rows_for(changes, wanted, np.zeros((300, 0)), rng)
        assert made is None or changes[made].sum(axis=0).tolist() == wanted.tolist()
        n_deep += made is not None
        with monkeypatch.context() as without:
            without.setattr(moments, "_LATTICES_DEEP", 0)
            n_plain += rows_for(changes, wanted, np.zeros((300, 0)), rng) is not None
    assert n_plain <= 1
    assert n_deep >= 4


def test_numbers_stay_small_while_vectors_of_many_large_sums_are_taken_in() -> None:
    rng = np.random.default_rng(1)  # any
    pivots: dict[int, Any] = {}
    for change in rng.integers(-(10**9), 10**9, (200, 8)):
        moments._insert(pivots, change.astype(object))
    assert max(abs(int(v)) for vector in pivots.values() for v in vector).bit_length() < 300
