"""Blame: the figures that give the exposed away, by leaving each out; never a level that few people have."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.checking import make_cases
from divulge.contributions.blame import Blame, fewest_told, find_blame
from divulge.contributions.case import Case
from divulge.spec import parse_output
from divulge.table import Table
from tests.support.tables import small_table

AREA = ["1"] * 40 + ["2"] * 40 + ["9"]
ILL = ["no", "yes"] * 40 + ["yes"]
AGE = [30 + i % 20 for i in range(80)] + [99]


def _table() -> Table:
    return small_table(AREA=AREA, ILL=ILL, AGE=AGE)


def _case(table: Table, **fields: object) -> Case:
    output = parse_output(fields)
    return make_cases([output], [output.publish(output.evaluate(table), table.schema)], table)[0]


def _last(table: Table) -> np.ndarray:
    found = np.zeros(table.n_rows, dtype=bool)
    found[-1] = True
    return found


def test_the_cell_of_somebody_alone_is_to_blame_and_no_other() -> None:
    table = _table()
    case = _case(table, kind="crosstab", variables=["AREA", "ILL"])
    blame = find_blame(case, _last(table))
    assert [label for label, grade in zip(case.labels, blame.grades, strict=True) if grade] == ["AREA=9 & ILL=yes"]
    assert blame.sentence(case.labels) == "Mostly the figure AREA=9 & ILL=yes."


def test_terms_are_ranked_by_the_leverage_that_goes_with_them() -> None:
    table = _table()
    case = _case(table, kind="linear", formula="AGE ~ C(AREA) + C(ILL)")
    blame = find_blame(case, _last(table))
    order = [case.labels[i] for i in np.argsort(-blame.figures)]
    # Alone in area 9, one of 41 who are ill.
    assert "9" in order[0]
    assert blame.grades[list(case.labels).index(order[0])] == 2


def test_a_number_far_from_the_others_is_to_blame() -> None:
    table = _table()
    case = _case(table, kind="logistic", formula="ILL ~ AGE + C(AREA, Treatment('9'))")
    blame = find_blame(case, _last(table))
    assert case.labels[int(np.argmax(blame.figures))] == "AGE"


def test_a_figure_that_a_rule_names_is_to_blame_without_anybody_exposed() -> None:
    table = _table()
    case = _case(table, kind="crosstab", variables=["AREA", "ILL"])
    blame = find_blame(case, np.zeros(table.n_rows, dtype=bool), ["AREA=1 & ILL=no"])
    assert blame.sentence(case.labels) == "Mostly the figure AREA=1 & ILL=no."


def test_nobody_exposed_and_nothing_named_is_nobodys_blame() -> None:
    table = _table()
    case = _case(table, kind="crosstab", variables=["AREA", "ILL"])
    blame = find_blame(case, np.zeros(table.n_rows, dtype=bool))
    assert set(blame.grades) == {0}
    assert blame.sentence(case.labels) == ""


def test_a_level_of_few_people_is_never_told() -> None:
    table = _table()
    case = _case(table, kind="crosstab", variables=["AREA", "ILL"])
    assert find_blame(case, _last(table)).told_levels(smallest_group=2) == []
    everybody = find_blame(case, np.ones(table.n_rows, dtype=bool)).told_levels(smallest_group=10)
    # Of the areas one has a single person, who would be left of all less the two large ones: these have 40 each.
    assert {level["level"] for level in everybody} == {"no", "yes"}


@pytest.mark.parametrize(
    ("counts", "total", "least"),
    [
        ([40, 40, 1], 81, np.inf),
        ([50, 40, 1], 91, 50),  # 41 are left
        ([40, 41], 81, 40),
        ([40, 9, 1], 50, 40),
        ([40, 9], 49, np.inf),
        ([40, 30], 71, 40),  # one has no value
        ([9, 9], 18, np.inf),
        ([], 0, np.inf),
    ],
)
def test_who_is_left_of_all_less_those_that_are_told_is_no_small_group(
    counts: list[int], total: int, least: float
) -> None:
    assert fewest_told(counts, total, 10) == least


@pytest.mark.parametrize(
    ("figures", "grades"),
    [
        ([4, 1, 1, 0], [2, 1, 1, 0]),
        ([1, 1, 1, 1], [2, 2, 2, 2]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([3, 2, 2, 1], [2, 2, 2, 1]),
    ],
)
def test_grades_mark_the_fewest_that_carry_half_and_treat_equals_alike(figures: list[int], grades: list[int]) -> None:
    assert Blame(np.array(figures, dtype=float), ()).grades == grades


def test_many_figures_are_counted_not_listed() -> None:
    said = Blame(np.ones(9), ()).sentence([f"f{i}" for i in range(9)])
    assert said == "Spread over 9 figures, among them f0; f1 and f2."


def test_somebody_behind_no_figure_of_their_own_is_given_away_by_all_of_them() -> None:
    # The last one is censored: nobody's event.
    died = [i % 2 for i in range(80)] + [0]
    table = small_table(MONTHS=[1 + i % 12 for i in range(80)] + [40], DIED=died)
    case = _case(table, kind="survival", time="MONTHS", event="DIED", times=[3, 6, 12])
    said = find_blame(case, _last(table)).sentence(case.labels)
    assert said.startswith(("Mostly the figures", "Spread over"))
