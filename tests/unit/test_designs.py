"""Designs: who is in and who is out, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from divulge.designs import (
    DESIGNS,
    Folds,
    FoldsOfFolds,
    RepeatedHalves,
    Whole,
    check_holdout,
    left_out_split,
    smallest_p,
)
from divulge.errors import DesignError, SpecError


@pytest.mark.parametrize("splits", [2, 10, 14, 30])
@pytest.mark.parametrize("n_rows", [50, 51])
def test_every_row_is_in_for_half_of_the_halves(splits: int, n_rows: int) -> None:
    inside = np.array([s.rows()[0] for s in RepeatedHalves(splits_wanted=splits).splits(n_rows, 1)])
    assert (inside.sum(axis=0) == splits // 2).all()
    assert set(inside.sum(axis=1)) <= {n_rows // 2, n_rows - n_rows // 2}


def test_labels_of_a_row_are_uniform_over_arrangements() -> None:
    labels = np.concatenate(
        [np.array([s.rows()[0] for s in RepeatedHalves(splits_wanted=4).splits(50, seed)]).T for seed in range(200)]
    )
    _, counts = np.unique(labels, axis=0, return_counts=True)
    assert len(counts) == 6  # C(4, 2)
    # 10,000 rows in six classes: a standard deviation of 37; five of them.
    assert np.abs(counts - 10_000 / 6).max() < 190


def test_rows_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    one, same, other = (RepeatedHalves().splits(60, seed)[3].rows()[0] for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.parametrize("kind", DESIGNS)
def test_in_and_out_do_not_overlap(kind: type) -> None:
    for split in kind().splits(400, 1):
        inside, outside = split.rows()
        assert not (inside & outside).any()
        assert inside.any()
        assert outside.any() == split.has_holdout


def test_each_fold_is_the_holdout_once() -> None:
    held = np.array([s.rows()[1] for s in Folds(folds=3).splits(200, 1)])
    assert (held.sum(axis=0) == 1).all()


def test_folds_of_folds_split_a_fold_again() -> None:
    splits = FoldsOfFolds().splits(400, 1)
    assert [s.label for s in splits][2:4] == ["Fold-Fold 1.1", "Fold-Fold 1.2"]
    first = splits[0].rows()[1]  # fold 1 is the holdout here
    for split in splits[2:4]:
        inside, outside = split.rows()
        assert ((inside | outside) == first).all()


def test_curve_takes_smaller_parts_of_enough_rows() -> None:
    splits = RepeatedHalves(curve_splits=2).curve_at(2000, 1)
    assert [(s.part, int(s.rows()[0].sum())) for s in splits] == [("n/4", 500)] * 2 + [("n/8", 250)] * 2


def test_very_many_splits_have_more_arrangements_than_a_number_can_say() -> None:
    assert smallest_p((20,) * 300) == 0


def test_everybody_is_in_but_those_who_are_left_out() -> None:
    inside, outside = left_out_split(3, [4, 7], 60, 1).rows()
    assert np.flatnonzero(outside).tolist() == [4, 7]
    assert (inside == ~outside).all()


def test_smallest_p_is_one_over_the_arrangements() -> None:
    assert smallest_p((4, 2)) == pytest.approx(1 / 12)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: RepeatedHalves(splits_wanted=5),
            "splits: an even number of splits is needed, 5 is given. Write splits: 6",
        ),
        (lambda: RepeatedHalves(splits_wanted=0), "splits: a whole number of at least 2"),
        (lambda: Folds(folds=True), "folds: a whole number of at least 2 is needed, true"),
        (lambda: FoldsOfFolds(folds=1), "folds: a whole number of at least 2"),
        (lambda: Whole(runs=0), "runs: a whole number of at least 1"),
    ],
)
def test_design_rejects_what_makes_no_sense(make: Callable[[], object], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        make()


def test_more_folds_than_rows_allow_are_refused() -> None:
    with pytest.raises(DesignError, match="at most 2 parts"):
        Folds(folds=3).splits(100, 1)


def test_overlapping_holdout_is_refused_with_its_number() -> None:
    check_holdout(0, 10)
    with pytest.raises(DesignError, match="3 of 10 rows of the holdout"):
        check_holdout(3, 10)


def test_twice_the_splits_are_made_of_halves_and_of_nothing_else() -> None:
    assert RepeatedHalves(splits_wanted=30, curve=False).doubled() == RepeatedHalves(
        splits_wanted=60, stop_early=False, curve=False
    )
    for design in (Whole(), Folds(), FoldsOfFolds()):
        assert design.doubled() == design
