"""What a search keeps where not every figure can be had: what is near first, then digits, then what is nearer."""

from __future__ import annotations

import numpy as np

from divulge.kernels.randomness import stream
from divulge.objective import Enough, Outcome
from divulge.objective.log import Log
from divulge.outputs.kinds.means import Means
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.search import Search
from divulge.table import Schema, Table, Variable
from tests.support.objectives import objective_of

_GROUPS = np.repeat(np.arange(3), 10)
_SCHEMA = Schema((Variable("group", "categorical", ("a", "b", "c")), Variable("x", "numeric", tuple(range(101)))))


def _codes(*means: float) -> np.ndarray:
    """Three groups of ten with these means: one in each group makes up for what the others lack."""
    x = np.concatenate([[*[int(m)] * 9, round(10 * m) - 9 * int(m)] for m in means])
    return np.stack([_GROUPS, x], axis=1)


def _search(enough: Enough | None) -> Search:
    table = Table(_SCHEMA, tuple(_codes(50.0, 50.0, 50.0).T))
    objective = objective_of(table, Means(variables=("x",), by=("group",), decimals=2))
    start = _codes(40.0, 40.0, 40.0)
    return Search(Candidate(Descent(), objective, start, stream(1, 0), Log(), enough))


def _kept(search: Search, *tried: np.ndarray) -> np.ndarray:
    for codes in tried:
        search.candidate.codes = codes.copy()
        search._is_best_so_far()
    return search.finish(Outcome.NEAR_ENOUGH).outputs[0].values


def test_estimates_that_are_near_are_not_given_away_for_digits_of_others() -> None:
    near, as_printed_but_one = _codes(50.1, 50.1, 50.1), _codes(50.0, 50.0, 59.0)
    enough = Enough((np.full(3, 10.0),))
    assert _kept(_search(enough), near, as_printed_but_one).tolist() == [50.1, 50.1, 50.1]
    assert _kept(_search(enough), as_printed_but_one, near).tolist() == [50.1, 50.1, 50.1]
    assert _kept(_search(None), near, as_printed_but_one).tolist() == [50.0, 50.0, 59.0]


def test_of_rows_that_have_as_many_figures_wrong_the_nearer_ones_are_kept() -> None:
    far, nearer = _codes(50.0, 50.0, 70.0), _codes(50.0, 50.0, 50.1)
    assert _kept(_search(None), far, nearer).tolist() == [50.0, 50.0, 50.1]
    assert _kept(_search(None), nearer, far).tolist() == [50.0, 50.0, 50.1]
