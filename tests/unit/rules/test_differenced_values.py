"""Means whose difference is that of few people: refused of up to three, looked at where they are fewer than ten."""

from __future__ import annotations

import pytest

from divulge.contributions import Case
from divulge.outputs.kinds.means import Means
from divulge.rules.differenced_values import DifferencedValues
from tests.support.tables import small_table

PEOPLE = small_table(v=[k * k % 31 + 5 for k in range(100)], u=list(range(100)))


@pytest.mark.parametrize(("n", "does"), [(3, ["refuse"]), (4, ["review"]), (9, ["review"]), (10, [])])
def test_difference_of_few_people_is_as_severe_as_a_mean_of_them(n: int, does: list[str]) -> None:
    means = [Means(variables=("v",), decimals=3, where=where) for where in (None, f"u >= {n}")]
    released = [m.publish(m.evaluate(PEOPLE), PEOPLE.schema) for m in means]
    cases = [Case(i, m, r, PEOPLE) for i, (m, r) in enumerate(zip(means, released, strict=True))]
    assert [f.severity.value for f in DifferencedValues().find_between(cases)] == does
