"""Rules on contributions against what GaussSuppression prints for its own examples (its reference pages, MIT)."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.contributions import Case
from divulge.outputs.kinds.totals import Totals
from divulge.rules import Rule
from divulge.rules.dominance import Dominance
from divulge.rules.p_percent import PPercent
from tests.support.tables import small_table

AMOUNTS = [100, 90, 10, 80, 20, 70, 30, 50, 25, 25, 40, 20, 20, 20, 25, 25, 25, 25]
CELLS = ["v1", "v2", "v2", "v3", "v3", "v4", "v4", *["v5"] * 3, *["v6"] * 4, *["v7"] * 4]
WEIGHTS = [1, 2, 1, 2, 1, 2, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1]
TABLE = small_table(v=AMOUNTS, c=CELLS, w=WEIGHTS)


def _unsafe(rules: list[Rule], **fields: Any) -> list[str]:
    output = Totals(variables=("v",), by=("c",), compute=True, **fields)
    case = Case(0, output, output.publish(output.evaluate(TABLE), TABLE.schema), TABLE)
    found = {label for rule in rules for f in rule.find(case) for label in f.figures}
    return sorted(label.removeprefix("v | c=") for label in found)


def _dominance(weighting: Any = "total") -> list[Rule]:
    return [
        Dominance(largest=1, per_cent=80.0, strict=False, weighting=weighting),
        Dominance(largest=2, per_cent=70.0, strict=False, weighting=weighting),
    ]


def test_dominance_of_one_and_two() -> None:
    assert _unsafe(_dominance()) == ["v1", "v2", "v3", "v4", "v5"]


def test_p_per_cent() -> None:
    assert _unsafe([PPercent(per_cent=7.0)]) == ["v1", "v2", "v3", "v4"]


@pytest.mark.parametrize(("weighting", "unsafe"), [("total", ["v1"]), ("repeat", ["v1", "v2", "v3", "v4"])])
def test_weights_against_the_estimated_total_and_as_tau_argus_repeats_them(weighting: str, unsafe: list[str]) -> None:
    assert _unsafe(_dominance(weighting), weights="w") == unsafe
