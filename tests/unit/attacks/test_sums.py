"""Sums taken together as an attack: whoever is left over is named, precisely as far as digits are printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.attacks import Submitted
from divulge.attacks.sums import SumsTogether
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.gamma import Gamma
from divulge.outputs.kinds.histogram import Histogram
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.scatter import Scatter
from divulge.outputs.kinds.survival import Survival
from divulge.outputs.kinds.totals import Totals
from divulge.outputs.kinds.tree import Tree
from divulge.outputs.output import Output
from divulge.rules import Finding
from divulge.scenario import Scenario
from divulge.table import Table
from tests.support.tables import small_table

ALL = Means(variables=("PAY",), decimals=2)


def _people(n: int = 100) -> Table:
    """The last k people have LAST = k, k − 1, …, 1 for k up to 3; everybody else has 0."""
    rng = np.random.default_rng(7)  # any: what is asked holds for every draw
    last = [0] * (n - 3) + [3, 2, 1]
    return small_table(
        PAY=[int(p) for p in rng.integers(100, 400, n)],
        AGE=[int(a) for a in rng.integers(18, 90, n)],
        CARS=[int(c) for c in rng.integers(0, 5, n)],
        ILL=["no", "yes"] * (n // 2),
        LAST=last,
    )


def _found(*outputs: Output, scenarios: tuple[Scenario, ...] = ()) -> list[Finding]:
    table = _people()
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    return list(SumsTogether().find(Submitted(outputs, released, table, scenarios)))


def test_mean_of_all_and_regression_on_all_but_one_leave_that_person() -> None:
    (found,) = _found(ALL, Linear(formula="PAY ~ AGE", decimals=4, where="LAST != 1"))
    assert found.severity.value == "refuse"
    assert found.outputs == (0, 1)
    assert np.flatnonzero(found.people).tolist() == [99]
    assert found.sentence.startswith("The sums of PAY that the figures state leave the value of 1 person")


def test_both_outputs_are_named_where_one_is_known_to_the_last_digit_and_the_other_is_not() -> None:
    (found,) = _found(Gamma(formula="PAY ~ AGE", decimals=3), Means(variables=("PAY",), decimals=1, where="LAST != 1"))
    assert (found.severity.value, found.outputs) == ("review", (0, 1))


def test_difference_of_two_people_whom_one_output_each_leaves_out_tells_each_the_other() -> None:
    one, other = (Means(variables=("PAY",), decimals=2, where=f"LAST != {k}") for k in (1, 2))
    (found,) = _found(one, other)
    assert found.severity.value == "refuse"
    assert np.flatnonzero(found.people).tolist() == [98, 99]


def test_outputs_that_leave_out_many_different_people_each_tell_nobody() -> None:
    one, other = (Means(variables=("PAY",), decimals=2, where=f"CARS != {k}") for k in (1, 2))
    assert _found(one, other) == []


def test_two_people_of_whom_only_the_sum_is_left_are_both_named() -> None:
    (found,) = _found(ALL, Means(variables=("PAY",), decimals=2, where="LAST = 0 or LAST = 3"))
    assert np.flatnonzero(found.people).tolist() == [98, 99]


@pytest.mark.parametrize("decimals", [0, -1])
def test_nobody_is_named_where_too_few_digits_are_printed(decimals: int) -> None:
    fewer = Means(variables=("PAY",), decimals=decimals, where="LAST != 1")
    assert _found(Means(variables=("PAY",), decimals=decimals), fewer) == []


def test_scores_of_other_models_ask_for_a_review_unless_predictors_are_granted() -> None:
    twice = Poisson(formula="CARS ~ AGE", decimals=5), Poisson(formula="CARS ~ ILL", decimals=5, where="LAST != 1")
    assert [f.severity.value for f in _found(*twice)] == ["review"]
    granted = Scenario(keys=("AGE",), target="CARS", knows="predictors")
    assert [f.severity.value for f in _found(*twice, scenarios=(granted,))] == ["refuse"]


def test_table_of_shares_beside_counts_of_all_but_one_leaves_that_person() -> None:
    shares = Crosstab(variables=("ILL",), statistic="percentages", decimals=2)
    found = _found(shares, Crosstab(variables=("ILL",), where="LAST != 1"))
    assert {tuple(np.flatnonzero(f.people).tolist()) for f in found} == {(99,)}


def test_one_output_that_others_look_at_is_left_to_them() -> None:
    assert _found(Means(variables=("PAY",), by=("LAST",))) == []
    assert _found(Linear(formula="PAY ~ C(LAST)", decimals=6)) == []


def test_what_several_values_of_a_variable_say_of_the_same_person_is_said_once() -> None:
    found = _found(Crosstab(variables=("ILL",)), Crosstab(variables=("ILL",), where="LAST != 1"))
    assert len({f.sentence for f in found}) == len(found) == 1


def _rounded(others: int) -> list[Finding]:
    """Mean price of four people to a hundred, and a regression on three of them; so many others have each price."""
    table = small_table(
        PRICE=[3_014, 1_037, 2_021, 20] * (others + 1),
        AGE=[31, 74, 28, 55] * (others + 1),
        PART=["a", "a", "a", "b"] + ["out"] * 4 * others,
    )
    outputs = (
        Means(variables=("PRICE",), decimals=-2, where="PART = 'a' or PART = 'b'"),
        Linear(formula="PRICE ~ AGE", decimals=0, where="PART = 'a'"),
    )
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    return list(SumsTogether().find(Submitted(outputs, released, table, ())))


def test_prices_of_four_people_are_not_all_the_prices_that_there_are() -> None:
    assert _rounded(others=9)
    assert _rounded(others=0) == []


def test_sums_of_the_same_variable_in_other_units_or_with_a_top_code_are_sums_of_it() -> None:
    """Mean pay of all in euro and of all but one in dollars; mean pay as it is and cut off at the top."""
    own = [int(p) for p in np.random.default_rng(7).integers(100, 400, 100)]  # any: what is asked holds for every draw
    own[40] = 500
    last = [0] * 99 + [1]
    table = small_table(PAY=own, USD=[1.2 * p + 7 for p in own], TOP=[min(p, 400) for p in own], LAST=last)
    means = {name: Means(variables=(name,), decimals=2) for name in ("PAY", "TOP")}
    fewer = Means(variables=("USD",), decimals=2, where="LAST = 0")

    def found(*outputs: Output) -> list[Finding]:
        released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
        return list(SumsTogether().find(Submitted(outputs, released, table, ())))

    (units,) = found(means["PAY"], fewer)
    assert (units.severity.value, np.flatnonzero(units.people).tolist()) == ("refuse", [99])
    assert units.sentence.startswith("The sums of PAY and USD that the figures state leave the value of 1 person")
    for outputs in ((means["PAY"], means["TOP"]), (Means(variables=("PAY", "TOP"), decimals=2),)):
        (top,) = found(*outputs)
        assert (top.severity.value, np.flatnonzero(top.people).tolist()) == ("refuse", [40])
    assert found(means["PAY"], Means(variables=("USD",), decimals=2)) == []


_ALL_THREE = Means(variables=("PAY", "GIFT", "ZERO"), decimals=2)


def _made(n: int = 120) -> Table:
    """What people earn and get, the sum and half of it, and what is left; one has another sum, fifty are MARKed."""
    rng = np.random.default_rng(8)  # any: what is asked holds for every draw
    pay, gift = ([int(p) for p in rng.integers(low, 9 * low, n)] for low in (100, 30))
    both = [p + g for p, g in zip(pay, gift, strict=True)]
    return small_table(
        PAY=pay,
        GIFT=gift,
        BOTH=both,
        HALF=[b / 2 for b in both],
        LEFT=[p - g for p, g in zip(pay, gift, strict=True)],
        ZERO=[0 if i == 40 else b for i, b in enumerate(both)],
        TEN=[0 if i < 10 else b for i, b in enumerate(both)],
        LAST=[0] * (n - 1) + [1],
        MARK=[1] * 50 + [0] * (n - 50),
    )


def _of_made(*outputs: Output) -> list[Finding]:
    table = _made()
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    return list(SumsTogether().find(Submitted(outputs, released, table, ())))


@pytest.mark.parametrize("kind", [Means, Totals])
@pytest.mark.parametrize("made", ["BOTH", "LEFT", "HALF"])
def test_sums_of_two_variables_and_of_what_is_made_of_both_are_taken_together(
    made: str, kind: type[Means] | type[Totals]
) -> None:
    both = [kind(variables=(name,), decimals=2) for name in ("PAY", "GIFT")]
    (found,) = _of_made(*both, kind(variables=(made,), decimals=2, where="LAST = 0"))
    assert (found.severity.value, found.outputs) == ("refuse", (0, 1, 2))
    assert np.flatnonzero(found.people).tolist() == [119]
    assert found.sentence.startswith(
        f"One of these variables is made of the others. The sums of PAY, GIFT and {made} that the figures state leave "
        "the value of 1 person"
    )
    assert _of_made(*both, kind(variables=(made,), decimals=2, where="MARK = 0")) == []
    assert _of_made(*both, kind(variables=(made,), decimals=2)) == []


def test_a_part_that_lacks_one_person_and_a_sum_that_one_has_otherwise_leave_that_person() -> None:
    pay, gift, both = (Means(variables=(name,), decimals=2) for name in ("PAY", "GIFT", "BOTH"))
    (part,) = _of_made(pay, Means(variables=("GIFT",), decimals=2, where="LAST = 0"), both)
    assert np.flatnonzero(part.people).tolist() == [119]
    for outputs in ((pay, gift, Means(variables=("ZERO",), decimals=2)), (_ALL_THREE,)):
        (zero,) = _of_made(*outputs)
        assert (zero.severity.value, np.flatnonzero(zero.people).tolist()) == ("refuse", [40])
    assert _of_made(pay, gift, Means(variables=("TEN",), decimals=2)) == []


def test_what_sums_of_one_variable_tell_alone_is_not_said_again_of_sums_of_three() -> None:
    means = [Means(variables=(name,), decimals=2) for name in ("PAY", "GIFT", "BOTH")]
    (found,) = _of_made(*means, Means(variables=("PAY",), decimals=2, where="LAST = 0"))
    assert found.sentence.startswith("The sums of PAY that")


def test_mean_by_groups_and_counts_of_all_values_but_one_leave_that_person() -> None:
    means = Means(variables=("CARS",), by=("ILL",), decimals=4)
    for counts in (
        Frequencies(variables=("CARS",), where="LAST != 1"),
        Histogram(variable="CARS", breaks=(0, 1, 2, 3, 4, 5), where="LAST != 1"),
    ):
        found = _found(means, counts)
        assert {tuple(np.flatnonzero(f.people)) for f in found} == {(99,)}
        assert {f.severity.value for f in found} == {"refuse"}
    assert _found(means, Frequencies(variables=("CARS",))) == []
    assert _found(means, Histogram(variable="CARS", breaks=(0, 2, 5), where="LAST != 1")) == []


def test_counts_of_a_tree_and_of_a_table_that_lacks_one_leave_that_person() -> None:
    leaves = ("AGE < 50", "AGE >= 50")
    tree = Tree(response="ILL", variables=("AGE",), leaves=leaves)
    (found,) = _found(tree, Crosstab(variables=("ILL",), where="LAST != 1"))
    assert np.flatnonzero(found.people).tolist() == [99]
    assert _found(tree, Crosstab(variables=("ILL",))) == []


def _followed(show: tuple[Any, ...], where: str | None = None, **fields: Any) -> Survival:
    return Survival(time="AGE", event="ILL", observed="yes", show=show, where=where, **fields)


def test_curves_of_all_and_of_parts_that_lack_one_leave_that_person() -> None:
    parts = ("CARS <= 2", "CARS > 2 and LAST != 1")
    for shown, severity, decimals in ((("at risk",), "refuse", 0), (("survival",), "review", 4)):
        curves = [_followed(show=shown, decimals=decimals, where=where) for where in (None, *parts)]
        (found,) = _found(*curves)
        assert (found.severity.value, np.flatnonzero(found.people).tolist()) == (severity, [99])
    whole = [_followed(show=("survival",), decimals=4, where=where) for where in (None, "CARS <= 2", "CARS > 2")]
    assert _found(*whole) == []
    assert _found(*(_followed(show=("survival",), decimals=1, where=where) for where in (None, *parts))) == []


def test_life_table_and_histogram_of_all_but_one_say_in_which_interval_the_one_is() -> None:
    breaks = (18, 40, 60, 90)
    table = _followed(show=("events", "censored"), breaks=breaks)
    (found,) = _found(table, Histogram(variable="AGE", breaks=breaks, where="LAST != 1"))
    assert np.flatnonzero(found.people).tolist() == [99]
    assert _found(table, Histogram(variable="AGE", breaks=breaks)) == []
    assert _found(table, Histogram(variable="AGE", breaks=breaks, where="LAST != 1 and CARS != 2")) == []


def test_grid_and_histogram_of_all_but_one_say_in_which_interval_the_one_is() -> None:
    breaks = (18, 40, 60, 90)
    grid = Scatter(x="PAY", y="AGE", x_breaks=(100, 250, 400), y_breaks=breaks)
    (found,) = _found(grid, Histogram(variable="AGE", breaks=breaks, where="LAST != 1"))
    assert np.flatnonzero(found.people).tolist() == [99]
    assert _found(grid, Histogram(variable="AGE", breaks=breaks)) == []
