"""Outputs from trees of scikit-learn: the fitted object, read by its attributes, or the text of `export_text`.

scikit-learn itself is never imported, and no pickle is opened: a pickle runs what its maker wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds.regression_tree import RegressionTree
from divulge.outputs.kinds.tree import Tree

_QUESTION = re.compile(r"^(?P<bars>(?:\|   )*)\|--- (?P<name>.+?) (?P<sign><=|>) +(?P<number>-?[\d.e+-]+)$")
_LEAF = re.compile(r"^(?:\|   )*\|--- (?:weights: \[(?P<counts>[\d., ]+)\] class: .+|value: \[(?P<value>-?[\d.]+)\])$")

DECIMALS = 2
"""Of a value in the text of a tree."""


def from_sklearn(
    tree: Any, response: str, *, name: str | None = None, where: str | None = None, decimals: int = DECIMALS
) -> Tree | RegressionTree:
    """The output that a fitted DecisionTreeClassifier or DecisionTreeRegressor is: the table of its leaves.

    response: the variable that it predicts, which the object does not know. where: the condition by which the rows were
    chosen, where it was not fitted to the whole frame. decimals: of means, as they are printed.
    """
    inside = getattr(tree, "tree_", None)
    called = type(tree).__name__
    if inside is None or not (hasattr(tree, "classes_") or "TreeRegressor" in called):
        raise OutputError(
            f"a fitted DecisionTreeClassifier or DecisionTreeRegressor is needed, this is of the type {called!r}.",
            hint="Forests and boosting are no tables: see the page on black boxes.",
        )
    if getattr(tree, "n_outputs_", 1) != 1:
        raise OutputError("a tree with one response is needed.")
    names = getattr(tree, "feature_names_in_", None)
    if names is None:
        raise OutputError(
            "the tree was fitted to an array without names, so its variables are not known.",
            hint="Fit it to columns of a data frame.",
        )
    leaves = list(_leaves(inside, [str(n) for n in names]))
    conditions = [path for _, path in leaves]
    weights = [float(inside.weighted_n_node_samples[node]) for node, _ in leaves]
    if hasattr(tree, "classes_"):
        classes = [str(c).removesuffix(".0") for c in tree.classes_]
        shares = [np.asarray(inside.value[node], dtype=float).ravel() for node, _ in leaves]
        counts = [(share / share.sum() * weight).tolist() for share, weight in zip(shares, weights, strict=True)]
        return _tree(response, conditions, counts, classes, name, where)
    if getattr(tree, "criterion", "") not in ("squared_error", "friedman_mse"):
        raise OutputError(f"the tree was fitted by {tree.criterion!r}; leaves that hold means are read.")
    if any(inside.n_node_samples[node] != n for (node, _), n in zip(leaves, weights, strict=True)):
        raise OutputError("the leaves hold weights, not people.", hint="Fit the tree without weights of rows.")
    means = [f"{float(np.ravel(inside.value[node])[0]):.{decimals}f}" for node, _ in leaves]
    return _regression_tree(response, conditions, means, [round(n) for n in weights], name, where)


def _leaves(inside: Any, names: list[str], node: int = 0, path: tuple[str, ...] = ()) -> Iterator[tuple[int, str]]:
    """The number of each leaf, and the condition that leads to it."""
    left, right = int(inside.children_left[node]), int(inside.children_right[node])
    if left == right:
        yield node, " and ".join(path)
        return
    variable, at = names[inside.feature[node]], float(inside.threshold[node])
    yield from _leaves(inside, names, left, (*path, f"{variable} <= {at:.6g}"))
    yield from _leaves(inside, names, right, (*path, f"{variable} > {at:.6g}"))


def from_tree_text(
    text: str, response: str, classes: Sequence[str] = (), *, name: str | None = None, where: str | None = None
) -> Tree | RegressionTree:
    """The same from what `export_text(tree, feature_names=…, show_weights=True)` printed. classes: in their order; none
    for a regression tree, whose text has the mean of each leaf alone."""
    conditions: list[str] = []
    counts: list[list[float]] = []
    means: list[str] = []
    path: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        question, leaf = _QUESTION.match(line), _LEAF.match(line)
        if question is not None:
            depth = len(question["bars"]) // 4
            path = [*path[:depth], f"{question['name']} {question['sign']} {float(question['number']):g}"]
        elif leaf is not None:
            conditions.append(" and ".join(path))
            if leaf["value"] is not None:
                means.append(leaf["value"])
            else:
                counts.append([float(n) for n in leaf["counts"].split(",")])
        elif line.strip():
            raise OutputError(
                f"line {number} is no line of a tree with weights.",
                hint="Print it by export_text(tree, feature_names=list(X), show_weights=True).",
            )
    if means and not counts:
        return _regression_tree(response, conditions, means, None, name, where)
    return _tree(response, conditions, counts, list(classes), name, where)


def _tree(
    response: str,
    conditions: list[str],
    counts: list[list[float]],
    classes: list[str],
    name: str | None,
    where: str | None,
) -> Tree:
    if any(len(row) != len(classes) for row in counts):
        raise OutputError(f"{len(classes)} classes are said, and leaves have other numbers of counts.")
    asked, whole = _asked(conditions), np.array(counts)
    if np.abs(whole - np.round(whole)).max() > 1e-6:
        raise OutputError(
            "the leaves hold weights, not counts.", hint="Fit the tree without weights of rows or classes."
        )
    released = {
        f"{response}={one} in {leaf}": round(n)
        for leaf, row in zip(conditions, counts, strict=True)
        for one, n in zip(classes, row, strict=True)
    }
    return Tree(response=response, variables=asked, leaves=tuple(conditions), released=released, name=name, where=where)


def _regression_tree(
    response: str,
    conditions: list[str],
    means: list[str],
    people: list[int] | None,
    name: str | None,
    where: str | None,
) -> RegressionTree:
    """people: of each leaf, where they are said."""
    asked, places = _asked(conditions), [len(mean.partition(".")[2]) for mean in means]
    released = {} if people is None else {f"n in {c}": n for c, n in zip(conditions, people, strict=True)}
    return RegressionTree(
        response=response,
        variables=asked,
        leaves=tuple(conditions),
        show=("mean",) if people is None else ("n", "mean"),
        released={**released, **{f"mean in {c}": mean for c, mean in zip(conditions, means, strict=True)}},
        decimals=(*[0] * len(released), *places),
        name=name,
        where=where,
    )


def _asked(conditions: list[str]) -> tuple[str, ...]:
    """The variables that a tree asks about."""
    if len(conditions) < 2:
        raise OutputError("a tree with at least one question is needed.")
    return tuple(dict.fromkeys(part.rsplit(" ", 2)[0] for leaf in conditions for part in leaf.split(" and ")))
