"""Models that stand close to their people are refused, whichever kind they are."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.contributions import Case
from divulge.outputs import OUTPUTS
from divulge.rules import RULES, Severity
from tests.support.tables import small_table

KINDS = {kind.kind: kind for kind in OUTPUTS}
BY_NAME = {rule.name: rule for rule in RULES}
MODELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("quantile-regression", {"formula": "v ~ x"}),
    ("marginal-effects", {"formula": "w ~ x", "event": "1"}),
    ("random-slope", {"formula": "v ~ x", "group": "g", "slope": "x"}),
    ("gamma", {"formula": "v ~ x", "link": "identity"}),
)


def found(kind: str, fields: dict[str, Any], n: int, rule: str) -> list[Severity]:
    table = small_table(
        v=[5 + 3 * (i * 7 % 11) for i in range(n)],
        w=[i * 5 % 3 % 2 for i in range(n)],
        x=[i % 5 for i in range(n)],
        g=["ab"[i % 2] for i in range(n)],
        rare=["one" if i == 0 else "many" for i in range(n)],
    )
    output = KINDS[kind](compute=True, **fields)
    output.check(table.schema)
    released = output.publish(output.evaluate(table), table.schema)
    return [f.severity for f in BY_NAME[rule]().find(Case(0, output, released, table))]


@pytest.mark.parametrize(("kind", "fields"), MODELS)
def test_few_residual_degrees_of_freedom_are_found(kind: str, fields: dict[str, Any]) -> None:
    assert found(kind, fields, 11, "degrees of freedom")
    assert not found(kind, fields, 40, "degrees of freedom")


@pytest.mark.parametrize(("kind", "fields"), MODELS)
def test_a_level_of_one_person_is_found(kind: str, fields: dict[str, Any]) -> None:
    wider = {**fields, "formula": f"{fields['formula']} + C(rare)"}
    assert found(kind, wider, 40, "people per term")
    assert not found(kind, fields, 40, "people per term")


def test_a_saturated_quantile_regression_with_a_small_cell_is_found() -> None:
    assert found("quantile-regression", {"formula": "v ~ C(rare)"}, 40, "saturated model")
