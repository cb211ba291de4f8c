"""A decision tree is the table of its leaves: read from scikit-learn, and judged as the crosstab that it is."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, export_text

import divulge
from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.tree import Tree
from divulge.outputs.released.computed import compute
from divulge.readers.sklearn import from_sklearn, from_tree_json, from_tree_text
from divulge.table import table_from_frame
from tests.support.tables import small_table
from tests.support.tree_json import FORMS, written

RNG = np.random.default_rng(3)  # any seed: illness that grows with age
N = 400
FRAME = pd.DataFrame({"age": RNG.integers(20, 80, N), "sex": RNG.integers(1, 3, N), "town": RNG.integers(1, 4, N)})
FRAME["ill"] = (RNG.random(N) < 0.1 + 0.01 * (FRAME.age - 20)) * 1
TREE = DecisionTreeClassifier(max_leaf_nodes=5, random_state=1).fit(FRAME[["age", "sex"]], FRAME.ill)


def test_leaves_can_be_counted_by_eye() -> None:
    table = small_table(x=[1, 1, 2, 3, 3], y=["a", "b", "a", "b", "b"])
    found = Tree(response="y", variables=("x",), leaves=("x <= 1.5", "x > 1.5")).evaluate(table)
    assert found.labels == ("y=a in x <= 1.5", "y=b in x <= 1.5", "y=a in x > 1.5", "y=b in x > 1.5")
    assert found.values.tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize("door", ["object", "text", *FORMS])
def test_tree_of_scikit_learn_is_read_and_the_data_give_its_leaves(door: str) -> None:
    if door == "object":
        output = from_sklearn(TREE, "ill")
    elif door in FORMS:
        output = from_tree_json(written(TREE, door), "ill")
    else:
        text = export_text(TREE, feature_names=["age", "sex"], show_weights=True)
        output = from_tree_text(text, "ill", ["0", "1"])
    assert len(output.leaves) == 5
    table = table_from_frame(FRAME)
    output.check(table.schema)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all()
    assert computed.figures.values.sum() == N


def _verdict(output: Any, frame: pd.DataFrame, *keys: str) -> tuple[str, int]:
    # Seconds: far more than a table of twelve cells needs.
    known = keys or ("sex", "town")
    found = divulge.check(frame, output, target="ill", keys=known, splits=30, seconds=5, workers=1)
    return found.verdict, found.record["outputs"][0]["exposed"]


@pytest.mark.slow
@pytest.mark.parametrize("is_risky", [False, True])
def test_verdict_of_a_tree_is_that_of_the_crosstab_of_its_leaves(is_risky: bool) -> None:
    frame = FRAME[["sex", "town", "ill"]].copy()
    if is_risky:
        frame.loc[(frame.sex == 1) & (frame.town == 3), "town"] = 2
        frame.loc[[0, 1], ["sex", "town", "ill"]] = [1, 3, 1]  # two people alone in their leaf
    leaves = tuple(f"sex = {s} and town = {t}" for s in (1, 2) for t in (1, 2, 3))
    tree = Tree(response="ill", variables=("sex", "town"), leaves=leaves, compute=True)
    crosstab = Crosstab(variables=("sex", "town", "ill"), compute=True)
    found = _verdict(tree, frame)
    assert found == _verdict(crosstab, frame)
    assert (found[0] == "refuse") == is_risky


@pytest.mark.slow
@pytest.mark.parametrize(("n_alone", "verdict"), [(0, "release"), (2, "refuse"), (5, "review")])
def test_verdict_of_a_tree_of_uneven_depth_is_that_of_the_table_of_its_leaves(n_alone: int, verdict: str) -> None:
    frame = FRAME[["sex", "town", "ill"]].copy()
    if n_alone:  # all of them ill, in a leaf of their own
        frame.loc[(frame.sex == 1) & (frame.town == 3), "town"] = 2
        frame.loc[: n_alone - 1, ["sex", "town", "ill"]] = [1, 3, 1]
    deep = ("town <= 1.5", "town > 1.5 and town <= 2.5", "town > 2.5")
    leaves = ("sex = 2", *(f"sex = 1 and {path}" for path in deep))
    tree = Tree(response="ill", variables=("sex", "town"), leaves=leaves, compute=True)
    table = Crosstab(variables=("leaf", "ill"), compute=True)
    found = _verdict(tree, frame)
    assert found == _verdict(table, frame.assign(leaf=np.where(frame.sex == 2, 0, frame.town)), "leaf")
    assert found[0] == verdict


@pytest.mark.slow
def test_a_leaf_of_few_who_differ_in_keys_exposes_as_the_table_of_its_leaves_does() -> None:
    # Three people in one leaf, each in a town of their own, one of them ill: no value is certain, and by towns alone
    # nobody stands out. Without the one who is ill their leaf would have none.
    frame = FRAME[["sex", "town", "ill"]].copy()
    frame.loc[frame.sex == 1, "sex"] = 2
    frame.loc[:2, "sex"], frame.loc[:2, "town"], frame.loc[:2, "ill"] = 1, [1, 2, 3], [1, 0, 0]
    tree = Tree(response="ill", variables=("sex", "town"), leaves=("sex = 1", "sex = 2"), compute=True)
    table = Crosstab(variables=("sex", "ill"), compute=True)
    found = _verdict(tree, frame)
    assert found == _verdict(table, frame, "sex")
    assert found[0] == "refuse"


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_verdict_of_a_tree_read_from_json_is_that_of_the_crosstab_of_its_leaves(form: str) -> None:
    frame = FRAME[["sex", "town", "ill"]]
    tree = DecisionTreeClassifier(random_state=1).fit(frame[["sex", "town"]], frame.ill)
    output = from_tree_json(written(tree, form), "ill")
    assert len(output.leaves) == 6
    assert _verdict(output, frame) == _verdict(Crosstab(variables=("sex", "town", "ill"), compute=True), frame)


def test_json_says_names_and_classes_beside_it_where_it_has_none() -> None:
    bare = {k: v for k, v in json.loads(written(TREE, "arrays")).items() if k == "tree_"}["tree_"]
    said = from_tree_json(json.dumps(bare), "ill", features=["age", "sex"], classes=["0", "1"])
    assert said == from_sklearn(TREE, "ill")
    with pytest.raises(OutputError, match="no names"):
        from_tree_json(json.dumps(bare), "ill", classes=["0", "1"])
    with pytest.raises(OutputError, match="nothing says which"):
        from_tree_json(json.dumps(bare), "ill", features=["age", "sex"])
    del bare["n_node_samples"], bare["weighted_n_node_samples"]
    with pytest.raises(OutputError, match="how many people"):
        from_tree_json(json.dumps(bare), "ill", features=["age", "sex"], classes=["0", "1"])


LEAF = {"value": [1, 2]}


@pytest.mark.parametrize(
    ("held", "what"),
    [
        ("cos\nsystem", "no JSON"),
        ("[1, 2]", "not that of one decision tree"),
        ({"estimators": []}, "not that of one decision tree"),
        ({"feature": "age", "threshold": 3, "left": LEAF}, "not that of one decision tree"),
        ({"feature": "age", "threshold": float("nan"), "left": LEAF, "right": LEAF}, "not that of one decision tree"),
        ({"feature": "age", "threshold": 3, "left": LEAF, "right": {"value": [0, 0]}}, "nobody"),
        ({"feature": "age", "threshold": 3, "left": LEAF, "right": {"value": [1, 2.5]}}, "weights, not counts"),
        (LEAF, "at least one question"),
        (
            {
                "children_left": [1, 2, -1],
                "children_right": [2, 1, -1],
                "feature": ["age", "age", ""],
                "threshold": [1, 2, -2],
                "value": [[1, 2]] * 3,
            },
            "no tree",
        ),
    ],
)
def test_json_of_no_tree_is_refused_with_a_sentence(held: Any, what: str) -> None:
    text = held if isinstance(held, str) else json.dumps(held)
    with pytest.raises(OutputError, match=what):
        from_tree_json(text, "ill", classes=["0", "1"])


def test_large_thresholds_keep_the_digits_that_tell_people_apart() -> None:
    frame = pd.DataFrame({"income": 1_234_560 + np.arange(60), "ill": [0] * 30 + [1] * 30})
    tree = DecisionTreeClassifier().fit(frame[["income"]], frame.ill)
    assert from_sklearn(tree, "ill").leaves == ("income <= 1234589.5", "income > 1234589.5")


def test_what_is_no_tree_of_counts_is_refused() -> None:
    forest = RandomForestClassifier(n_estimators=2).fit(FRAME[["age"]], FRAME.ill)
    with pytest.raises(OutputError, match="DecisionTreeClassifier"):
        from_sklearn(forest, "ill")
    weighted = DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(FRAME[["age"]], FRAME.ill)
    with pytest.raises(OutputError, match="weights, not counts"):
        from_sklearn(weighted, "ill")
    nameless = DecisionTreeClassifier(max_depth=2).fit(FRAME[["age"]].to_numpy(), FRAME.ill)
    with pytest.raises(OutputError, match="without names"):
        from_sklearn(nameless, "ill")
    with pytest.raises(OutputError, match="line 1"):
        from_tree_text("cos\nsystem", "ill", ["0", "1"])
    with pytest.raises(OutputError, match="does not know"):
        divulge.check(FRAME, TREE)
