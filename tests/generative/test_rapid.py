"""RAPID's arithmetic equals loops over people; hypothesis makes the people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.measures.attackers.gains import Classes, ErrorKind, Numbers
from tests.reference import rapid as reference

_SHARES = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3).map(lambda p: [x / sum(p) for x in p])


@given(st.lists(st.tuples(_SHARES, st.integers(0, 2)), min_size=1, max_size=20), st.floats(0.0, 0.99))
def test_gains_and_shares_equal_the_loop(people: list[tuple[list[float], int]], tau: float) -> None:
    probabilities, truth = [p for p, _ in people], [t for _, t in people]
    inference = Classes(np.array(probabilities), np.array(truth))
    scores = inference.scores(np.arange(len(people)))
    assert scores == pytest.approx(reference.gains(probabilities, truth), nan_ok=True)
    wanted = reference.share(scores.tolist(), tau, above=True)
    assert inference.curve([tau])[0] == pytest.approx(wanted, nan_ok=True)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=20),
    st.sampled_from(["relative", "absolute", "normalised"]),
    st.floats(0.01, 3.0),
)
def test_errors_and_shares_equal_the_loop(people: list[tuple[int, int]], kind: ErrorKind, epsilon: float) -> None:
    predicted, truth = [float(p) for p, _ in people], [float(t) for _, t in people]
    inference = Numbers(np.array(predicted), np.array(truth), kind)
    scores = inference.scores(np.arange(len(people)))
    assert scores == pytest.approx(reference.errors(predicted, truth, kind), nan_ok=True)
    wanted = reference.share(scores.tolist(), epsilon, above=False)
    assert inference.curve([epsilon])[0] == pytest.approx(wanted, nan_ok=True)


@given(st.lists(st.tuples(_SHARES, st.integers(0, 2)), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_order_of_the_people_does_not_matter(people: list[tuple[list[float], int]], random: object) -> None:
    shuffled = list(people)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = [
        Classes(np.array([p for p, _ in rows]), np.array([t for _, t in rows])).curve([0.0, 0.3, 0.7])
        for rows in (people, shuffled)
    ]
    assert found[0] == pytest.approx(found[1], nan_ok=True)
