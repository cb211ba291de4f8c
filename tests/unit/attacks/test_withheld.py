"""Withheld counts beside another output of the same people: tried, told where one is left, kept where many are."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks import Submitted, withheld
from divulge.attacks.withheld import WithheldTried
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.kinds.ratios import Ratios
from divulge.outputs.methods.random_rounding import RandomRounding
from divulge.outputs.output import Output
from divulge.rules import Finding, Severity
from divulge.table import Table
from tests.support.tables import small_table

_CELLS = {("a", 0): 40, ("a", 1): 3, ("b", 0): 55, ("b", 1): 6, ("c", 0): 30, ("c", 1): 2}
_HIDDEN = Crosstab(variables=("area", "ill"), threshold=10)


def _people(cells: dict[tuple[str, int], int] = _CELLS) -> Table:
    rows = [cell for cell, n in cells.items() for _ in range(n)]
    return small_table(area=[a for a, _ in rows], ill=[i for _, i in rows], part=[k % 2 for k in range(len(rows))])


def _found(*outputs: Output, table: Table | None = None) -> list[Finding]:
    table = _people() if table is None else table
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    return list(WithheldTried().find(Submitted(outputs, released, table, ())))


@pytest.mark.parametrize(
    "other",
    [
        Logistic(formula="ill ~ C(area)", decimals=4),
        Linear(formula="ill ~ C(area)", decimals=4),
        Probit(formula="ill ~ C(area)", decimals=4),
        Ratios(outcome="ill", exposure="area", decimals=3),
    ],
    ids=lambda o: o.kind,
)
def test_withheld_counts_follow_from_any_output_that_has_a_parameter_for_each_group(other: Output) -> None:
    (found,) = _found(_HIDDEN, other)
    assert found.severity is Severity.REFUSE
    assert found.outputs == (0, 1)
    assert set(found.figures) == {f"area={a} & ill=1" for a in "abc"}
    assert found.people.sum() == 11


def test_counts_hidden_in_both_directions_follow_from_an_exact_test() -> None:
    table = _people({("a", 0): 97, ("a", 1): 53, ("b", 0): 3, ("b", 1): 1})
    labels = tuple(f"area={a} & ill={i}" for a in "ab" for i in (0, 1))
    hidden = Crosstab(variables=("area", "ill"), margins=True, suppressed=labels)
    (found,) = _found(hidden, ChiSquared(variables=("area", "ill"), decimals=4), table=table)
    assert set(found.figures) == set(labels[2:])  # the others are large


def test_few_digits_leave_the_counts_open() -> None:
    (found,) = _found(_HIDDEN, ChiSquared(variables=("area", "ill"), decimals=2))
    assert found.severity is Severity.REFUSE
    assert _found(_HIDDEN, ChiSquared(variables=("area", "ill"), decimals=-1, show=("statistic",))) == []


def test_rounded_counts_are_tried_as_well() -> None:
    table = _people({("a", 0): 40, ("a", 1): 3, ("b", 0): 55, ("b", 1): 6})
    (found,) = _found(
        Crosstab(variables=("area", "ill"), base=5), Logistic(formula="ill ~ C(area)", decimals=5), table=table
    )
    assert set(found.figures) == {"area=a & ill=1", "area=b & ill=1"}


def test_output_of_other_people_or_of_other_variables_is_left_to_others() -> None:
    assert _found(_HIDDEN, Logistic(formula="ill ~ C(area)", decimals=4, where="part = 0")) == []
    assert _found(_HIDDEN, Logistic(formula="ill ~ C(area) + part", decimals=4)) == []


def test_means_that_the_audit_solves_change_nothing_where_all_counts_are_large() -> None:
    table = _people({cell: n + 20 for cell, n in _CELLS.items()})
    assert (
        _found(Crosstab(variables=("area", "ill"), base=3), Means(variables=("ill",), by=("area",)), table=table) == []
    )


def test_so_many_tables_that_no_count_follows_are_not_gone_through() -> None:
    rng = np.random.default_rng(3)  # any
    table = small_table(area=rng.integers(0, 9, 90).tolist(), ill=rng.integers(0, 5, 90).tolist())
    assert _found(_HIDDEN, ChiSquared(variables=("area", "ill"), decimals=6), table=table) == []


def test_a_table_of_a_thousand_withheld_cells_is_left_alone() -> None:
    # Every cell has one or two people: so many numbers are more than can be gone through one inside the other.
    table = _people({(f"{a:02}", i): 1 + (a + i) % 2 for a in range(40) for i in range(30)})
    assert _found(_HIDDEN, ChiSquared(variables=("area", "ill"), decimals=4), table=table) == []


def test_nothing_is_said_where_the_steps_do_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Logistic(formula="ill ~ C(area)", decimals=4)
    assert _found(_HIDDEN, model)
    monkeypatch.setattr(withheld, "_MOST_STEPS", 5)
    assert _found(_HIDDEN, model) == []


@pytest.mark.slow
def test_rounded_counts_of_many_groups_are_tried_group_by_group_beside_a_saturated_model() -> None:
    """All cells together are too many to be tried; the model states the share of each group by itself."""
    table = _people({("a", 0): 140, ("a", 1): 83, ("b", 0): 155, ("b", 1): 96, ("c", 0): 26, ("c", 1): 3})
    rounded = Crosstab(variables=("area", "ill"), method=RandomRounding(base=10))
    (found,) = _found(rounded, Logistic(formula="ill ~ C(area)", decimals=5), table=table)
    assert found.severity is Severity.REFUSE
    assert set(found.figures) == {"area=c & ill=1"}
    wide = _people({("a", 0): 140, ("a", 1): 83, ("b", 0): 155, ("b", 1): 96, ("c", 0): 60, ("c", 1): 9})
    assert _found(rounded, Logistic(formula="ill ~ C(area)", decimals=0), table=wide) == []
