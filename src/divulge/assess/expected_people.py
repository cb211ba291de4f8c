"""Synthetic people in great number, by combinations with how many have each: no row is made before it is written."""

from __future__ import annotations

import time

import numpy as np

from divulge.assess.fitted.work import why_not_fitted
from divulge.assess.recipe import Recipe
from divulge.condensing.group_by import MANY
from divulge.fitting.combinations import LARGEST, Combinations
from divulge.fitting.fit import Fitting
from divulge.objective import Embedding, Outcome
from divulge.objective.reproduction import reproduce
from divulge.table import Table

_TAG = 13
"""First word of the key of the random stream, as in `designs.py`."""


def expect_people(recipe: Recipe, seed: int, run: int = 0) -> Embedding | None:
    """Microdata by combinations; None where people are few, or rows have to be searched for.

    One table of exact counts is the people itself. Otherwise they are expected from the figures (fitting/) and rounded
    to whole people. Every figure is recomputed from the result, as after a search.
    """
    outputs, released = [t.output for t in recipe.outputs], [t.released for t in recipe.outputs]
    is_small = recipe.n_rows < MANY or Combinations(recipe.schema).size > LARGEST
    if is_small or recipe.earlier or why_not_fitted(outputs, released, (), recipe.schema):
        return None
    started = time.perf_counter()
    table = _counted(recipe) or _expected(recipe, np.random.default_rng([_TAG, seed, run]))
    found = reproduce(recipe.objective, table)
    outcome = Outcome.REPRODUCED if all(o.is_complete for o in found) else Outcome.STALLED
    return Embedding(table, outcome, found, time.perf_counter() - started, 0, 0, 0.0)


def _counted(recipe: Recipe) -> Table | None:
    """The people whom one table of exact counts is, where it has all variables."""
    for target in recipe.outputs:
        if set(target.output.own_variables()) == set(recipe.schema.names):
            rows = target.output.as_rows(recipe.schema, target.released)
            if rows is not None and rows.n_people == recipe.n_rows:
                return rows.select(recipe.schema.names)
    return None


def _expected(recipe: Recipe, rng: np.random.Generator) -> Table:
    fitting = Fitting.of(recipe.schema, recipe.outputs, recipe.knowledge)
    fitted = fitting.fit(fitting.start(recipe.n_rows), [t.released for t in recipe.outputs], recipe.n_rows)
    return fitting.space.rounded(fitted.values, rng)
