"""One recipe for every door: what is out already, and what the intruder is granted, mean the same in all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess.recipe import LIGHT, recipe_of
from divulge.scenario import Scenario, granted_by
from divulge.scenario.knowledge import Knows
from divulge.spec import Inputs, parse_spec
from divulge.synthesisers import Descent
from tests.support.assessing import CROSSTAB, people

BEFORE: dict[str, Any] = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}


@pytest.mark.parametrize(
    ("knows", "granted"),
    [
        ([], "marginals"),
        (["nothing"], "nothing"),
        (["nothing", "marginals"], "marginals"),
        (["nothing", "predictors"], "marginals"),
        (["marginals", "earlier outputs"], "earlier outputs"),
    ],
)
def test_search_for_several_scenarios_is_granted_the_most_of_any(knows: list[Knows], granted: Knows) -> None:
    assert granted_by(Scenario(knows=one) for one in knows) == granted


def test_second_scenario_that_grants_earlier_outputs_counts_as_the_first_would() -> None:
    table = people()
    targets = [{"target": "ILL"}, {"target": "SEX", "knows": "earlier outputs"}]
    spec = {"data": "none.csv", "outputs": [CROSSTAB], "earlier": [BEFORE], "scenario": targets}
    inputs = Inputs(table.schema, table, table.n_rows, (None,), None, (None,))
    found = recipe_of(parse_spec(spec, Path()), inputs)
    assert [target.output.weight for target in found.earlier] == [LIGHT]


def test_several_runs_are_judged_by_the_outputs_as_one_is() -> None:
    table = people()
    spec = {"data": "none.csv", "outputs": [CROSSTAB], "earlier": [BEFORE]}
    found = recipe_of(parse_spec(spec, Path()), Inputs(table.schema, table, table.n_rows, (None,), None, (None,)))
    synthesiser = Descent(start="model")
    runs = found.embed_runs(synthesiser, 3, runs=2, workers=1)
    assert [len(run.outputs) for run in runs] == [len(run.earlier) for run in runs] == [1, 1]
    alone = found.embed(synthesiser, 3, run=1)
    assert all(map(np.array_equal, runs[1].table.columns, alone.table.columns))
    assert runs[1].outcome is alone.outcome
