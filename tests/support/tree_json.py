"""A tree of scikit-learn as others write it to JSON."""

from __future__ import annotations

import json
from typing import Any

FORMS = ("arrays", "sklearn-json", "nested", "nested-text")


def written(tree: Any, form: str) -> str:
    """The JSON of a fitted tree in one of the forms."""
    inside = tree.tree_
    if form == "arrays":
        names = ("children_left", "children_right", "feature", "threshold", "value")
        people = ("n_node_samples", "weighted_n_node_samples")
        held: Any = {"tree_": {name: getattr(inside, name).tolist() for name in (*names, *people)}}
    elif form == "sklearn-json":
        state = inside.__getstate__()
        held = {"meta": "decision-tree", "tree_": {name: state[name].tolist() for name in ("nodes", "values")}}
    else:
        held = _node(tree, 0, form == "nested-text")
    beside = {"feature_names_in_": tree.feature_names_in_.tolist()}
    if hasattr(tree, "classes_"):
        beside["classes_"] = tree.classes_.tolist()
    return json.dumps({**held, **beside})


def _node(tree: Any, node: int, as_text: bool) -> dict[str, Any]:
    """as_text: the question in words, as `age <= 35.5`."""
    inside = tree.tree_
    people = int(inside.n_node_samples[node])
    left, right = int(inside.children_left[node]), int(inside.children_right[node])
    if left == right:
        value = inside.value[node].ravel()
        counts = (value * people).tolist() if hasattr(tree, "classes_") else value.tolist()
        return {"value": counts} if as_text and hasattr(tree, "classes_") else {"value": counts, "n_samples": people}
    name, at = str(tree.feature_names_in_[inside.feature[node]]), float(inside.threshold[node])
    below = {"left": _node(tree, left, as_text), "right": _node(tree, right, as_text)}
    return {"threshold": f"{name} <= {at}", **below} if as_text else {"feature": name, "threshold": at, **below}
