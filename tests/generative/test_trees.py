"""Pruning and ordering equal what trying everything finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.ordering import ranks_by_class, ranks_by_mean
from divulge.kernels.pruning import _pruned_leaves
from tests.reference.trees import best_pruning, best_split_in_two, cost


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[int], list[float]]:
    """A tree with children after their parents, and the misclassified rows of every node."""
    left, right, risk = [-1], [-1], [float(draw(st.integers(0, 9)))]
    for _ in range(draw(st.integers(0, 5))):
        node = draw(st.sampled_from([i for i in range(len(left)) if left[i] < 0]))
        left[node], right[node] = len(left), len(left) + 1
        first = draw(st.integers(0, int(risk[node])))
        for part in (first, draw(st.integers(0, int(risk[node]) - first))):
            left.append(-1)
            right.append(-1)
            risk.append(float(part))
    return left, right, risk


@given(trees(), st.sampled_from([0.0, 0.5, 1.0, 2.5]))
def test_pruned_tree_is_the_smallest_of_the_cheapest(tree: tuple[list[int], list[int], list[float]], a: float) -> None:
    left, right, risk = tree
    stands_for = _pruned_leaves(np.array(left), np.array(right), np.array(risk), a)
    kept = frozenset(i for i in range(len(left)) if left[i] >= 0 and stands_for[left[i]] == left[i])
    best = best_pruning(left, right, risk, a)
    assert (cost(left, right, risk, kept, a), len(kept)) == (cost(left, right, risk, best, a), len(best))


@given(trees())
def test_rows_end_in_an_ancestor_or_where_they_were(tree: tuple[list[int], list[int], list[float]]) -> None:
    left, right, risk = tree
    stands_for = _pruned_leaves(np.array(left), np.array(right), np.array(risk), 0.0)
    parent = {c: p for p in range(len(left)) for c in (left[p], right[p]) if c >= 0}
    for node in range(len(left)):
        chain = [node]
        while chain[-1] in parent:
            chain.append(parent[chain[-1]])
        assert stands_for[node] in chain
        assert stands_for[stands_for[node]] == stands_for[node]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 5)), min_size=2, max_size=20))
def test_best_division_of_levels_is_a_cut_of_the_order(rows: list[tuple[int, int]]) -> None:
    codes, y = np.array([c for c, _ in rows]), np.array([float(v) for _, v in rows])
    if len(set(codes)) < 2:
        return
    ranks = ranks_by_mean(codes, 5, y)[codes]
    found = []
    for cut in np.unique(ranks)[1:]:
        parts = [y[ranks < cut], y[ranks >= cut]]
        found.append(sum(float(((p - p.mean()) ** 2).sum()) for p in parts))
    assert np.isclose(min(found), best_split_in_two(codes.tolist(), y.tolist()))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=30))
def test_for_two_classes_the_order_is_that_of_their_shares(rows: list[tuple[int, int]]) -> None:
    codes, classes = np.array([c for c, _ in rows]), np.array([k for _, k in rows])
    by_class, by_mean = ranks_by_class(codes, 5, classes, 2), ranks_by_mean(codes, 5, classes.astype(float))
    shares = np.array([classes[codes == c].mean() if (codes == c).any() else classes.mean() for c in range(5)])
    for ranks in (by_class, by_mean):
        along = shares[np.argsort(ranks)]
        assert (np.diff(along) >= -1e-9).all() or (np.diff(along) <= 1e-9).all()
        assert sorted(ranks) == list(range(5))
