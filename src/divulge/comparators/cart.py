"""Sequential CART: each variable drawn from the leaves of a tree on those before it (Reiter 2005), as synthpop does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from divulge.comparators.comparator import check_request
from divulge.errors import ComparatorError, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.kernels.ordering import ranks_by_class, ranks_by_mean
from divulge.kernels.pruning import leaves_as_rpart
from divulge.settings import Range, check_settings
from divulge.table import Table, Variable

_Codes = NDArray[np.integer]


@dataclass(frozen=True)
class Cart:
    """synthpop's default synthesis (Nowok et al. 2016), with its default settings.

    The risk of a tree is the squared deviation of numbers and the misclassified rows of categories, as in rpart, so
    that splits which change no call are cut.
    """

    visit: Annotated[
        tuple[str, ...] | None,
        "In which order the variables are made; absent: the order of the columns. The first is resampled.",
    ] = None
    min_leaf: Annotated[
        int,
        "The fewest original rows in a leaf (minbucket); a node is split from three times as many on.",
        Range(least=1),
    ] = 5
    complexity: Annotated[
        float, "A split must reduce the tree's risk by this share of the root's (cp).", Range(least=0, below=1)
    ] = 1e-8

    kind: ClassVar[str] = "cart"
    summary: ClassVar[str] = "Each variable from the leaves of a tree on the variables before it."
    source: ClassVar[str] = "Reiter 2005; Nowok et al. 2016 (synthpop)"

    def __post_init__(self) -> None:
        check_settings(self)

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """Variable after variable, each given those made before it."""
        wanted = check_request(original, n_rows)
        schema = original.schema
        order = _visited(self.visit, schema.names)
        made: dict[str, _Codes] = {order[0]: original[order[0]][rng.integers(0, original.n_rows, wanted)]}
        for position, name in enumerate(order[1:], start=1):
            before = [(schema[n], original[n], made[n]) for n in order[:position]]
            made[name] = self._drawn(schema[name], original[name], before, wanted, rng)
        return Table(schema, tuple(made[n].astype(schema[n].dtype) for n in schema.names))

    def _drawn(
        self,
        variable: Variable,
        codes: _Codes,
        before: Sequence[tuple[Variable, _Codes, _Codes]],
        n_rows: int,
        rng: np.random.Generator,
    ) -> _Codes:
        if variable.kind == "categorical":
            return self._categories(codes, variable.n_codes, before, rng)
        # As synthpop: first whether (and why) a number is missing, then the number where it is not.
        absent = np.maximum(codes.astype(np.int64) - (variable.n_values - 1), 0)
        made = np.empty(n_rows, dtype=np.int64)
        if absent.any():
            why = self._categories(absent, len(variable.missing) + 1, before, rng)
            made[why > 0] = variable.n_values - 1 + why[why > 0]
        else:
            why = np.zeros(n_rows, dtype=np.int64)
        known, wanted = absent == 0, why == 0
        if wanted.any():
            within = [(v, old[known], new[wanted]) for v, old, new in before]
            made[wanted] = self._numbers(codes[known], variable.numbers, within, rng)
        return made

    def _categories(
        self,
        codes: _Codes,
        n_codes: int,
        before: Sequence[tuple[Variable, _Codes, _Codes]],
        rng: np.random.Generator,
    ) -> _Codes:
        from sklearn.tree import DecisionTreeClassifier  # takes a second to import: only where it is used

        ranks = [ranks_by_class(old, v.n_codes, codes, n_codes) for v, old, _ in before]
        old, new = _predictors(before, ranks)
        tree = DecisionTreeClassifier(**self._settings(rng)).fit(old, codes)
        return codes[self._donors(tree, old, new, rng)]

    def _numbers(
        self,
        codes: _Codes,
        numbers: Floats,
        before: Sequence[tuple[Variable, _Codes, _Codes]],
        rng: np.random.Generator,
    ) -> _Codes:
        from sklearn.tree import DecisionTreeRegressor

        y = numbers[codes]
        ranks = [ranks_by_mean(old, v.n_codes, y) for v, old, _ in before]
        old, new = _predictors(before, ranks)
        tree = DecisionTreeRegressor(**self._settings(rng)).fit(old, y)
        return codes[self._donors(tree, old, new, rng)]

    def _donors(self, tree: Any, old: Floats, new: Floats, rng: np.random.Generator) -> _Codes:
        """For every synthetic row an original row of the same leaf of the pruned tree, drawn at random."""
        leaves = leaves_as_rpart(tree.tree_, self.complexity)
        return _same_leaf(leaves[tree.apply(old)], leaves[tree.apply(new)], rng)

    def _settings(self, rng: np.random.Generator) -> dict[str, Any]:
        # The random state decides between equally good splits; 2³¹ − 1 is the largest that scikit-learn takes.
        state = int(rng.integers(2**31 - 1))
        # rpart: minsplit is three times minbucket unless it is given.
        return {
            "min_samples_leaf": self.min_leaf,
            "min_samples_split": max(2, 3 * self.min_leaf),
            "random_state": state,
        }


def _visited(visit: tuple[str, ...] | None, names: tuple[str, ...]) -> tuple[str, ...]:
    order = names if visit is None else visit
    for name in order:
        if name not in names:
            raise unknown_variable(name, names, where="visit")
    if sorted(order) != sorted(names):
        raise ComparatorError(
            f"every variable must be visited once; {len(order)} are named and there are {len(names)}.", where="visit"
        )
    return order


def _predictors(before: Sequence[tuple[Variable, _Codes, _Codes]], ranks: Sequence[Floats]) -> tuple[Floats, Floats]:
    """What trees split on, for original and synthetic rows: numbers and ordered levels as they are, others as ranks."""
    old, new = [], []
    for (variable, old_codes, new_codes), rank in zip(before, ranks, strict=True):
        if variable.kind == "numeric":
            numbers = variable.numbers
            present = numbers[old_codes]
            middle = float(np.nanmean(present)) if np.isfinite(present).any() else 0.0
            lookups = [np.nan_to_num(numbers, nan=middle)]
            if variable.missing:
                lookups.append(np.maximum(np.arange(variable.n_codes) - (variable.n_values - 1), 0).astype(np.float64))
        else:
            lookups = [np.arange(variable.n_codes, dtype=np.float64) if variable.is_ordered else rank]
        for lookup in lookups:
            old.append(lookup[old_codes])
            new.append(lookup[new_codes])
    return np.column_stack(old), np.column_stack(new)


def _same_leaf(leaf_of_old: _Codes, leaf_of_new: _Codes, rng: np.random.Generator) -> _Codes:
    """For every entry of the second array a random place in the first with the same leaf."""
    order = np.argsort(leaf_of_old, kind="stable")
    ordered = leaf_of_old[order]
    first = np.searchsorted(ordered, leaf_of_new, side="left")
    last = np.searchsorted(ordered, leaf_of_new, side="right")
    return order[first + (rng.random(len(leaf_of_new)) * (last - first)).astype(np.int64)]
