"""Means with higher moments of few people: a review where they hold as much as all values do."""

from __future__ import annotations

import numpy as np

from divulge.attacks import Submitted
from divulge.attacks.moments import MomentsOfFew
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.output import Output
from divulge.table import Table
from tests.support.tables import small_table


def _people(n: int, others: int = 400, most: int = 20) -> Table:
    rng = np.random.default_rng(n)
    values = rng.integers(0, most, n + others)
    return small_table(CHILDREN=[int(v) for v in values], PLACE=["here"] * n + ["there"] * others)


def _submitted(table: Table, *outputs: Output) -> Submitted:
    return Submitted(outputs, tuple(o.publish(o.evaluate(table), table.schema) for o in outputs), table, ())


def _both(decimals: int, *show: str) -> tuple[Output, Output]:
    means = Means(variables=("CHILDREN",), by=("PLACE",), decimals=decimals)
    return means, Shape(variables=("CHILDREN",), by=("PLACE",), show=show, decimals=decimals)  # type: ignore[arg-type]


def test_four_moments_at_many_digits_are_all_values_of_few() -> None:
    table = _people(12)
    table_codes = table["CHILDREN"][:12]
    (found,) = MomentsOfFew().find(_submitted(table, *_both(8, "sd", "skewness", "kurtosis")))
    assert found.severity.value == "review"
    assert found.outputs == (0, 1)
    assert np.flatnonzero(found.people).tolist() == list(range(12))
    assert len(set(table_codes.tolist())) > 2


def test_few_digits_are_not() -> None:
    assert MomentsOfFew().find(_submitted(_people(30), *_both(1, "sd", "skewness", "kurtosis"))) == []


def test_one_moment_alone_is_none_of_its_business() -> None:
    assert MomentsOfFew().find(_submitted(_people(12), _both(8, "sd")[0])) == []


def test_of_values_that_many_have_nothing_is_listed() -> None:
    table = small_table(CHILDREN=[0, 1] * 8 + [0, 1, 2, 3] * 100, PLACE=["here"] * 16 + ["there"] * 400)
    assert MomentsOfFew().find(_submitted(table, *_both(8, "sd", "skewness"))) == []


def test_condensed_people_are_counted_one_by_one() -> None:
    table = _people(12)
    condensed = table.condensed()
    (found,) = MomentsOfFew().find(_submitted(condensed, *_both(8, "sd", "skewness", "kurtosis")))
    assert found.n_people >= 12
