"""Outputs from decision trees of scikit-learn: the fitted object, read by its attributes, or the text of `export_text`.

scikit-learn itself is never imported, and no pickle is opened: a pickle runs what its maker wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds.tree import Tree

_QUESTION = re.compile(r"^(?P<bars>(?:\|   )*)\|--- (?P<name>.+?) (?P<sign><=|>) +(?P<number>-?[\d.e+-]+)$")
_LEAF = re.compile(r"^(?:\|   )*\|--- weights: \[(?P<counts>[\d., ]+)\] class: (?P<name>.+)$")


def from_sklearn(tree: Any, response: str, *, name: str | None = None, where: str | None = None) -> Tree:
    """The output that a fitted DecisionTreeClassifier is: the table of its leaves.

    response: the variable that it predicts, which the object does not know. where: the condition by which the rows were
    chosen, where it was not fitted to the whole frame.
    """
    inside = getattr(tree, "tree_", None)
    if inside is None or not hasattr(tree, "classes_"):
        raise OutputError(
            f"a fitted DecisionTreeClassifier is needed, this is of the type {type(tree).__name__!r}.",
            hint="Forests, boosting and regression trees are no tables of counts: judge them by hand.",
        )
    if getattr(tree, "n_outputs_", 1) != 1:
        raise OutputError("a tree with one response is needed.")
    names = getattr(tree, "feature_names_in_", None)
    if names is None:
        raise OutputError(
            "the tree was fitted to an array without names, so its variables are not known.",
            hint="Fit it to columns of a data frame.",
        )
    conditions: list[str] = []
    counts: list[list[float]] = []

    def walk(node: int, path: tuple[str, ...]) -> None:
        left, right = int(inside.children_left[node]), int(inside.children_right[node])
        if left == right:
            conditions.append(" and ".join(path))
            share = np.asarray(inside.value[node], dtype=float).ravel()
            counts.append((share / share.sum() * float(inside.weighted_n_node_samples[node])).tolist())
            return
        variable, at = str(names[inside.feature[node]]), float(inside.threshold[node])
        walk(left, (*path, f"{variable} <= {at:.6g}"))
        walk(right, (*path, f"{variable} > {at:.6g}"))

    walk(0, ())
    classes = [str(c).removesuffix(".0") for c in tree.classes_]
    return _tree(response, conditions, counts, classes, name, where)


def from_tree_text(
    text: str, response: str, classes: Sequence[str], *, name: str | None = None, where: str | None = None
) -> Tree:
    """The same from what `export_text(tree, feature_names=…, show_weights=True)` printed. classes: in their order."""
    conditions: list[str] = []
    counts: list[list[float]] = []
    path: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        question, leaf = _QUESTION.match(line), _LEAF.match(line)
        if question is not None:
            depth = len(question["bars"]) // 4
            path = [*path[:depth], f"{question['name']} {question['sign']} {float(question['number']):g}"]
        elif leaf is not None:
            conditions.append(" and ".join(path))
            counts.append([float(n) for n in leaf["counts"].split(",")])
        elif line.strip():
            raise OutputError(
                f"line {number} is no line of a tree with weights.",
                hint="Print it by export_text(tree, feature_names=list(X), show_weights=True).",
            )
    return _tree(response, conditions, counts, list(classes), name, where)


def _tree(
    response: str,
    conditions: list[str],
    counts: list[list[float]],
    classes: list[str],
    name: str | None,
    where: str | None,
) -> Tree:
    if len(conditions) < 2:
        raise OutputError("a tree with at least one question is needed.")
    if any(len(row) != len(classes) for row in counts):
        raise OutputError(f"{len(classes)} classes are said, and leaves have other numbers of counts.")
    whole = np.array(counts)
    if np.abs(whole - np.round(whole)).max() > 1e-6:
        raise OutputError(
            "the leaves hold weights, not counts.", hint="Fit the tree without weights of rows or classes."
        )
    asked = dict.fromkeys(part.rsplit(" ", 2)[0] for leaf in conditions for part in leaf.split(" and "))
    released = {
        f"{response}={one} in {leaf}": round(n)
        for leaf, row in zip(conditions, counts, strict=True)
        for one, n in zip(classes, row, strict=True)
    }
    return Tree(
        response=response, variables=tuple(asked), leaves=tuple(conditions), released=released, name=name, where=where
    )
