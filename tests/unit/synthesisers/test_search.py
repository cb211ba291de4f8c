"""What a search keeps where not every figure can be had: what is near first, then digits, then what is nearer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.kernels.randomness import stream
from divulge.objective import Enough, Outcome
from divulge.objective.log import Log
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.search import Search
from divulge.synthesisers.descent.single_moves import make_single_moves
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


@pytest.mark.parametrize("dwells", [True, False])
def test_figures_of_few_of_many_are_met_by_single_moves_of_their_own_rows(
    monkeypatch: pytest.MonkeyPatch, dwells: bool
) -> None:
    # Of 20,000 a group of 60, of whom few have any wage: blind moves hardly ever are about one of them.
    if not dwells:
        monkeypatch.setattr(Candidate, "dwell", lambda self, view: False)
    rng = np.random.default_rng(3)  # any seed
    n = 20_000
    group = (np.arange(n) < 60).astype(np.int64)
    wage = np.where(rng.random(n) < 0.92, 0, rng.integers(100, 3000, n))
    variables = Variable("group", "categorical", ("most", "few")), Variable("wage", "numeric", tuple(range(3001)))
    given: dict[str, Any] = {"variables": ("wage",), "by": ("group",), "decimals": 1}
    table = Table(Schema(variables), (group, wage))
    objective = objective_of(table, Means(**given), Shape(show=("sd",), **given))
    far = np.where(group == 1, np.where(wage > 0, 100, 0), wage)
    near = Enough((np.array([0.2, 20.0]), np.array([0.2, 40.0])), is_final=True)
    candidate = Candidate(Descent(), objective, np.stack([group, far], axis=1), stream(1, 0), Log(), near)
    candidate.move_all_but({"group"})
    assert make_single_moves(candidate, is_first=True) is dwells
    assert not len(candidate.moves.rows)
