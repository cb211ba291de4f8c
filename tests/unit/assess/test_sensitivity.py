"""At which δ a verdict would change: told where it is known, and true when tried."""

from __future__ import annotations

from typing import Any

from divulge.assess import assess
from divulge.table import Table
from tests.support.assessing import CROSSTAB, ready
from tests.support.tables import repeated, small_table


def _few(n_ill: int, n_well: int) -> Table:
    """Area b has a handful of people, some of them ill; area a has many of both."""
    cells = [(("a", "y"), 60), (("a", "n"), 60), (("b", "y"), n_ill), (("b", "n"), n_well)]
    rows = repeated(x=cells)["x"]
    return small_table(AREA=[area for area, _ in rows], ILL=[ill for _, ill in rows])


def _record(table: Table, **policy: Any) -> dict[str, Any]:
    return assess(ready(CROSSTAB, table=table, policy=policy), workers=1).record


def test_refused_table_says_above_which_delta_nobody_would_be_exposed() -> None:
    table = _few(2, 3)
    record = _record(table)
    assert record["verdict"] == "refuse"
    turn = record["sensitivity"]
    assert turn["verdict"] == "review", "cells of two and three are no reason to release"
    assert f"δ = {turn['delta']:.2f}" in record["reasons"][-1]
    assert _record(table, delta=turn["delta"])["verdict"] == "review"
    assert _record(table, delta=turn["delta"] - 0.01)["verdict"] == "refuse"


def test_released_table_says_at_which_delta_somebody_would_be_exposed() -> None:
    table = _few(20, 20)
    record = _record(table)
    assert (record["verdict"], record["sensitivity"]["verdict"]) == ("release", "refuse")
    assert _record(table, delta=record["sensitivity"]["delta"])["verdict"] == "refuse"


def test_certainty_does_not_turn_with_delta() -> None:
    record = _record(_few(2, 0))
    assert (record["verdict"], record["sensitivity"]) == ("refuse", None)
