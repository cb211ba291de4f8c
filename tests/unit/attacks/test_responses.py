"""Responses from coefficients in an assessment: claimed only where proved, refused where the scenario grants it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.assess.arithmetic import work_out
from divulge.attacks import Submitted
from divulge.attacks.responses import Responses
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.output import Output
from divulge.policy import Breach
from divulge.scenario import Scenario
from divulge.table import Table
from tests.support.assessing import ready
from tests.support.tables import small_table


def _people(n_rows: int) -> Table:
    rng = np.random.default_rng(n_rows)
    age, dose = rng.integers(18, 90, n_rows), rng.integers(1, 1000, n_rows)
    ill = rng.random(n_rows) < 1 / (1 + np.exp(-(age - 50) / 40))
    return small_table(
        ILL=[int(i) for i in ill],
        AGE=[int(a) for a in age],
        DOSE=[int(d) for d in dose],
        SEX=["f", "m"] * (n_rows // 2),
    )


def _submitted(output: Output, table: Table, *scenarios: Scenario) -> Submitted:
    released = output.publish(output.evaluate(table), table.schema)
    return Submitted((output,), (released,), table, scenarios)


def _logistic(decimals: int) -> Logistic:
    return Logistic(formula="ILL ~ AGE + DOSE + C(SEX)", decimals=decimals)


def test_many_digits_of_few_people_give_every_response_away() -> None:
    table = _people(20)
    found = Responses().find(_submitted(_logistic(9), table))
    assert [f.severity.value for f in found] == ["review"]
    assert found[0].people.all()
    assert "works out ILL of 20 of them" in found[0].sentence
    assert "significant digit" in found[0].sentence


def test_intruder_who_is_granted_the_predictors_makes_it_a_refusal() -> None:
    granted = Scenario(("AGE",), "ILL", knows="predictors")
    found = Responses().find(_submitted(_logistic(9), _people(20), granted))
    assert [f.severity.value for f in found] == ["refuse"]


@pytest.mark.parametrize("output", [_logistic(0), Linear(formula="ILL ~ C(SEX)", decimals=1)])
def test_few_digits_give_nobody_away(output: Output) -> None:
    assert Responses().find(_submitted(output, _people(40))) == []


def test_only_people_of_the_regression_are_named() -> None:
    table = _people(60)
    output = Logistic(formula="ILL ~ AGE + DOSE", decimals=10, where="AGE < 40")
    found = Responses().find(_submitted(output, table))
    ages = table.schema["AGE"].numbers[table["AGE"]]
    assert found
    assert not found[0].people[ages >= 40].any()


def test_more_people_than_the_attack_can_do_are_left_alone() -> None:
    assert Responses().find(_submitted(_logistic(9), _people(62))) == []


def test_finding_is_a_reason_of_the_verdict_with_its_remedy() -> None:
    spec: dict[str, Any] = {"kind": "logistic", "formula": "ILL ~ AGE + DOSE", "decimals": 9, "compute": True}
    plan = ready(spec, table=_people(20), scenario={"target": "ILL", "keys": ["AGE"], "knows": "predictors"})
    breaches = work_out(plan).breaches([0])
    mine = [b for b in breaches if "works out ILL" in b.sentence]
    assert mine == [Breach(mine[0].sentence, "refuse", 20, Responses.remedy)]
