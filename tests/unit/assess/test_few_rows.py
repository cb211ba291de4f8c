"""Few rows, or many parameters: an answer instead of an error, and never a release."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess import assess
from divulge.table import Table
from tests.support.assessing import ready
from tests.support.tables import small_table


def _people(n_rows: int, n_predictors: int) -> Table:
    rng = np.random.default_rng(n_rows)
    columns = {f"X{i}": [int(x) for x in rng.integers(0, 5, n_rows)] for i in range(n_predictors)}
    return small_table(Y=[int(y) for y in rng.integers(0, 50, n_rows)], **columns)


@pytest.mark.slow
@pytest.mark.parametrize(("n_rows", "n_predictors"), [(14, 10), (60, 35)])
def test_model_with_half_as_many_parameters_as_rows_is_refused(n_rows: int, n_predictors: int) -> None:
    formula = "Y ~ " + " + ".join(f"X{i}" for i in range(n_predictors))
    output = {"kind": "linear", "formula": formula, "decimals": 2, "compute": True}
    synthesiser = {"kind": "descent", "seconds": 0.5}  # what is searched for in all rows does not matter here
    given = {"scenario": {"target": "Y", "keys": ["X0"]}, "synthesiser": synthesiser}
    found = assess(ready(output, table=_people(n_rows, n_predictors), **given), workers=1)
    assert found.verdict == "refuse"
    assert any("nearly the rows themselves" in reason for reason in found.record["reasons"])


def test_few_people_in_a_crosstab_are_judged_by_counts() -> None:
    table = small_table(A=["a"] * 20 + ["b"] * 19 + ["c"], B=["x", "y"] * 20)
    found = assess(ready({"kind": "crosstab", "variables": ["A", "B"], "compute": True}, table=table), workers=1)
    assert (found.verdict, np.flatnonzero(found.exposed).tolist()) == ("refuse", [39])


def test_few_people_are_never_released_without_a_contrast() -> None:
    output = {"kind": "means", "variables": ["Y"], "compute": True, "decimals": 0}
    found = assess(ready(output, table=_people(40, 1)), workers=1)
    assert found.verdict != "release"
    reasons = " ".join(found.record["reasons"])
    assert "40 people are too few to compare people in the data with people outside it: it takes 50." in reasons
    # More time would change nothing.
    assert not any("give it more time" in advice for advice in found.record["settle"])
