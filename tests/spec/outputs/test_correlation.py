"""Correlations on a table of five people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError, UnknownVariableError
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.correlation import Correlation
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("A", "numeric", np.arange(5)),
        Variable("B", "numeric", np.arange(0, 50, 10), missing=(-1,)),
        Variable("C", "numeric", np.arange(2000, 2005)),
        Variable("NAME", "categorical", np.array(["x", "y"])),
    )
)


def table(a: list[int], b: list[int], c: list[int]) -> Table:
    return Table(SCHEMA, tuple(np.array(x, dtype=np.uint8) for x in (a, b, c, [0] * len(a))))


FIVE = table([0, 1, 2, 3, 4], [0, 1, 2, 3, 5], [4, 3, 2, 1, 0])  # the last B is missing


def test_straight_lines_have_correlations_of_one_and_minus_one() -> None:
    figures = Correlation(variables=("A", "B", "C")).evaluate(FIVE)
    assert figures.labels == ("A & B", "A & C", "B & C")
    assert figures.values == pytest.approx([1, -1, -1])


def test_correlation_is_covariance_over_standard_deviations() -> None:
    # Deviations −1, 0, 1 and 1, −2, 1 (A times three): their products add up to 0; −1, 0, 1 and −1, 1, 0 give ½.
    assert Correlation(variables=("A", "C")).evaluate(table([0, 1, 2], [0] * 3, [3, 0, 3])).values == pytest.approx([0])
    assert Correlation(variables=("A", "C")).evaluate(table([0, 1, 2], [0] * 3, [0, 2, 1])).values == pytest.approx(
        [0.5]
    )


def test_pairwise_rows_use_what_each_pair_has() -> None:
    rows = table([0, 1, 2, 0], [0, 1, 2, 5], [0, 1, 2, 4])
    complete = Correlation(variables=("A", "B", "C")).evaluate(rows)
    pairwise = Correlation(variables=("A", "B", "C"), rows="pairwise").evaluate(rows)
    assert complete.values == pytest.approx([1, 1, 1])
    assert pairwise.values[1] == pytest.approx(np.corrcoef([0, 1, 2, 0], [0, 1, 2, 4])[0, 1])


def test_weight_of_two_is_two_rows() -> None:
    weighted = Correlation(variables=("B", "C"), weights="A").evaluate(table([1, 2, 1], [0, 1, 4], [0, 3, 1]))
    twice = Correlation(variables=("B", "C")).evaluate(table([0] * 4, [0, 1, 1, 4], [0, 3, 3, 1]))
    assert weighted.values == pytest.approx(twice.values)


def test_variable_that_does_not_vary_has_no_correlation() -> None:
    figures = Correlation(variables=("A", "B")).evaluate(table([1, 1, 1], [0, 1, 2], [0, 0, 0]))
    assert figures.status is Status.CONSTANT
    assert np.isnan(figures.values).all()


def test_correlation_rejects_one_variable() -> None:
    with pytest.raises(OutputError, match="two different variables"):
        Correlation(variables=("A",))


def test_correlation_rejects_texts_and_strangers() -> None:
    with pytest.raises(OutputError, match=r"variables\[1\].*'NAME' has values that are not"):
        Correlation(variables=("A", "NAME")).check(SCHEMA)
    with pytest.raises(UnknownVariableError, match=r"variables\[1\]"):
        Correlation(variables=("A", "D")).check(SCHEMA)


def test_correlations_that_contradict_each_other_are_rejected() -> None:
    # A goes with B and B with C, so A cannot go against C.
    output = Correlation(variables=("A", "B", "C"), released=[0.9, -0.9, 0.9])
    with pytest.raises(OutputError, match="contradict each other"):
        read_released(output, SCHEMA)
    assert read_released(
        Correlation(variables=("A", "B", "C"), released={"B & A": 0.9, "C & A": 0.8, "B & C": 0.9}), SCHEMA
    )
