"""Who knows everybody else: small tables counted by eye, and every change tried by computing the output anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.audit.everybody_else import ask_everybody_else
from divulge.outputs import OUTPUTS, Output, Released
from divulge.table import Table
from tests.support.tables import small_table

KINDS = {kind.kind: kind for kind in OUTPUTS}


def asked(table: Table, variable: str, *outputs: tuple[str, dict[str, Any]]) -> Any:
    made: list[Output] = [KINDS[kind](compute=True, **fields) for kind, fields in outputs]
    released = [o.publish(o.evaluate(table), table.schema) for o in made]
    return ask_everybody_else(made, released, table, variable)


def by_trying(output: Output, released: Released, table: Table, variable: str) -> int:
    """How many people are determined, each other value tried by evaluating the output."""
    at, n_values = table.schema.position(variable), table.schema[variable].n_values
    determined = 0
    for i in range(table.n_rows):
        others = 0
        for code in range(n_values):
            columns = [c.copy() for c in table.columns]
            if code != columns[at][i]:
                columns[at][i] = code
                others += released.agrees(output.evaluate(Table(table.schema, tuple(columns))).values).all()
        determined += others == 0
    return determined


def test_full_table_determines_everybody() -> None:
    table = small_table(x=["a", "a", "b", "b", "b"], y=["p", "q", "p", "p", "q"])
    found = asked(table, "y", ("crosstab", {"variables": ["x", "y"]}))
    assert found.n_people == 5
    # Rounded to tens, every count is 0 whoever has what.
    assert found.determined == (5, 0, 0)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_mean_determines_as_its_digits_do(decimals: int) -> None:
    table = small_table(v=[30, 31, 33, 30, 35, 36, 39, 31, 30, 32, 31, 38])
    output = KINDS["means"](compute=True, variables=["v"], decimals=decimals)
    released = output.publish(output.evaluate(table), table.schema)
    found = ask_everybody_else([output], [released], table, "v")
    assert found is not None
    assert found.determined[0] == by_trying(output, released, table, "v")
    assert found.determined[0] >= found.determined[1] >= found.determined[2]


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [1, 3, 5])
def test_logistic_regression_agrees_with_refitting(decimals: int) -> None:
    rng = np.random.default_rng(5)  # any seed: a small regression without separation
    z = rng.integers(0, 6, 60)
    y = (rng.random(60) < 1 / (1 + np.exp(1.5 - 0.5 * z))).astype(int)
    table = small_table(y=y.tolist(), z=z.tolist())
    output = KINDS["logistic"](compute=True, formula="y ~ z", decimals=decimals)
    released = output.publish(output.evaluate(table), table.schema)
    found = ask_everybody_else([output], [released], table, "y")
    assert found is not None
    # To first order: where a change nearly reaches the edge of the printed interval, two of sixty may go either way.
    assert found.determined[0] == pytest.approx(by_trying(output, released, table, "y"), abs=2)


def test_variable_of_no_output_is_determined_for_nobody() -> None:
    table = small_table(x=["a", "b", "b"], y=["p", "q", "p"])
    assert asked(table, "y", ("crosstab", {"variables": ["x"]})).determined == (0, 0, 0)


def test_figures_of_other_data_are_left_out() -> None:
    table = small_table(x=["a", "b", "b"])
    output = KINDS["crosstab"](compute=True, variables=["x"])
    other = small_table(x=["a", "a", "b"])
    released = output.publish(output.evaluate(other), other.schema)
    found = ask_everybody_else([output], [released], table, "x")
    assert found is not None
    assert found.left_out == (0,)


def test_constant_and_endless_variables_are_not_asked_about() -> None:
    assert asked(small_table(x=["a", "a"]), "x", ("crosstab", {"variables": ["x"]})) is None
    assert asked(small_table(v=list(range(201))), "v", ("means", {"variables": ["v"]})) is None
