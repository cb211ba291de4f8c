"""Samples of the original rows."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Sample
from divulge.errors import SpecError
from divulge.table import Schema, Table, Variable

PEOPLE = Table(Schema((Variable("id", "numeric", np.arange(40)),)), (np.arange(40),))


def test_sample_has_the_share_of_the_rows_each_at_most_once() -> None:
    made = Sample(share=0.25).synthesise(PEOPLE, None, np.random.default_rng(1))
    assert made.n_rows == 10
    assert len(np.unique(made["id"])) == 10


def test_sample_of_everybody_is_everybody() -> None:
    made = Sample(share=1.0).synthesise(PEOPLE, None, np.random.default_rng(1))
    assert sorted(made["id"]) == list(range(40))


def test_more_rows_repeat_the_sample_equally_often() -> None:
    made = Sample(share=0.25).synthesise(PEOPLE, 30, np.random.default_rng(1))
    assert sorted(np.unique(made["id"], return_counts=True)[1]) == [3] * 10


@pytest.mark.parametrize("share", [0.0, -1.0, 1.01, float("nan")])
def test_sample_rejects_impossible_share(share: float) -> None:
    with pytest.raises(SpecError, match="share"):
        Sample(share=share)
