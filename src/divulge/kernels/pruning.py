"""Cutting a grown tree back: which splits are worth keeping. Growing trees is scikit-learn's work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from divulge.kernels.arrays import Floats, Integers


@njit(cache=True, nogil=True)
def _pruned_leaves(left: Integers, right: Integers, risk: Floats, alpha: float) -> Integers:
    """For every node of a tree, the node of the pruned tree that rows in it end up in (a leaf, for rows in leaves).

    The pruned tree is the smallest one that minimises risk + alpha · splits (Breiman et al. 1984, section 3.3).
    left, right: children of every node, after their parent; −1 for leaves. risk: loss of the node as a leaf, not
    divided by the number of rows. With misclassifications as risk and alpha near 0, splits both of whose sides would
    be called the same class disappear: that is how rpart's trees differ from fully grown ones.
    """
    n = left.size
    best = risk.copy()
    is_split = left >= 0
    for i in range(n - 1, -1, -1):
        if is_split[i]:
            kept = best[left[i]] + best[right[i]] + alpha
            # Equal is not better: the smallest tree is wanted. The slack is for sums of rounded losses.
            if kept < risk[i] - 1e-12 * abs(risk[i]):
                best[i] = kept
            else:
                is_split[i] = False
    stands_for = np.arange(n)
    for i in range(n):
        if left[i] >= 0 and (not is_split[i] or stands_for[i] != i):
            stands_for[left[i]] = stands_for[i]
            stands_for[right[i]] = stands_for[i]
    return stands_for


def leaves_as_rpart(grown: Any, complexity: float) -> Integers:
    """For every node of scikit-learn's tree, the leaf that its rows end up in once R's rpart would have pruned it.

    The risk of a class tree is how many rows the most frequent class of a node leaves out, that of a tree of numbers
    the squared deviation. A split must lower it by this share (rpart's cp) of the root's.
    """
    if grown.n_classes[0] > 1:
        risk = np.round(grown.n_node_samples * (1.0 - grown.value[:, 0, :].max(axis=1)))
    else:
        risk = grown.n_node_samples * grown.impurity
    left, right = grown.children_left.astype(np.int64), grown.children_right.astype(np.int64)
    leaves: Integers = _pruned_leaves(left, right, risk, complexity * float(risk[0]))
    return leaves
