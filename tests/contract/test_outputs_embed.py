"""What kinds lower to is good enough to search with: synthetic data reproduce each example as it is printed.

Estimates, ratios, survival and tests are not here: they hold to first order, often print several figures that hang
together, and how far the search gets with them is tested beside the synthesisers.
"""

from __future__ import annotations

import numpy as np
import pytest

from divulge.demo import simulated_census, simulated_health
from divulge.objective import Objective, Outcome, Target
from divulge.outputs import OUTPUTS, Example, Output, Statbarn
from divulge.synthesisers import Descent
from divulge.table import Table

N_ROWS = 1500
ELSEWHERE = {Statbarn.MODELS, Statbarn.TESTS, Statbarn.RATIOS, Statbarn.SURVIVAL}
CASES = [
    pytest.param(kind, example, id=f"{kind.kind}: {example.title}")
    for kind in OUTPUTS
    if kind.can_lower and kind.statbarn not in ELSEWHERE
    for example in kind.examples
    if example.data != "cps"  # its variables have thousands of values; the search is tested elsewhere on it
]


def table_of(data: str) -> Table:
    return simulated_census(N_ROWS) if data == "census" else simulated_health(N_ROWS)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), CASES)
def test_search_reaches_every_figure_as_printed(kind: type[Output], example: Example) -> None:
    table = table_of(example.data)
    output = kind(**example.fields)
    released = output.publish(output.evaluate(table), table.schema)
    marginals = {v.name: table.frequencies(v.name) / N_ROWS for v in table.schema}
    objective = Objective(table.schema, (Target(output, released),), marginals)
    # Seconds: a hundred times what an idle machine needs, so that a busy one does not fail.
    found = Descent(seconds=60.0).embed(objective, N_ROWS, seed=1)
    assert found.outcome is Outcome.REPRODUCED
    assert released.agrees(output.evaluate(found.table).values).all()
    assert not np.array_equal(found.table.columns[0], table.columns[0]), "the search has not seen the data"
