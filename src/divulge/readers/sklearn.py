"""Outputs from trees of scikit-learn: the fitted object, read by its attributes, the text of `export_text`, or JSON.

scikit-learn itself is never imported, and no pickle is opened: a pickle runs what its maker wanted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.outputs.kinds.regression_tree import RegressionTree
from divulge.outputs.kinds.tree import Tree

_QUESTION = re.compile(r"^(?P<bars>(?:\|   )*)\|--- (?P<name>.+?) (?P<sign><=|>) +(?P<number>-?[\d.e+-]+)$")
_LEAF = re.compile(r"^(?:\|   )*\|--- (?:weights: \[(?P<counts>[\d., ]+)\] class: .+|value: \[(?P<value>-?[\d.]+)\])$")

DECIMALS = 2
"""Of a value in the text of a tree."""

_SINGLE = 2.0**-24
"""How exact a number of 32 bits is."""


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
    if not hasattr(tree, "classes_") and getattr(tree, "criterion", "") not in ("squared_error", "friedman_mse"):
        raise OutputError(f"the tree was fitted by {tree.criterion!r}; leaves that hold means are read.")
    found = _Nodes(
        left=inside.children_left,
        right=inside.children_right,
        variable=[str(names[number]) if number >= 0 else "" for number in inside.feature],
        threshold=inside.threshold,
        value=[np.ravel(value).tolist() for value in inside.value],
        people=inside.n_node_samples,
        weights=inside.weighted_n_node_samples,
    )
    classes = [str(c).removesuffix(".0") for c in getattr(tree, "classes_", ())]
    return _from_nodes(found, response, classes, decimals, name, where)


@dataclass(frozen=True)
class _Nodes:
    """The nodes of a tree, one entry each; the first is its root. left, right: where the answer leads; −1 in a leaf.

    value: counts or shares of the classes, or one mean. people: None where nobody said how many there are.
    """

    left: Sequence[int]
    right: Sequence[int]
    variable: Sequence[str]
    threshold: Sequence[float]
    value: Sequence[Sequence[float]]
    people: Sequence[float] | None
    weights: Sequence[float] | None


def _from_nodes(
    nodes: _Nodes, response: str, classes: list[str], decimals: int, name: str | None, where: str | None
) -> Tree | RegressionTree:
    children = [int(child) for child in (*nodes.left, *nodes.right) if child >= 0]
    if len(set(children)) < len(children) or not all(0 < child < len(nodes.left) for child in children):
        raise OutputError("the nodes make no tree: not every one has one above it.")
    leaves = list(_leaves(nodes))
    conditions = [path for _, path in leaves]
    weights = None if nodes.weights is None else [float(nodes.weights[node]) for node, _ in leaves]
    people = None if nodes.people is None else [float(nodes.people[node]) for node, _ in leaves]
    values = [np.asarray(nodes.value[node], dtype=float) for node, _ in leaves]
    if classes:
        inside = people if weights is None else weights
        if not all(float(v.sum()) > 0.0 for v in values):
            raise OutputError("a leaf has nobody in it.")
        if inside is not None:
            values = [v / v.sum() * n for v, n in zip(values, inside, strict=True)]
        elif all(abs(float(v.sum()) - 1.0) < 1e-6 for v in values):
            raise OutputError(
                "the leaves hold shares, and nothing says how many people are in them.",
                hint="Write n_node_samples of each node too.",
            )
        return _tree(response, conditions, [v.tolist() for v in values], classes, name, where)
    if any(v.size != 1 for v in values):
        raise OutputError("leaves with several numbers are those of classes, and nothing says which these are.")
    if people is not None and weights is not None and people != weights:
        raise OutputError("the leaves hold weights, not people.", hint="Fit the tree without weights of rows.")
    means = [f"{float(v[0]):.{decimals}f}" for v in values]
    whole = None if people is None else [round(n) for n in people]
    return _regression_tree(response, conditions, means, whole, name, where)


def _leaves(nodes: _Nodes, node: int = 0, path: tuple[str, ...] = ()) -> Iterator[tuple[int, str]]:
    """The number of each leaf, and the condition that leads to it."""
    left, right = int(nodes.left[node]), int(nodes.right[node])
    if left == right:
        yield node, " and ".join(path)
        return
    variable, at = nodes.variable[node], _number(float(nodes.threshold[node]))
    yield from _leaves(nodes, left, (*path, f"{variable} <= {at}"))
    yield from _leaves(nodes, right, (*path, f"{variable} > {at}"))


def _number(at: float) -> str:
    """As few digits as a number of 32 bits needs, which is how scikit-learn holds what it compares with a threshold."""
    return next(
        text for text in (f"{at:.{digits}g}" for digits in range(6, 18)) if abs(float(text) - at) <= _SINGLE * abs(at)
    )


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


def from_tree_json(
    text: str,
    response: str,
    *,
    classes: Sequence[str] = (),
    features: Sequence[str] = (),
    name: str | None = None,
    where: str | None = None,
    decimals: int = DECIMALS,
) -> Tree | RegressionTree:
    """The same from JSON, in one of three forms: the arrays of `tree_` (children_left, children_right, feature,
    threshold, value, n_node_samples); what sklearn-json writes (nodes and values in `tree_`); or nodes inside each
    other ({feature, threshold, left, right}, and {value, n_samples} in a leaf).

    classes, features: their names in order, where the file has none. Neither classes here nor there: a regression tree.
    """
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        raise OutputError("this is no JSON.", hint="A pickle is never opened; write the tree as JSON.") from None
    if not isinstance(held, dict):
        raise OutputError(_NO_TREE, hint=_FORMS)
    named = _first(held, ("classes_", "classes", "class_names")) or classes
    asked = _first(held, ("feature_names_in_", "feature_names", "features")) or features
    inside = held.get("tree_", held.get("tree", held))
    try:
        nodes = _json_nodes(inside, [str(one) for one in asked])
        found = [str(c).removesuffix(".0") for c in named]
        return _from_nodes(nodes, response, found, decimals, name, where)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise OutputError(_NO_TREE, hint=_FORMS) from None


_NO_TREE = "the JSON is not that of one decision tree."
_FORMS = (
    "Three forms are read: the arrays of tree_ (children_left, children_right, feature, threshold, value, "
    "n_node_samples), what sklearn-json writes, and nodes {feature, threshold, left, right} inside each other."
)
_PEOPLE = ("n_node_samples", "n_samples", "samples", "n")


def _first(held: Mapping[str, Any], names: Sequence[str]) -> Any:
    """What is held under the first of these names; None where there is none of them."""
    return next((held[name] for name in names if held.get(name) is not None), None)


def _json_nodes(inside: Any, features: list[str]) -> _Nodes:
    """The nodes of a tree in any of the three forms."""
    weights: Any = None
    if "children_left" in inside:
        left, right = inside["children_left"], inside["children_right"]
        asked, at, value = inside["feature"], inside["threshold"], inside["value"]
        people, weights = _first(inside, _PEOPLE), inside.get("weighted_n_node_samples")
    elif "nodes" in inside:
        # Each as scikit-learn holds it: left, right, feature, threshold, impurity, people, their weight and so on.
        left, right, asked, at, _, people, weights = list(zip(*inside["nodes"], strict=True))[:7]
        value = inside["values"]
    else:
        rows: list[list[Any]] = []
        _flatten(inside, rows)
        left, right, asked, at, value, people = (list(column) for column in zip(*rows, strict=True))
        people = None if None in people else people
    if len({len(part) for part in (left, right, asked, at, value)}) > 1 or not np.isfinite(np.array(at, float)).all():
        raise ValueError("nodes of different lengths, or questions without a number")
    return _Nodes(
        left=[int(n) for n in left],
        right=[int(n) for n in right],
        variable=[_variable(one, features) if a != b else "" for one, a, b in zip(asked, left, right, strict=True)],
        threshold=[float(number) for number in at],
        value=[np.asarray(one, dtype=float).ravel().tolist() for one in value],
        people=people,
        weights=weights,
    )


def _flatten(node: Mapping[str, Any], rows: list[list[Any]]) -> int:
    """Put a node and those inside it into rows; its number. A leaf leads nowhere."""
    number = len(rows)
    row = [-1, -1, "", -2.0, node.get("value", ()), _first(node, _PEOPLE)]
    rows.append(row)
    children = node.get("children") or [node[side] for side in ("left", "right") if node.get(side) is not None]
    if not children:
        row[4] = node["value"]
        return number
    first, second = children
    row[2], row[3] = _first(node, ("feature", "feature_name", "variable")), node["threshold"]
    if row[2] is None:
        row[2], _, row[3] = str(row[3]).rpartition(" <= ")
    # Only leaves must say how many people they have.
    row[5] = 0 if row[5] is None else row[5]
    row[0], row[1] = _flatten(first, rows), _flatten(second, rows)
    return number


def _variable(said: Any, features: list[str]) -> str:
    """The name of a variable that is said by its name or by its number."""
    if isinstance(said, str) and not said.isdigit():
        return said
    if not features:
        raise OutputError(
            "the tree has numbers of variables and no names.", hint="Say features=['age', 'sex'] in their order."
        )
    return features[int(said)]


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
