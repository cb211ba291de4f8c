"""Classifiers of scikit-learn, read by their attributes: scikit-learn itself is never imported, no pickle is opened.

Structural checks of a fitted classifier need no attack (Smith, Preen, McCarthy et al. 2022): how many people stand
behind each answer that it gives, and whether it has parameters enough to hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.assess.black_boxes.membership import Refit
from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Mask

_LEAST_CHANCE = 1e-6
"""A probability of 0 counts as this, so that a score is finite."""


def fitted_structure(model: Any, x: Any) -> _Structure:
    """The structural checks of a fitted classifier. x: the people it was fitted to, as it was given them."""
    _check(model)
    classes = tuple(str(c) for c in model.classes_)
    return _structure_of(np.asarray(model.predict_proba(x), dtype=float), classes, _parameters(model))


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


_LEAST = 10
"""People behind an answer, and residual degrees of freedom: fewer are named."""

_ALIKE = 6
"""Decimals to which predicted probabilities count as the same answer."""


@dataclass(frozen=True)
class _Structure:
    """What was found. smallest: people who share the rarest vector of predicted probabilities. thin: vectors that fewer
    than `_LEAST` share. never: classes that some vector rules out. small: classes of which a vector stands for some
    people, and for fewer than `_LEAST`. residual_df: people less parameters; None where the parameters are not known.
    """

    people: int
    smallest: int
    thin: int
    never: tuple[str, ...]
    small: tuple[str, ...]
    residual_df: int | None

    @property
    def is_clean(self) -> bool:
        return not self.sentences()

    def sentences(self) -> tuple[str, ...]:
        """What a checker should know, each in a sentence; none where nothing was found."""
        found = []
        if self.residual_df is not None and self.residual_df < _LEAST:
            found.append(
                f"The model has {self.people - self.residual_df:,} parameters for {self.people:,} people: it has room "
                "to hold each of them."
            )
        if self.thin:
            found.append(
                f"{self.thin:,} different answers are given to fewer than {_LEAST} people each, the rarest to "
                f"{self.smallest}."
            )
        if self.never:
            found.append(f"Some answers rule out a class for everybody who gets them: {', '.join(self.never)}.")
        if self.small:
            found.append(f"Some answers stand for fewer than {_LEAST} people of a class: {', '.join(self.small)}.")
        return tuple(found)


def _structure_of(probabilities: Floats, classes: Sequence[str], parameters: int | None = None) -> _Structure:
    """The structure behind what a model predicts for the people it was fitted to, (people, classes)."""
    if probabilities.ndim != 2 or probabilities.shape[1] != len(classes) or not len(probabilities):
        raise OutputError(f"a row of {len(classes)} probabilities is needed for each person.")
    answers, counts = np.unique(np.round(probabilities, _ALIKE), axis=0, return_counts=True)
    expected = answers * counts[:, None]
    never = (answers <= 10.0**-_ALIKE).any(axis=0)
    small = ((expected > 0.0) & (expected < _LEAST) & (answers > 10.0**-_ALIKE)).any(axis=0)
    return _Structure(
        people=len(probabilities),
        smallest=int(counts.min()),
        thin=int((counts < _LEAST).sum()),
        never=tuple(classes[i] for i in np.flatnonzero(never).tolist()),
        small=tuple(classes[i] for i in np.flatnonzero(small).tolist()),
        residual_df=None if parameters is None else len(probabilities) - parameters,
    )
