"""Black boxes of machine learning: structural checks by eye, membership by forests that remember and that do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

from divulge.assess.black_boxes.membership import membership
from divulge.assess.black_boxes.sklearn import fitted_structure, refit_of
from divulge.assess.black_boxes.structure import structure_of
from divulge.demo import simulated_census
from divulge.errors import OutputError

PEOPLE = simulated_census(300).to_pandas()
X = PEOPLE[["AGE", "ETHGROUP", "MSTATUS", "SEX"]].astype(float)
Y = PEOPLE["TENURE"].astype(str)


def forest(leaf: int) -> RandomForestClassifier:
    return RandomForestClassifier(8, min_samples_leaf=leaf, random_state=1, bootstrap=False).fit(X, Y)  # any seed


def test_answers_that_few_people_share_are_counted() -> None:
    answers = np.array([[0.5, 0.5]] * 20 + [[1.0, 0.0]] * 3)
    found = structure_of(answers, ("no", "yes"), parameters=15)
    assert (found.smallest, found.thin, found.never, found.small) == (3, 1, ("yes",), ("no",))
    assert found.residual_df == 8
    assert len(found.sentences()) == 4
    assert not found.is_clean


def test_a_model_of_few_large_groups_is_clean() -> None:
    assert structure_of(np.array([[0.4, 0.6]] * 40 + [[0.7, 0.3]] * 50), ("no", "yes"), parameters=4).is_clean


def test_structure_of_a_forest_grows_with_its_leaves() -> None:
    fine, coarse = fitted_structure(forest(1), X), fitted_structure(forest(60), X)
    assert fine.residual_df is not None
    assert coarse.residual_df is not None
    assert fine.residual_df < 0 < coarse.residual_df
    assert fine.thin > coarse.thin


def test_members_of_a_forest_that_remembers_are_told_and_of_one_that_does_not_hardly() -> None:
    fine = membership(refit_of(forest(1), X, Y), len(X), splits=6)
    coarse = membership(refit_of(forest(60), X, Y), len(X), splits=6)
    assert fine.auc > 0.7
    assert abs(coarse.auc - 0.5) < 0.1  # some three standard errors of 900 scores
    assert fine.exposure.mean() > 5 * abs(coarse.exposure.mean())
    assert "AUC" in fine.sentence()


def test_scores_that_say_nothing_are_chance() -> None:
    rng = np.random.default_rng(2)  # any seed
    found = membership(lambda inside: rng.normal(size=len(inside)), 400, splits=10)
    assert abs(found.auc - 0.5) < 0.03  # three standard errors of 4,000 scores
    assert found.found[0.01] == pytest.approx(0.01, abs=0.01)


def test_scores_that_tell_members_are_found_at_every_rate() -> None:
    found = membership(lambda inside: inside * 1.0, 100, splits=4)
    assert found.auc == 1.0
    assert set(found.found.values()) == {1.0}


def test_boosting_is_read_and_nearest_neighbours_are_refused() -> None:
    boosted = GradientBoostingClassifier(n_estimators=3, max_depth=1, random_state=1).fit(X, Y)
    # Three stumps: two numbers of a question and two leaves each.
    assert fitted_structure(boosted, X).residual_df == len(X) - 12
    with pytest.raises(OutputError, match="rows of the data"):
        fitted_structure(KNeighborsClassifier(5).fit(X, Y), X)


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(OutputError, match="probabilities"):
        structure_of(np.zeros((3, 1)), ("a", "b"))
    with pytest.raises(OutputError, match="fitted classifier"):
        fitted_structure(object(), pd.DataFrame({"a": [1]}))
    with pytest.raises(OutputError, match="4 splits"):
        membership(lambda inside: inside * 1.0, 100, splits=2)
    with pytest.raises(OutputError, match="finite score"):
        membership(lambda inside: inside * np.nan, 100, splits=4)
