"""Sequential CART on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Cart
from divulge.errors import ComparatorError, SpecError, UnknownVariableError
from divulge.table import Schema, Table, Variable


def table(**columns: list[int]) -> Table:
    variables = []
    for name, codes in columns.items():
        size = max(codes) + 1
        if name[0].isupper():
            variables.append(Variable(name, "categorical", np.array([f"{name}{i}" for i in range(size)], dtype=object)))
        else:
            variables.append(Variable(name, "numeric", np.arange(size)))
    return Table(Schema(tuple(variables)), tuple(np.array(c) for c in columns.values()))


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.slow
def test_what_follows_from_another_variable_follows_in_the_synthetic_rows() -> None:
    x = [i % 10 for i in range(200)]
    original = table(x=x, Y=[int(v >= 5) for v in x])
    made = Cart().synthesise(original, 500, rng())
    assert (made["Y"] == (made["x"] >= 5)).all()


def test_numbers_come_from_rows_of_the_same_leaf() -> None:
    # Ten rows of each level, two values in each: a leaf is one level, and both its values are drawn.
    original = table(A=[0] * 10 + [1] * 10 + [2] * 10, y=[1, 2] * 5 + [11, 12] * 5 + [21, 22] * 5)
    made = Cart().synthesise(original, 300, rng())
    for level in range(3):
        assert set(made["y"][made["A"] == level]) == {10 * level + 1, 10 * level + 2}


def test_nominal_levels_that_belong_together_need_not_be_neighbours() -> None:
    # Levels 0, 2, 4 go with class 0 and levels 1, 3, 5 with class 1: no single cut of the codes tells them apart.
    levels = [i % 6 for i in range(60)]
    original = table(A=levels, Y=[v % 2 for v in levels])
    made = Cart(min_leaf=20).synthesise(original, 400, rng())
    assert (made["Y"] == made["A"] % 2).all()


def test_split_that_changes_no_call_is_cut_as_in_rpart() -> None:
    # Class 0 leads on both sides (70 and 90 of 100), so rpart leaves the root whole and draws y apart from x.
    x = [0] * 100 + [1] * 100
    y = [0] * 70 + [1] * 30 + [0] * 90 + [1] * 10
    made = Cart().synthesise(table(x=x, Y=y), 40_000, rng())
    shares = [float(made["Y"][made["x"] == v].mean()) for v in (0, 1)]
    # Both are 0.2; four standard errors of a share of 20,000 rows.
    assert shares == pytest.approx([0.2, 0.2], abs=4 * 0.4 / 20_000**0.5)


def test_a_leaf_has_at_least_the_rows_that_were_asked_for() -> None:
    # Only 4 rows have x = 0; with a leaf of 5 their value cannot stand alone.
    original = table(x=[0] * 4 + [1] * 40, y=[9] * 4 + [1] * 40)
    made = Cart(min_leaf=5).synthesise(original, 400, rng())
    assert set(made["y"][made["x"] == 0]) == {1, 9}
    alone = Cart(min_leaf=4).synthesise(original, 400, rng())
    assert set(alone["y"][alone["x"] == 0]) == {9}


def test_node_is_split_from_three_leaves_on() -> None:
    # As in rpart, where minsplit is three times minbucket: 14 rows stay together, 15 do not.
    for n, apart in ((14, False), (15, True)):
        original = table(x=[0] * 7 + [1] * (n - 7), y=[1] * 7 + [9] * (n - 7))
        made = Cart().synthesise(original, 300, rng())
        assert (set(made["y"][made["x"] == 0]) == {1}) == apart


def test_missing_numbers_are_drawn_where_they_are_missing() -> None:
    schema = Schema(
        (
            Variable("A", "categorical", np.array(["a", "b"], dtype=object)),
            Variable("y", "numeric", np.arange(5), missing=(None, -9)),
        )
    )
    original = Table(schema, (np.repeat([0, 1], 20), np.array([5, 6] * 10 + [2] * 20)))
    made = Cart().synthesise(original, 200, rng())
    assert set(made["y"][made["A"] == 0]) == {5, 6}
    assert set(made["y"][made["A"] == 1]) == {2}


def test_visit_order_decides_what_is_drawn_first() -> None:
    original = table(x=[0, 1] * 50, y=[0, 1, 2, 3] * 25)
    first = Cart().synthesise(original, 50, rng())
    other = Cart(visit=("y", "x")).synthesise(original, 50, rng())
    assert other.names == ("x", "y")
    assert not first.equals(other)
    assert (other["x"] == other["y"] % 2).all()


def test_cart_rejects_visits_that_leave_out_or_invent_a_variable() -> None:
    original = table(x=[0, 1], y=[0, 1])
    with pytest.raises(ComparatorError, match="visited once"):
        Cart(visit=("x",)).synthesise(original, 5, rng())
    with pytest.raises(UnknownVariableError, match="'z'"):
        Cart(visit=("x", "z")).synthesise(original, 5, rng())


@pytest.mark.parametrize("settings", [{"min_leaf": 0}, {"complexity": -0.1}, {"complexity": 1.0}])
def test_cart_rejects_impossible_settings(settings: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="needed"):
        Cart(**settings)  # type: ignore[arg-type]
