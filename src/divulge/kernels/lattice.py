"""Lattices: a basis reduced (LLL), the lattice point near a target, and every lattice point in a box around one.

The rows of a basis are its vectors. Entries are floats: what is reduced here is (whole numbers | real shifts), so the
caller can compute the real part anew from the whole numbers, which stay exact up to 2**53.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

ROUNDED = 0.501
"""Size reduction leaves coefficients below this; with exactly a half, rounding could go on for ever."""

PASSES = 40
"""Reductions from a fresh orthogonalisation, at most. Two or three are usual: the last one finds nothing to do."""


class Orthogonal(NamedTuple):
    """A basis with its Gram–Schmidt vectors, so that many targets cost little."""

    basis: NDArray[np.float64]  # (vectors, coordinates)
    vectors: NDArray[np.float64]  # (vectors, coordinates), orthogonal
    slopes: NDArray[np.float64]  # (vectors, vectors): μ[i, j] = <b_i, q_j> / |q_j|²
    norms: NDArray[np.float64]  # |q_i|²


class Walk(NamedTuple):
    """Where an enumeration stands, so that it can be interrupted and taken up again."""

    level: NDArray[np.int64]  # (1,): −1 before the start, the number of vectors once all was seen
    chosen: NDArray[np.float64]  # (vectors,) coefficients
    centre: NDArray[np.float64]  # (vectors,) where the coefficients would be best
    step: NDArray[np.float64]  # (vectors,) the next step away from the centre
    distance: NDArray[np.float64]  # (vectors + 1,) squared, of what is fixed from this level on
    rest: NDArray[np.float64]  # (vectors + 1, coordinates) the projected residual at every level


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(a, i, b, j):  # type: ignore[no-untyped-def]
    """Row i of a times row j of b."""
    total = 0.0
    for c in range(a.shape[1]):
        total += a[i, c] * b[j, c]
    return total


@njit(cache=True, nogil=True, inline="always")
def _take(a, i, times, b, j):  # type: ignore[no-untyped-def]
    """Take a multiple of row j of b from row i of a."""
    for c in range(a.shape[1]):
        a[i, c] -= times * b[j, c]


@njit(cache=True, nogil=True)
def orthogonalise(basis, times=2):  # type: ignore[no-untyped-def]
    """Gram–Schmidt vectors, coefficients and squared lengths; every vector twice, since once leaves rounding behind."""
    m = basis.shape[0]
    vectors = basis.copy()
    slopes = np.zeros((m, m))
    norms = np.zeros(m)
    for i in range(m):
        slopes[i, i] = 1.0
        for _ in range(times):
            for j in range(i):
                part = _dot(vectors, i, vectors, j) / norms[j]
                # What is orthogonal up to rounding stays: bases that are hardly reduced yet are mostly zeros.
                if abs(part) > 1e-17:
                    slopes[i, j] += part
                    _take(vectors, i, part, vectors, j)
        norms[i] = max(_dot(vectors, i, vectors, i), 1e-300)  # dependent vectors are the caller's error
    return vectors, slopes, norms


@njit(cache=True, nogil=True, inline="always")
def _subtract(basis, slopes, k, j):  # type: ignore[no-untyped-def]
    """Take the nearest whole multiple of vector j from vector k."""
    q = np.round(slopes[k, j])
    _take(basis, k, q, basis, j)
    for i in range(j + 1):
        slopes[k, i] -= q * slopes[j, i]


@njit(cache=True, nogil=True)
def _exchange(basis, slopes, norms, k):  # type: ignore[no-untyped-def]
    """Swap vectors k and k − 1, and what is known of them (Cohen 1993, algorithm 2.6.3)."""
    m = basis.shape[0]
    for c in range(basis.shape[1]):
        basis[k, c], basis[k - 1, c] = basis[k - 1, c], basis[k, c]
    for j in range(k - 1):
        slopes[k, j], slopes[k - 1, j] = slopes[k - 1, j], slopes[k, j]
    slope = slopes[k, k - 1]
    norm = norms[k] + slope * slope * norms[k - 1]
    slopes[k, k - 1] = slope * norms[k - 1] / norm
    norms[k] = norms[k - 1] * norms[k] / norm
    norms[k - 1] = norm
    for i in range(k + 1, m):
        t = slopes[i, k]
        slopes[i, k] = slopes[i, k - 1] - slope * t
        slopes[i, k - 1] = t + slopes[k, k - 1] * slopes[i, k]


@njit(cache=True, nogil=True)
def reduce_basis(basis, delta, most_swaps, passes=PASSES):  # type: ignore[no-untyped-def]
    """Reduce a basis in place (Lenstra, Lenstra & Lovász 1982); return the swaps made, −1 where they were not enough.

    Swaps update the Gram–Schmidt coefficients; every pass starts from fresh ones, until a pass has nothing to do. One
    pass leaves the basis reduced up to rounding, which will do on the way to sharper figures.
    """
    m = basis.shape[0]
    swaps = 0
    for _ in range(passes):
        _vectors, slopes, norms = orthogonalise(basis, 1)
        before = swaps
        k = 1
        while k < m:
            if abs(slopes[k, k - 1]) > ROUNDED:
                _subtract(basis, slopes, k, k - 1)
            if norms[k] < (delta - slopes[k, k - 1] ** 2) * norms[k - 1]:
                swaps += 1
                if swaps > most_swaps:
                    return -1
                _exchange(basis, slopes, norms, k)
                k = max(k - 1, 1)
                continue
            for j in range(k - 2, -1, -1):
                if abs(slopes[k, j]) > ROUNDED:
                    _subtract(basis, slopes, k, j)
            k += 1
        if swaps == before:
            return swaps
    return -1


@njit(cache=True, nogil=True)
def _take_from_all(basis, vectors, slopes, norms, k):  # type: ignore[no-untyped-def]
    """Size-reduce vector k against those before it, and orthogonalise it anew."""
    for again in range(2):
        for j in range(k):
            slopes[k, j] = _dot(basis, k, vectors, j) / norms[j]
        for j in range(k - 1, -1, -1):
            if abs(slopes[k, j]) > ROUNDED:
                _subtract(basis, slopes, k, j)
        if again == 0:
            continue
        vectors[k] = basis[k]
        for j in range(k):
            _take(vectors, k, slopes[k, j], vectors, j)
    norms[k] = max(_dot(vectors, k, vectors, k), 1e-300)


@njit(cache=True, nogil=True)
def insert_deeply(basis, delta, most_insertions):  # type: ignore[no-untyped-def]
    """Reduce further, in place: a vector goes as far up as it is shorter (Schnorr & Euchner 1994, deep insertion).

    For a basis that is LLL-reduced already. Returns the insertions made; it stops at the most allowed.
    """
    m = basis.shape[0]
    vectors, slopes, norms = orthogonalise(basis)
    insertions, k = 0, 1
    while k < m and insertions < most_insertions:
        if k == 0:
            vectors[0] = basis[0]
            norms[0] = _dot(basis, 0, basis, 0)
            k = 1
        _take_from_all(basis, vectors, slopes, norms, k)
        left = _dot(basis, k, basis, k)
        place = k
        for i in range(k):
            if left < delta * norms[i]:
                place = i
                break
            left -= slopes[k, i] ** 2 * norms[i]
        if place == k:
            k += 1
            continue
        insertions += 1
        row = basis[k].copy()
        for i in range(k, place, -1):
            basis[i] = basis[i - 1]
        basis[place] = row
        k = place
    return insertions


@njit(cache=True, nogil=True)
def nearest_plane(orthogonal, target):  # type: ignore[no-untyped-def]
    """What is left of the target once a lattice point near it is taken away: nearest plane (Babai 1986)."""
    basis, vectors, _slopes, norms = orthogonal
    left = target.copy()
    for i in range(basis.shape[0] - 1, -1, -1):
        q = np.round((left @ vectors[i]) / norms[i])
        if q != 0.0:
            left -= q * basis[i]
    return left


@njit(cache=True, nogil=True)
def nearest_in_box(orthogonal, target, bounds, offsets, found):  # type: ignore[no-untyped-def]
    """Nearest plane from several points around a target, until what is left of the target is within the bounds.

    offsets (tries, coordinates) are added to the last coordinates of the target. Fills `found` with what is left of the
    target and returns the number of tries, or −1 where none was within the bounds.
    """
    width, n_offsets = target.shape[0], offsets.shape[1]
    near = np.empty(width)
    for t in range(offsets.shape[0]):
        near[:] = target
        for c in range(n_offsets):
            near[width - n_offsets + c] += offsets[t, c]
        left = nearest_plane(orthogonal, near)
        inside = True
        for c in range(width):
            x = left[c] - (near[c] - target[c])
            found[c] = x
            if abs(x) > bounds[c] * (1.0 + 1e-9):  # whole numbers and boxes: less is rounding
                inside = False
                break
        if inside:
            return t + 1
    return -1


@njit(cache=True, nogil=True)
def _start(orthogonal, aims, walk, k):  # type: ignore[no-untyped-def]
    """Set the coefficient of level k to the best one, given those of the levels above it."""
    _basis, _vectors, slopes, _norms = orthogonal
    best = aims[k]
    for j in range(k + 1, slopes.shape[0]):
        best -= walk.chosen[j] * slopes[j, k]
    walk.centre[k] = best
    walk.chosen[k] = np.round(best)
    walk.step[k] = 1.0 if best >= walk.chosen[k] else -1.0


@njit(cache=True, nogil=True, inline="always")
def _move_on(walk, k):  # type: ignore[no-untyped-def]
    """The next coefficient of level k, in order of distance from the centre (Schnorr & Euchner 1994)."""
    walk.chosen[k] += walk.step[k]
    walk.step[k] = -walk.step[k] - 1.0 if walk.step[k] > 0 else -walk.step[k] + 1.0


@njit(cache=True, nogil=True)
def points_in_box(orthogonal, target, bounds, walk, most_nodes, found):  # type: ignore[no-untyped-def]
    """Every v = target − lattice point with |v_i| ≤ bounds_i, in slices: (nodes used, vectors written to found).

    Walks the tree of coefficients from the last vector to the first. A branch ends where its projection π(v) is longer
    than the box allows: |π(v)|² = <π(v), v> ≤ Σ bounds_i |π(v)_i| (Ritter 1996), and ≤ Σ bounds_i². Both follow from v
    being in the box, so nothing is missed. Returns when the nodes are used up, when `found` is full or when all was
    seen; walk.level[0] is then the number of vectors in the last case alone.
    """
    basis, vectors, _slopes, norms = orthogonal
    m, width = basis.shape
    slack = 1e-7  # of a bound: rounding must never cut a point off; the caller looks at each again
    limit = (bounds @ bounds) * (1.0 + slack)
    aims = np.empty(m)
    for i in range(m):
        aims[i] = (target @ vectors[i]) / norms[i]
    if walk.level[0] == -1:
        rest = target.copy()
        for i in range(m):
            rest -= aims[i] * vectors[i]
        walk.rest[m] = rest
        walk.distance[m] = rest @ rest
        walk.level[0] = m - 1
        _start(orthogonal, aims, walk, m - 1)
    k = walk.level[0]
    nodes, n_found = 0, 0
    while k < m and nodes < most_nodes and n_found < found.shape[0]:
        nodes += 1
        away = walk.centre[k] - walk.chosen[k]
        distance = walk.distance[k + 1] + away * away * norms[k]
        if distance > limit:
            # Coefficients come in order of distance: all others of this level are farther still.
            k += 1
            if k < m:
                _move_on(walk, k)
            continue
        most = 0.0
        for c in range(width):
            x = walk.rest[k + 1, c] + away * vectors[k, c]
            walk.rest[k, c] = x
            most += bounds[c] * abs(x)
        walk.distance[k] = distance
        if distance > most * (1.0 + slack) + slack:
            _move_on(walk, k)
            continue
        if k > 0:
            k -= 1
            _start(orthogonal, aims, walk, k)
            continue
        inside = True
        for c in range(width):
            if abs(walk.rest[0, c]) > bounds[c] * (1.0 + slack) + slack:
                inside = False
                break
        if inside:
            found[n_found] = walk.rest[0]
            n_found += 1
        _move_on(walk, 0)
    walk.level[0] = k
    return nodes, n_found
