"""A regression tree is the table of its leaves: people, means and spreads, read from scikit-learn, judged as means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor, export_text

import divulge
from divulge.errors import OutputError
from divulge.objective import Objective, Outcome, Target
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.regression_tree import RegressionTree
from divulge.outputs.released.computed import compute
from divulge.readers.sklearn import from_sklearn, from_tree_json, from_tree_text
from divulge.synthesisers import Descent
from divulge.table import table_from_frame
from tests.support.tables import small_table
from tests.support.tree_json import FORMS, written

RNG = np.random.default_rng(5)  # any seed: wages that grow with age
N = 400
FRAME = pd.DataFrame({"age": RNG.integers(20, 80, N), "sex": RNG.integers(1, 3, N)})
FRAME["wage"] = np.round(10 + 0.2 * FRAME.age + RNG.normal(0, 3, N)).astype(int)
TREE = DecisionTreeRegressor(max_leaf_nodes=5, random_state=1).fit(FRAME[["age", "sex"]], FRAME.wage)


def test_leaves_can_be_added_up_by_eye() -> None:
    table = small_table(x=[1, 1, 2, 3, 3], y=[2, 4, 1, 5, 6])
    output = RegressionTree(
        response="y", variables=("x",), leaves=("x <= 1.5", "x > 1.5"), show=("n", "mean", "mse", "deviance")
    )
    found = output.evaluate(table)
    assert found.labels[:3] == ("n in x <= 1.5", "n in x > 1.5", "mean in x <= 1.5")
    assert found.values == pytest.approx([2, 3, 3, 4, 1, 14 / 3, 2, 14])


def test_leaf_without_people_has_no_mean() -> None:
    found = RegressionTree(response="y", variables=("x",), leaves=("x <= 0.5", "x > 0.5")).evaluate(
        small_table(x=[1, 2], y=[1, 2])
    )
    assert found.status is Status.EMPTY_GROUP
    assert np.isnan(found.values[2])


@pytest.mark.parametrize("door", ["object", "text", *FORMS])
def test_tree_of_scikit_learn_is_read_and_the_data_give_its_leaves(door: str) -> None:
    if door == "object":
        output = from_sklearn(TREE, "wage")
    elif door in FORMS:
        output = from_tree_json(written(TREE, door), "wage")
    else:
        output = from_tree_text(export_text(TREE, feature_names=["age", "sex"]), "wage")
    assert isinstance(output, RegressionTree)
    assert output.show == (("mean",) if door == "text" else ("n", "mean"))
    assert len(output.leaves) == 5
    table = table_from_frame(FRAME)
    output.check(table.schema)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all()


def test_impurity_of_scikit_learn_is_the_mean_squared_distance() -> None:
    output = from_sklearn(TREE, "wage")
    assert isinstance(output, RegressionTree)
    shown = RegressionTree(response="wage", variables=output.variables, leaves=output.leaves, show=("mse",))
    is_leaf = TREE.tree_.children_left == TREE.tree_.children_right
    # 1e-6, the aim for every model; thresholds are read to six digits, which no age lies between.
    found = np.sort(shown.evaluate(table_from_frame(FRAME)).values)
    assert found == pytest.approx(np.sort(TREE.tree_.impurity[is_leaf]), rel=1e-6)


def test_synthetic_people_reproduce_people_means_and_spreads() -> None:
    table = table_from_frame(FRAME)
    leaves = from_sklearn(TREE, "wage").leaves
    output = RegressionTree(
        response="wage", variables=("age", "sex"), leaves=leaves, show=("n", "mean", "mse"), decimals=3
    )
    released = output.publish(output.evaluate(table), table.schema)
    marginals = {v.name: table.frequencies(v.name) / table.n_rows for v in table.schema}
    objective = Objective(table.schema, (Target(output, released),), marginals)
    # Seconds: many times what an idle machine needs.
    found = Descent(seconds=60.0).embed(objective, table.n_rows, seed=1)
    assert found.outcome is Outcome.REPRODUCED
    assert released.agrees(output.evaluate(found.table).values).all()


def _verdict(output: Any, frame: pd.DataFrame, splits: int) -> str:
    found = divulge.check(frame, output, target="wage", keys=["sex", "town"], splits=splits, seconds=5, workers=1)
    return found.verdict


@pytest.mark.slow
@pytest.mark.parametrize("is_risky", [False, True])
def test_verdict_of_a_tree_is_that_of_the_means_of_its_leaves(is_risky: bool) -> None:
    frame = FRAME[["sex", "wage"]].assign(town=np.arange(N) % 3 + 1)
    if is_risky:
        frame.loc[(frame.sex == 1) & (frame.town == 3), "town"] = 2
        frame.loc[[0], ["sex", "town", "wage"]] = [1, 3, 40]  # somebody alone in a leaf
    leaves = tuple(f"sex = {s} and town = {t}" for s in (1, 2) for t in (1, 2, 3))
    tree = RegressionTree(
        response="wage", variables=("sex", "town"), leaves=leaves, show=("mean",), compute=True, decimals=2
    )
    means = Means(variables=("wage",), by=("sex", "town"), compute=True, decimals=2)
    # With 30 splits the chance to find somebody is about 0.9, where review ends; drawn rows would decide.
    splits = 30 if is_risky else 40
    found = _verdict(tree, frame, splits)
    assert found == _verdict(means, frame, splits)
    assert (found == "refuse") == is_risky


def test_leaves_of_weights_or_medians_are_refused() -> None:
    weighted = DecisionTreeRegressor(max_depth=2).fit(FRAME[["age"]], FRAME.wage, sample_weight=FRAME.sex)
    with pytest.raises(OutputError, match="weights, not people"):
        from_sklearn(weighted, "wage")
    medians = DecisionTreeRegressor(max_depth=2, criterion="absolute_error").fit(FRAME[["age"]], FRAME.wage)
    with pytest.raises(OutputError, match="absolute_error"):
        from_sklearn(medians, "wage")
    with pytest.raises(OutputError, match="response cannot be asked"):
        RegressionTree(response="y", variables=("y",), leaves=("y <= 1",)).check(small_table(y=[1, 2]).schema)
