"""What printed numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError, SpecError
from divulge.outputs.released.precision import Precision, printed

NAN = float("nan")


@pytest.mark.parametrize(
    ("precision", "values", "rounded", "half"),
    [
        (Precision(decimals=2), [0.126, -1.0], [0.13, -1.0], [0.005, 0.005]),
        (Precision(decimals=-1), [126.0], [130.0], [5.0]),
        (Precision(), [2.7], [3.0], [0.5]),
        (Precision(significant=2), [1234.0, 0.0456, -7.77], [1200.0, 0.046, -7.8], [50.0, 0.0005, 0.05]),
        (Precision(significant=2), [0.0, 0.5], [0.0, 0.5], [0.005, 0.005]),
        (Precision(base=5), [12.0, 13.0, -1.0], [10.0, 15.0, 0.0], [2.5, 2.5, 2.5]),
        (Precision(base=0.25), [0.3], [0.25], [0.125]),
    ],
)
def test_rounding(precision: Precision, values: list[float], rounded: list[float], half: list[float]) -> None:
    assert precision.rounded(np.array(values)) == pytest.approx(rounded)
    assert precision.half_units(np.array(values)) == pytest.approx(half)


def test_texts_keep_their_zeros() -> None:
    assert Precision(decimals=3).texts(np.array([0.34, NAN])) == ["0.340", None]
    assert Precision(decimals=-2).texts(np.array([1234.0])) == ["1200"]
    assert Precision(significant=3).texts(np.array([0.5, 1234.0])) == ["0.500", "1230"]
    assert Precision(base=0.25).texts(np.array([0.6])) == ["0.50"]
    assert Precision(base=10).texts(np.array([94.0])) == ["90"]


def test_description() -> None:
    shown = [p.describe() for p in (Precision(decimals=1), Precision(significant=3), Precision(base=5), Precision())]
    assert shown == ["1 decimal", "3 significant digits", "multiples of 5", "0 decimals"]


def test_figure_agrees_within_half_a_unit_and_at_its_end() -> None:
    released = printed(("a",), np.array([0.34]), Precision(decimals=2))
    for value, agrees in ((0.3449, True), (0.345, True), (0.335, True), (0.3451, False), (0.3349, False), (NAN, False)):
        assert released.agrees(np.array([value])).tolist() == [agrees], value


def test_suppressed_cell_lies_below_the_threshold() -> None:
    hidden = np.array([True, False])
    released = printed(
        ("a", "b"), np.array([NAN, 7.0]), Precision(), suppressed=hidden, threshold=5, possible=(0.0, np.inf)
    )
    assert (released.low.tolist(), released.high.tolist()) == ([0.0, 6.5], [4.0, 7.5])
    assert released.centre.tolist() == [2.0, 7.0]
    assert released.agrees(np.array([4.0, 7.0])).all()
    assert not released.agrees(np.array([5.0, 7.0])).all()


def test_what_was_not_given_agrees_with_everything() -> None:
    released = printed(("a",), np.array([NAN]), Precision())
    assert released.agrees(np.array([NAN])).all()
    assert released.centre.tolist() == [0.0]
    assert not released.is_given.any()


def test_interval_keeps_to_what_is_possible() -> None:
    released = printed(("a", "b"), np.array([0.0, 1.0]), Precision(decimals=1), possible=(0.0, 1.0))
    assert (released.low.tolist(), released.high.tolist()) == ([0.0, 0.95], [0.05, 1.0])


def test_standard_errors_agree_at_the_same_precision() -> None:
    released = printed(("a", "b"), np.array([1.0, 2.0]), Precision(decimals=2), se=np.array([0.11, NAN]))
    assert released.agrees_se(np.array([0.114, 9.0])).all()
    assert not released.agrees_se(np.array([0.116, 9.0])).all()


@pytest.mark.parametrize("fields", [{"decimals": 2, "base": 5}, {"decimals": 99}, {"significant": 0}, {"base": -1}])
def test_precision_rejects(fields: dict[str, int]) -> None:
    with pytest.raises((OutputError, SpecError)):
        Precision(**fields)  # type: ignore[arg-type]


def test_every_figure_may_have_its_own_decimals() -> None:
    precision = Precision(decimals=(4, 0, -1))
    values = np.array([0.12345, 12.6, 123.0])
    assert precision.half_units(values).tolist() == [0.00005, 0.5, 5.0]
    assert precision.rounded(values).tolist() == [0.1234, 13.0, 120.0]
    assert precision.texts(values) == ["0.1234", "13", "120"]
    assert precision.describe() == "-1 to 4 decimals"


def test_decimals_for_other_figures_are_rejected() -> None:
    with pytest.raises(OutputError, match="decimals for 3 figures are needed, 2 are given"):
        Precision(decimals=(4, 0)).half_units(np.zeros(3))


def test_standard_errors_have_a_precision_of_their_own() -> None:
    labels = ("a", "b")
    released = printed(
        labels,
        np.array([0.5, 1.0]),
        Precision(decimals=4),
        se=np.array([0.012, np.nan]),
        se_precision=Precision(decimals=3),
    )
    assert released.agrees_se(np.array([0.0124, 7.0])).tolist() == [True, True]
    assert released.agrees_se(np.array([0.0126, 7.0])).tolist() == [False, True]
