"""Raking: the margins hold, the weights are the ones that have no interaction of their own, and nonsense is refused."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import SpecError, UnknownVariableError
from divulge.table import Schema, Table, Variable
from divulge.teaching.raking import design_effect, rake, read_margins, with_weight

SCHEMA = Schema(
    (
        Variable("SEX", "categorical", np.array([1, 2]), labels={1: "Male", 2: "Female"}),
        Variable("AREA", "categorical", np.array(["a", "b", "c"], dtype=object)),
    )
)
MARGINS = {"SEX": {"1": 480.0, "Female": 520.0}, "AREA": [100.0, 300.0, 600.0]}


def table(n: int = 300) -> Table:
    rng = np.random.default_rng(1)
    return Table(SCHEMA, (rng.integers(0, 2, n), rng.integers(0, 3, n)))


def test_weighted_rows_have_the_margins() -> None:
    people = table()
    weights = rake(people, read_margins(MARGINS, SCHEMA))
    assert np.bincount(people["SEX"], weights) == pytest.approx([480, 520], rel=1e-8)
    assert np.bincount(people["AREA"], weights) == pytest.approx([100, 300, 600], rel=1e-8)


def test_weights_are_a_product_of_a_factor_for_each_margin() -> None:
    # Deming & Stephan 1940: w = a(sex) · b(area), and only one such set of weights has the margins.
    people = table()
    weights = rake(people, read_margins(MARGINS, SCHEMA))
    cell = np.zeros((2, 3))
    cell[people["SEX"], people["AREA"]] = weights
    ratios = cell[0] / cell[1]
    assert ratios == pytest.approx(np.full(3, ratios[0]), rel=1e-8)


def test_joint_margin_is_hit_cell_by_cell() -> None:
    people = table()
    margins = read_margins({"SEX & AREA": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]}, SCHEMA)
    weights = rake(people, margins)
    found = np.bincount(people["SEX"].astype(int) * 3 + people["AREA"], weights)
    assert found == pytest.approx([10, 20, 30, 40, 50, 60])


def test_equal_shares_leave_weights_equal() -> None:
    people = table()
    margins = read_margins({"SEX": (np.bincount(people["SEX"]) * 7.0).tolist()}, SCHEMA)
    weights = rake(people, margins)
    assert weights == pytest.approx(np.full(300, 7.0))
    assert design_effect(weights) == pytest.approx(1.0)


def test_design_effect_is_that_of_kish() -> None:
    assert design_effect(np.array([1.0, 3.0])) == pytest.approx(2 * 10 / 16)


def test_weight_becomes_a_variable_of_the_table() -> None:
    people = table(4)
    found = with_weight(people, "W", "Weight", np.array([1.00004, 2.5, 1.0, 2.5]), 2)
    assert found.schema.names == ("SEX", "AREA", "W")
    assert found.schema["W"].numbers[found["W"]].tolist() == [1.0, 2.5, 1.0, 2.5]


@pytest.mark.parametrize(
    ("margins", "said"),
    [
        ({"SEX": [1.0, 2.0], "AREA": [1.0, 1.0, 2.0]}, "adds to"),
        ({"SEX": [1.0]}, "2 counts are needed"),
        ({"SEX": {"1": 3.0}}, "no count"),
        ({"SEX": {"1": 3.0, "3": 4.0}}, "no group"),
        ({"SEX": [0.0, 0.0]}, "at least 0"),
        ({"SEX": [-1.0, 2.0]}, "at least 0"),
        ({}, "a margin"),
    ],
)
def test_margins_that_make_no_sense_are_refused(margins: dict[str, list[float]], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read_margins(margins, SCHEMA)


def test_margin_rejects_unknown_variable() -> None:
    with pytest.raises(UnknownVariableError) as caught:
        read_margins({"SEXX": [1.0, 2.0]}, SCHEMA)
    assert caught.value.where == "teaching.weight.margins.SEXX"


def test_group_without_rows_is_refused() -> None:
    nobody = Table(SCHEMA, (np.array([0, 0]), np.array([0, 1])))
    with pytest.raises(SpecError, match="nobody in the data"):
        rake(nobody, read_margins({"SEX": [1.0, 2.0]}, SCHEMA))


def test_margins_that_no_weights_give_are_refused() -> None:
    # Men live in a, women in b: 3 men cannot be 1 person of a.
    apart = Table(SCHEMA, (np.array([0, 1]), np.array([0, 1])))
    with pytest.raises(SpecError, match="no weights give all margins"):
        rake(apart, read_margins({"SEX": [3.0, 1.0], "AREA": [1.0, 3.0, 0.0]}, SCHEMA))
