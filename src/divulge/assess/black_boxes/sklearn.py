"""Classifiers of scikit-learn, read by their attributes: scikit-learn itself is never imported, no pickle is opened."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.assess.black_boxes.membership import Refit
from divulge.assess.black_boxes.structure import Structure, structure_of
from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Mask

_LEAST_CHANCE = 1e-6
"""A probability of 0 counts as this, so that a score is finite."""


def fitted_structure(model: Any, x: Any) -> Structure:
    """The structural checks of a fitted classifier. x: the people it was fitted to, as it was given them."""
    _check(model)
    classes = tuple(str(c) for c in model.classes_)
    return structure_of(np.asarray(model.predict_proba(x), dtype=float), classes, _parameters(model))


def refit_of(model: Any, x: Any, y: Any) -> Refit:
    """How a model of the same settings is fitted to some of the people, and scores all. x, y: a frame and a column."""
    _check(model)
    names = list(model.classes_)
    place = np.array([names.index(value) for value in y])

    def refit(inside: Mask) -> Floats:
        fresh = type(model)(**model.get_params()).fit(x[inside], y[inside])
        found = np.zeros((len(place), len(names)))
        # A class that nobody of the half has is not among its answers.
        found[:, [names.index(c) for c in fresh.classes_]] = fresh.predict_proba(x)
        return np.log(np.maximum(found[np.arange(len(place)), place], _LEAST_CHANCE))

    return refit


def _check(model: Any) -> None:
    if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
        raise OutputError(
            f"a fitted classifier that predicts probabilities is needed, this is of the type {type(model).__name__!r}."
        )
    if hasattr(model, "support_vectors_") or hasattr(model, "_fit_X"):
        raise OutputError(
            "the model holds rows of the data themselves, as nearest neighbours and support vectors do: whoever has it "
            "has those rows.",
            hint="Release another kind of model.",
        )


def _parameters(model: Any) -> int | None:
    """How many numbers were estimated: two a question and one less than classes a leaf; weights of linear models and
    networks. None where that is not known."""
    trees = [model] if hasattr(model, "tree_") else np.ravel(getattr(model, "estimators_", ())).tolist()
    if trees and all(hasattr(tree, "tree_") for tree in trees):
        leaves = [int((tree.tree_.children_left < 0).sum()) for tree in trees]
        # Trees of boosting say one number a leaf.
        width = [max(tree.tree_.value.shape[2] - 1, 1) for tree in trees]
        return sum(2 * (n - 1) + n * w for n, w in zip(leaves, width, strict=True))
    if hasattr(model, "coefs_"):
        return sum(int(w.size) for w in (*model.coefs_, *model.intercepts_))
    return int(model.coef_.size + np.size(model.intercept_)) if hasattr(model, "coef_") else None
