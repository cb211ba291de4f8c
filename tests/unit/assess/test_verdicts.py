"""Verdicts of known truth, each with its own table: what must be refused is, and what is safe is released.

docs/verdicts.md lists them beside the tests that hold the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.assess import assess
from divulge.assess.arithmetic import work_out
from divulge.table import Table
from tests.support.assessing import ready
from tests.support.tables import small_table

BY_G: dict[str, Any] = {"variables": ["v"], "by": ["g"]}
MEANS: dict[str, Any] = {"kind": "means", **BY_G}
TEST: dict[str, Any] = {"kind": "chi-squared", "variables": ["x", "y"]}
HALVES = {"kind": "repeated-halves", "splits": 20, "curve": False}


def _numbers(n: int) -> list[int]:
    """Numbers that have nothing to do with anything."""
    return [int(x) for x in np.random.default_rng(n).integers(100, 300, n)]  # any seed


def _sum(numbers: list[int]) -> list[int]:
    """Each number and the one as far from the other end."""
    return [a + b for a, b in zip(numbers, numbers[::-1], strict=True)]


def _group(*values: int) -> Table:
    """A group with these values, and sixty others."""
    return small_table(g=["a"] * len(values) + ["z"] * 60, v=[*values, *_numbers(60)])


def _grid(**rows: tuple[int, int]) -> Table:
    """So many people with y = k and with y = l, for each x."""
    pairs = [(x, y) for x, counts in rows.items() for y, n in zip("kl", counts, strict=True) for _ in range(n)]
    return small_table(x=[x for x, _ in pairs], y=[y for _, y in pairs])


def _one_apart() -> Table:
    """The last person alone is in group a, and alone has both q and s."""
    n = 121
    age = [int(x) for x in np.random.default_rng(2).integers(20, 90, n)]  # any seed
    return small_table(
        v=_numbers(n),
        age=age,
        g=["z"] * (n - 1) + ["a"],
        p=["p"] * 60 + ["q"] * 61,
        r=["r", "s"] * 30 + ["r"] * 60 + ["s"],
    )


UNSAFE: dict[str, tuple[Table, tuple[dict[str, Any], ...]]] = {
    "mean and SD of two": (_group(5, 9), (MEANS, {"kind": "shape", **BY_G})),
    "mean and SD of three": (_group(5, 9, 30), (MEANS, {"kind": "shape", **BY_G})),
    "mean of twelve that one dominates": (_group(9000, *[20] * 11), (MEANS,)),
    "dummy for one beside a continuous key": (_one_apart(), ({"kind": "linear", "formula": "v ~ age + C(g)"},)),
    "interaction that isolates one": (_one_apart(), ({"kind": "linear", "formula": "v ~ C(p)*C(r)"},)),
    "χ² with one alone": (_grid(a=(1, 0), b=(30, 30)), (TEST,)),
    "risk ratio of three": (_grid(a=(3, 30), b=(30, 30)), ({"kind": "ratios", "outcome": "y", "exposure": "x"},)),
    "Herfindahl and total": (_group(9000, *[20] * 11), ({"kind": "herfindahl", **BY_G}, {"kind": "totals", **BY_G})),
}

LINEAR: dict[str, Any] = {"kind": "linear", "decimals": 4}
MEAN: dict[str, Any] = {"kind": "means", "variables": ["v"], "decimals": 2}
SHARES: dict[str, Any] = {"kind": "crosstab", "variables": ["r"], "statistic": "percentages", "decimals": 2}
ANOVA: dict[str, Any] = {"kind": "anova", "decimals": 3}
OTHERS = {"where": "g = z"}


def _bridge() -> Table:
    """Two levels of p go with two of r and two with two others; the last person alone connects them."""
    p, r = ["a", "b"] * 30 + ["c", "d"] * 30 + ["b"], ["k", "l", "l", "k"] * 15 + ["m", "n", "n", "m"] * 15 + ["m"]
    return small_table(v=_numbers(121), p=p, r=r)


UNSAFE |= {
    "two forms of a regression, one left out": (
        _one_apart(),
        ({**LINEAR, "formula": "v ~ age"}, {**LINEAR, "formula": "v ~ C(p)", **OTHERS}),
    ),
    "mean, and regression with one left out": (_one_apart(), (MEAN, {**LINEAR, "formula": "v ~ age", **OTHERS})),
    "mean of all, of one part, and of the other but for one": (
        _one_apart(),
        (MEAN, {**MEAN, "where": "p = p"}, {**MEAN, "where": "p = q and g = z"}),
    ),
    "percentages of all, and with one left out": (_one_apart(), (SHARES, {**SHARES, **OTHERS})),
    "means by two variables that one person connects": (_bridge(), ({**MEAN, "by": ["p"]}, {**MEAN, "by": ["r"]})),
    "weighted mean that one weight outweighs": (
        small_table(v=[1, *_numbers(60)], w=[100_000] + [1] * 60),
        ({**MEAN, "weights": "w"},),
    ),
    "weighted median that one weight outweighs": (
        small_table(v=[1, *_numbers(60)], w=[100_000] + [1] * 60),
        ({"kind": "position", "variables": ["v"], "weights": "w"},),
    ),
    "SD of a hundred that one makes": (
        small_table(v=[90_000, *_numbers(99)]),
        ({"kind": "shape", "variables": ["v"]},),
    ),
    "regression on groups of which one person dominates one": (
        _group(9000, *[20] * 11),
        ({"kind": "linear", "formula": "v ~ C(g)"},),
    ),
    "Gini coefficient that one dominates": (_group(9000, *[20] * 11), ({"kind": "gini", **BY_G},)),
    "analysis of variance with a level of one": (_one_apart(), ({"kind": "anova", "formula": "v ~ C(g)"},)),
    "F of a level of one": (_one_apart(), ({"kind": "f-test", "formula": "v ~ C(g)"},)),
    "t of a group of two": (_group(5, 9), ({"kind": "t-test", "variable": "v", "by": "g"},)),
    "analyses of variance of two forms, one left out": (
        _one_apart(),
        ({**ANOVA, "formula": "v ~ C(p)"}, {**ANOVA, "formula": "v ~ C(r)", **OTHERS}),
    ),
    "SD, and R² with one left out": (
        _one_apart(),
        (
            {"kind": "shape", "variables": ["v"], "decimals": 4},
            {**LINEAR, "formula": "v ~ age", "statistics": ["r2"], "decimals": 7, **OTHERS},
        ),
    ),
    "sums of squares that one makes": (
        small_table(v=[90_000, *_numbers(99)], r=["a", "b"] * 50),
        ({**ANOVA, "formula": "v ~ C(r)"},),
    ),
    "survival of thirty who all have the event": (
        small_table(t=[*range(3, 33), *range(5, 65)], e=[1] * 30 + [0, 1] * 30, g=["a"] * 30 + ["b"] * 60),
        ({"kind": "survival", "time": "t", "event": "e", "observed": "1", "by": ["g"]},),
    ),
    "χ² of all beside a table that lacks one": (
        _one_apart(),
        (
            {"kind": "chi-squared", "variables": ["p", "r"], "decimals": 5},
            {"kind": "crosstab", "variables": ["p", "r"], **OTHERS},
        ),
    ),
    "a table of all beside a χ² that lacks one": (
        _one_apart(),
        (
            {"kind": "chi-squared", "variables": ["p", "r"], "decimals": 5, **OTHERS},
            {"kind": "crosstab", "variables": ["p", "r"]},
        ),
    ),
    "withheld cells beside a saturated model": (
        _grid(a=(40, 3), b=(55, 6), c=(30, 2)),
        (
            {"kind": "crosstab", "variables": ["x", "y"], "threshold": 10},
            {"kind": "logistic", "formula": "y ~ C(x)", "decimals": 4},
        ),
    ),
    "mean of a high power": (_group(9000, *[20] * 11), ({"kind": "linear", "formula": "exp(v / 200) ~ 1"},)),
    "gamma regression that one dominates": (
        small_table(v=[900_000, *_numbers(60)]),
        ({"kind": "gamma", "formula": "v ~ 1"},),
    ),
    "two means that leave out another person each": (
        _one_apart(),
        ({**MEAN, **OTHERS}, {**MEAN, "where": "v != 110"}),
    ),
    "mode of the one who has a weight": (
        small_table(v=_numbers(61), w=[1] + [0] * 60),
        ({"kind": "mode", "variables": ["v"], "weights": "w"},),
    ),
    "means of a variable and of its copy with a top code for one": (
        small_table(v=[*_numbers(120), 9000], w=[*_numbers(120), 150]),
        (MEAN, {**MEAN, "variables": ["w"]}),
    ),
    "means of two variables, and of their sum for all but one": (
        small_table(v=_numbers(120), w=_numbers(120)[::-1], s=_sum(_numbers(120)), g=["z"] * 119 + ["a"]),
        (MEAN, {**MEAN, "variables": ["w"]}, {**MEAN, "variables": ["s"], **OTHERS}),
    ),
    "mode of numbers that all differ": (
        small_table(v=[7 * i for i in range(90)]),
        ({"kind": "mode", "variables": ["v"]},),
    ),
    "Poisson regression whose slope one makes": (
        small_table(v=[40, *(i % 5 for i in range(120))], x=[900, *(i % 7 for i in range(120))]),
        ({"kind": "poisson", "formula": "v ~ x", "decimals": 8},),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_output_has_a_reason_to_refuse_before_any_search(name: str) -> None:
    table, outputs = UNSAFE[name]
    found = work_out(ready(*({**o, "compute": True} for o in outputs), table=table))
    assert "refuse" in [b.does for b in found.breaches(range(len(outputs)))]


TWICE: dict[str, dict[str, Any]] = {
    "correlation": {"kind": "correlation", "variables": ["v", "age"], "decimals": 6},
    "χ²": {"kind": "chi-squared", "variables": ["p", "r"], "decimals": 4},
    "analysis of variance": {"kind": "anova", "formula": "v ~ C(p)", "decimals": 3},
    "survival": {"kind": "survival", "time": "age", "event": "p", "times": [30, 60, 89], "decimals": 6},
    "logistic regression": {"kind": "logistic", "formula": "p ~ age", "decimals": 4},
    "negative binomial regression": {"kind": "negative-binomial", "formula": "v ~ age", "decimals": 4},
}


@pytest.mark.parametrize("name", TWICE)
def test_statistic_of_all_and_of_all_but_one_is_never_released(name: str) -> None:
    twice = ({**TWICE[name], "compute": True}, {**TWICE[name], "compute": True, **OTHERS})
    found = work_out(ready(*twice, table=_one_apart())).breaches(range(2))
    assert {"review", "refuse"} & {b.does for b in found}


def test_herfindahl_index_of_all_beside_mean_and_spread_of_all_but_one_is_never_released() -> None:
    others = ({**MEAN, **OTHERS}, {"kind": "shape", "variables": ["v"], "decimals": 3, **OTHERS})
    outputs = ({"kind": "herfindahl", "variables": ["v"], "decimals": 6}, *others)
    found = work_out(ready(*({**o, "compute": True} for o in outputs), table=_one_apart())).breaches(range(3))
    assert {"review", "refuse"} & {b.does for b in found}


def test_correlation_that_one_person_makes_is_never_released() -> None:
    table = small_table(v=_numbers(121), x=[*range(120), 500_000])
    found = work_out(
        ready({"kind": "correlation", "variables": ["v", "x"], "decimals": 4, "compute": True}, table=table)
    )
    assert [b.sentence for b in found.breaches([0]) if b.does == "review" and "sums of v" in b.sentence]


SAFE_TOGETHER: dict[str, tuple[dict[str, Any], ...]] = {
    "mean of all and of a half": (MEAN, {**MEAN, "where": "p = p"}),
    "regressions of two forms on the same people": (
        {**LINEAR, "formula": "v ~ age"},
        {**LINEAR, "formula": "v ~ age + C(p)"},
    ),
    "means with one left out, in whole numbers": ({**MEAN, "decimals": 0}, {**MEAN, "decimals": 0, **OTHERS}),
    "percentages with one left out, in whole numbers": ({**SHARES, "decimals": 0}, {**SHARES, "decimals": 0, **OTHERS}),
    "means by two variables": ({**MEAN, "by": ["p"]}, {**MEAN, "by": ["r"]}),
    "weighted mean": ({**MEAN, "weights": "age"},),
}


@pytest.mark.parametrize("name", SAFE_TOGETHER)
def test_safe_outputs_together_break_no_rule(name: str) -> None:
    outputs = SAFE_TOGETHER[name]
    found = work_out(ready(*({**o, "compute": True} for o in outputs), table=_one_apart()))
    assert [b.sentence for b in found.breaches(range(len(outputs))) if b.does != "note"] == []


def test_villages_of_one_with_the_common_value_are_refused_because_it_is_certain() -> None:
    village = [f"small {i}" for i in range(5)] + ["large"] * 200
    table = small_table(village=village, ill=["no"] * 5 + ["no"] * 164 + ["yes"] * 36)
    found = assess(
        ready({"kind": "crosstab", "variables": ["village", "ill"], "compute": True}, table=table), workers=1
    )
    assert found.verdict == "refuse"
    assert np.flatnonzero(found.exposed).tolist() == [0, 1, 2, 3, 4]
    assert any(
        "5 people are exposed: a value of theirs is made certain" in reason for reason in found.record["reasons"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False], ids=["scenario named", "scenario not named"])
def test_mean_of_one_outlier_is_refused(named: bool) -> None:
    scenario = {"scenario": {"keys": ["g"], "target": "v"}} if named else {}
    output = {**MEANS, "compute": True, "decimals": 0}
    found = assess(ready(output, table=_group(900), **scenario), workers=1)
    assert found.verdict == "refuse"
    assert found.exposed[0]


def test_extremes_that_many_have_are_released() -> None:
    years = [1] * 15 + [16] * 15 + [8 + i % 5 for i in range(270)]
    output = {"kind": "extremes", "variables": ["v"], "compute": True}
    found = assess(ready(output, table=small_table(v=years), design=HALVES), workers=1)
    assert (found.verdict, found.record["exposure"]["exposed"]) == ("release", 0)


@pytest.mark.slow
def test_level_with_one_case_drops_no_split() -> None:
    # One of 81 in the level is ill: in half of the splits nobody of it is.
    rng = np.random.default_rng(6)  # any seed: illness of the others is a coin
    ill = [1] + [0] * 80 + [int(x) for x in rng.integers(0, 2, 219)]
    table = small_table(ill=ill, level=["a"] * 81 + ["b", "c", "d"] * 73)
    output = {"kind": "logistic", "formula": "ill ~ C(level)", "decimals": 2, "compute": True}
    found = assess(ready(output, table=table, synthesiser={"kind": "descent", "seconds": 0.2}), workers=1)
    assert found.results[0].failed == ()
    assert found.results[0].n_splits == 4
    assert not any("could not be computed" in reason for reason in found.record["reasons"])


SAFE: dict[str, dict[str, Any]] = {
    "regression of logarithms": {"kind": "linear", "formula": "log(pay) ~ age + C(sex)", "decimals": 3},
    "logistic regression": {"kind": "logistic", "formula": "ill ~ age + C(sex)", "decimals": 2},
    "group means": {"kind": "means", "variables": ["age"], "by": ["sex"], "decimals": 1},
    "survival at three times": {
        "kind": "survival",
        "time": "age",
        "event": "ill",
        "times": [30, 50, 70],
        "decimals": 2,
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAFE)
def test_everyday_output_is_released(name: str) -> None:
    rng = np.random.default_rng(8)  # any seed: nothing has to do with anything
    n = 600
    columns = {"age": rng.integers(20, 80, n), "pay": 10 * rng.integers(80, 200, n), "ill": rng.integers(0, 2, n)}
    table = small_table(
        sex=["m" if s else "f" for s in rng.integers(0, 2, n)], **{k: v.tolist() for k, v in columns.items()}
    )
    # Searches end long before: the limit is for a machine that is busy.
    settings = {"design": HALVES, "synthesiser": {"kind": "descent", "seconds": 60}}
    found = assess(ready({**SAFE[name], "compute": True}, table=table, **settings), workers=1)
    assert found.verdict == "release", found.record["reasons"]
