"""What rules and arithmetic alone refuse, without any search: unsafe outputs that no contrast of halves shows.

Each has a safe twin. Nobody's value may stand in a reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from divulge.assess import Plan
from divulge.assess.arithmetic import Arithmetic, work_out
from divulge.table import Table
from tests.support.assessing import ready
from tests.support.tables import small_table

RANKS = ("note", "review", "refuse")


def villages(n: int = 400) -> Table:
    """Four villages of a hundred; in the last one two people have nearly all of the income. One person is 97."""
    rng = np.random.default_rng(3)  # any seed: incomes and ages that have nothing to do with each other
    village = [f"v{i % 4}" for i in range(n)]
    income = (1000 + 10 * rng.integers(0, 200, n)).tolist()
    age = rng.integers(20, 80, n).tolist()
    age[5] = 97
    rich = [i for i in range(n) if village[i] == "v3"]
    for i in rich:
        income[i] = 10
    income[rich[0]], income[rich[1]] = 86_000, 4_000
    sex = [("m", "f")[(i // 4) % 2] for i in range(n)]
    smokes = rng.integers(0, 2, n).tolist()
    return small_table(village=village, income=income, age=age, sex=sex, smokes=smokes)


def some(n: int, **columns: Any) -> Table:
    """`columns` for the first few rows, and a large rest in the group z."""
    rng = np.random.default_rng(4)  # any seed: the rest is only there
    few = len(columns["g"])
    v = [*columns["v"], *(int(x) for x in rng.integers(100, 300, n))]
    return small_table(g=[*columns["g"], *["z"] * n], v=v, i=list(range(few + n)))


def worst(found: Arithmetic, n: int = 1) -> str:
    """What the breaches come to."""
    return max((b.does for b in found.breaches(range(n))), key=RANKS.index, default="note")


def told(found: Arithmetic, n: int = 1) -> str:
    return " ".join(b.sentence for b in found.breaches(range(n)) if b.does != "note")


def plan_of(table: Table, *outputs: dict[str, Any], **given: Any) -> Plan:
    return ready(*({**o, "compute": True} for o in outputs), table=table, **given)


def test_dominated_total_is_refused_with_the_error_of_the_estimate_and_without_the_value() -> None:
    by_village = {"kind": "totals", "variables": ["income"], "by": ["village"]}
    found = work_out(plan_of(villages(), by_village))
    assert worst(found) == "refuse"
    assert "can be estimated by the others of them (the closest to within 1.1 %)" in told(found)
    assert "income | village=v3" in told(found)
    assert "86000" not in told(found)
    assert "v0" not in told(found)


def test_mean_with_a_dominant_member_is_refused() -> None:
    found = work_out(plan_of(villages(), {"kind": "means", "variables": ["income"], "by": ["village"]}))
    assert worst(found) == "refuse"


def test_totals_of_what_many_have_are_not() -> None:
    found = work_out(plan_of(villages(), {"kind": "totals", "variables": ["age"], "by": ["village"]}))
    assert worst(found) == "note"


def test_share_of_two_who_smoke_is_a_small_count_and_no_total_that_two_dominate() -> None:
    table = small_table(smokes=[1, 1, *[0] * 98], sex=["m", "f"] * 50)
    found = work_out(plan_of(table, {"kind": "means", "variables": ["smokes"]}))
    assert worst(found) == "review"
    assert "follows exactly from one output (smokes=1)" in told(found)


@pytest.mark.parametrize(("decimals", "does"), [(4, "refuse"), (-3, "review")])
def test_two_regressions_that_differ_by_one_person_give_the_response_away(decimals: int, does: str) -> None:
    table = villages()
    every = {"kind": "linear", "formula": "income ~ age + sex", "statistics": ["n"], "decimals": decimals}
    found = work_out(plan_of(table, every, {**every, "where": "age <= 90"}))
    assert worst(found, 2) == does
    assert "Two regressions of the same form differ by 1 person" in told(found, 2)
    assert ("gives the response of each to within" in told(found, 2)) == (does == "refuse")
    # Alone neither has anything against it.
    assert [worst_alone(found, i) for i in (0, 1)] == ["note", "note"]


def worst_alone(found: Arithmetic, i: int) -> str:
    return max((b.does for b in found.breaches([i])), key=RANKS.index, default="note")


def test_error_of_two_regressions_is_that_of_the_attack_itself() -> None:
    # The attack, as an intruder would do it, from printed coefficients alone.
    table = villages()
    income, age = (table.schema[v].numbers[table[v]] for v in ("income", "age"))
    sex = table["sex"].astype(float)
    design = np.column_stack([np.ones(len(age)), age, sex])
    keep = age <= 90
    first = np.round(np.linalg.lstsq(design, income, rcond=None)[0], 4)
    second = np.round(np.linalg.lstsq(design[keep], income[keep], rcond=None)[0], 4)
    x = design[5]
    direction = np.linalg.solve(design.T @ design, x)
    guess = x @ second + direction @ (design.T @ design @ (first - second)) / (direction @ x)
    error = abs(guess - income[5]) / income.std()
    every = {"kind": "linear", "formula": "income ~ age + sex", "decimals": 4}
    found = work_out(plan_of(table, every, {**every, "where": "age <= 90"}))
    said = float(told(found, 2).split("to within ")[1].split(" %")[0])
    assert 100 * error <= said <= 1.0


def test_regressions_that_differ_by_many_do_not() -> None:
    every = {"kind": "linear", "formula": "income ~ age + sex", "decimals": 4}
    found = work_out(plan_of(villages(), every, {**every, "where": "age <= 60"}))
    assert worst(found, 2) == "note"


BY_G = {"variables": ["v"], "by": ["g"]}
FOURTEEN = some(60, g=[f"g{i % 11}" for i in range(14)], v=[i * i % 17 for i in range(14)])
ROW_SHARES = {"kind": "crosstab", "statistic": "row percentages", "decimals": 1}
UNSAFE = (
    ("quantile 1.0", some(60, g=["z"], v=[900]), {"kind": "position", "variables": ["v"], "quantiles": [1.0]}),
    ("mode of two", some(60, g="aa", v=[7, 7]), {"kind": "mode", **BY_G}),
    ("frequencies of exact values", some(60, g=["z"], v=[900]), {"kind": "frequencies", "variables": ["v"]}),
    ("deviation of two", some(60, g="aa", v=[5, 9]), {"kind": "shape", **BY_G}),
    ("median of three", some(60, g="aaa", v=[5, 9, 11]), {"kind": "position", **BY_G}),
    ("95 % quantile of 15", some(60, g="a" * 15, v=range(15)), {"kind": "position", "quantiles": [0.95], **BY_G}),
    ("mean of one", some(60, g="a", v=[5]), {"kind": "means", **BY_G}),
    ("dummy for one", some(60, g="a", v=[5]), {"kind": "linear", "formula": "v ~ C(g)"}),
    ("14 rows, 11 parameters", FOURTEEN, {"kind": "linear", "formula": "v ~ C(g)", "where": "i < 14"}),
    ("row percentages of two", some(60, g="aa", v=[5, 9]), {**ROW_SHARES, "variables": ["g", "v"]}),
    ("correlation of three", FOURTEEN, {"kind": "correlation", "variables": ["v", "i"], "where": "i < 3"}),
)


@pytest.mark.parametrize(("name", "table", "output"), UNSAFE, ids=[name for name, *_ in UNSAFE])
def test_value_of_one_or_of_few_is_refused(name: str, table: Table, output: dict[str, Any]) -> None:
    found = work_out(plan_of(table, output))
    assert worst(found) == "refuse", name
    assert "900" not in told(found).replace("v=900", "")


SAFE = (
    ("median and quartiles of many", {"kind": "position", "variables": ["age"], "quantiles": [0.25, 0.5, 0.75]}),
    ("a table of large cells", {"kind": "crosstab", "variables": ["sex", "smokes"]}),
    ("means of groups", {"kind": "means", "variables": ["age"], "by": ["sex"], "decimals": 1}),
    ("a regression", {"kind": "linear", "formula": "log(income) ~ age + C(sex) + smokes", "decimals": 3}),
    ("a logistic regression", {"kind": "logistic", "formula": "smokes ~ age + C(sex)", "decimals": 3}),
    ("chi squared", {"kind": "chi-squared", "variables": ["sex", "smokes"]}),
    ("a minimum that many have", {"kind": "extremes", "variables": ["smokes"]}),
    ("frequencies of a few values", {"kind": "frequencies", "variables": ["smokes"]}),
)


@pytest.mark.parametrize(("name", "output"), SAFE, ids=[name for name, _ in SAFE])
def test_everyday_output_breaks_nothing(name: str, output: dict[str, Any]) -> None:
    assert worst(work_out(plan_of(villages(), output))) == "note", name


def test_survival_curve_of_hundreds_breaks_nothing() -> None:
    rng = np.random.default_rng(5)  # any seed: single events in most weeks
    table = small_table(week=rng.integers(1, 53, 400).tolist(), arrest=(rng.random(400) < 0.3).astype(int).tolist())
    assert worst(work_out(plan_of(table, {"kind": "survival", "time": "week", "event": "arrest"}))) == "note"


@pytest.mark.parametrize("size", [6, 9, 30])
def test_group_with_one_rare_diagnosis_is_class_disclosure(size: int) -> None:
    town = ["small"] * size + ["large"] * 600
    table = small_table(town=town, ill=["rare"] * size + ["none", "cold"] * 297 + ["rare"] * 6)
    found = work_out(plan_of(table, {"kind": "crosstab", "variables": ["town", "ill"]}))
    assert worst(found) in ("review", "refuse")
    assert "Class disclosure" in told(found)


@pytest.mark.parametrize("kind", ["means", "logistic", "linear"])
def test_group_with_one_rare_diagnosis_is_class_disclosure_in_means_and_regressions_too(kind: str) -> None:
    # Of the others one in twenty is ill; with the group itself more than a tenth of all are.
    table = small_table(town=["small"] * 30 + ["large", "other"] * 150, ill=[1] * 30 + [1] * 15 + [0] * 285)
    fields = {"variables": ["ill"], "by": ["town"]} if kind == "means" else {"formula": "ill ~ C(town)"}
    found = work_out(plan_of(table, {"kind": kind, **fields}))
    assert worst(found) in ("review", "refuse")
    assert "Class disclosure" in told(found)


def test_variable_that_another_one_defines_is_no_class_disclosure() -> None:
    # Everybody who is religious has one of two faiths, and nobody else has one.
    faith = ["one"] * 60 + ["none"] * 200 + ["unsure"] * 60
    table = small_table(faith=faith, has=[int(f == "one") for f in faith])
    assert worst(work_out(plan_of(table, {"kind": "crosstab", "variables": ["faith", "has"]}))) == "note"


def test_shares_of_a_small_group_are_named() -> None:
    table = small_table(town=["a"] * 7 + ["b"] * 200, ill=["x"] + ["y"] * 6 + ["x", "y"] * 100)
    shares = {"kind": "crosstab", "variables": ["town", "ill"], "statistic": "row percentages", "decimals": 1}
    found = work_out(plan_of(table, shares))
    assert worst(found) in ("review", "refuse")


@pytest.mark.parametrize("sizes", [(40, 30, 25, 1), (60, 9, 9, 60)], ids=["one withheld", "withheld in halves too"])
def test_withheld_cells_that_margins_give_back_are_refused(sizes: tuple[int, ...]) -> None:
    pairs = [
        (a, b)
        for (a, b), n in zip((("p", "x"), ("p", "y"), ("q", "x"), ("q", "y")), sizes, strict=True)
        for _ in range(n)
    ]
    table = small_table(a=[a for a, _ in pairs], b=[b for _, b in pairs])
    inner = {"kind": "crosstab", "variables": ["a", "b"], "threshold": 10}
    found = work_out(
        plan_of(table, inner, {"kind": "crosstab", "variables": ["a"]}, {"kind": "crosstab", "variables": ["b"]})
    )
    assert worst(found, 3) == "refuse"
    assert "exactly from the others" in told(found, 3)
    exact = [c for c in found.audited.cells if c.status.value == "exact"]
    assert all(c.chain for c in exact)


def test_figures_that_no_data_have_are_left_to_a_checker_with_the_reason() -> None:
    table = small_table(a=["p"] * 30 + ["q"] * 30, b=["x", "y"] * 30)
    by_a, by_b = ({"kind": "crosstab", "variables": [v]} for v in "ab")
    right = plan_of(table, by_a, by_b)
    ten = np.array([0.0, 10.0])
    given = right.printed[0]
    wrong = replace(given, values=given.values + ten, low=given.low + ten, high=given.high + ten)
    found = work_out(replace(right, printed=(wrong, right.printed[1])))
    assert worst(found, 2) == "review"
    assert "contradict each other" in told(found, 2)


OLDER = {"kind": "crosstab", "variables": ["sex", "smokes"], "where": "age <= 90", "compute": True, "name": "last May"}


def test_breach_names_the_earlier_release_without_which_it_would_be_none() -> None:
    every = {"kind": "crosstab", "variables": ["sex", "smokes"]}
    found = work_out(plan_of(villages(), every, earlier=[OLDER]))
    assert worst(found, 2) == "refuse"
    assert "together with what was released before: last May" in told(found, 2)
    assert worst_alone(found, 0) == "note"


def test_what_earlier_releases_give_away_by_themselves_is_no_reason_against_a_new_one() -> None:
    new = {"kind": "crosstab", "variables": ["village"]}
    every = {**OLDER, "name": "last June"}
    del every["where"]
    found = work_out(plan_of(villages(), new, earlier=[OLDER, every]))
    assert worst(found, 3) == "note", told(found, 3)


WITHHELD = {
    "kind": "crosstab",
    "variables": ["village", "sex"],
    "suppressed": ["village=v0 & sex=m", "village=v1 & sex=f"],
}


def test_withheld_cells_that_granted_marginals_give_back_are_remarked_on_and_no_verdict() -> None:
    # Neither follows from the others and the number of rows; each is all that its village lacks.
    found = work_out(plan_of(villages(), WITHHELD))
    remarks = [f for f in found.audited.findings if f.rule == "granted marginals"]
    assert [f.figures for f in remarks] == [tuple(WITHHELD["suppressed"])]
    assert "2 figures that were withheld or rounded follow exactly" in remarks[0].sentence
    assert worst(found) == "note"


def test_nothing_is_said_of_marginals_that_the_scenario_does_not_grant() -> None:
    scenario = {"target": "sex", "keys": ["village"], "knows": "nothing"}
    found = work_out(plan_of(villages(), WITHHELD, scenario=scenario))
    assert not [f for f in found.audited.findings if f.rule == "granted marginals"]
