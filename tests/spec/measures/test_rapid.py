"""RAPID on the paper's own examples and on tables that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Cart, Marginals
from divulge.demo import simulated_health
from divulge.errors import MeasureError, SpecError
from divulge.measures import Case, Exclusions, Scenario, measure
from divulge.measures.attackers.gains import Classes, Numbers, _error, _gain
from divulge.measures.families.rapid import Rapid, _attribution
from divulge.record import dumps
from divulge.table import Schema, Table, Variable
from divulge.terminal.measure_options import read_settings

KEYS = ("gender", "age", "education", "income", "health_score")
HEALTH = Scenario(KEYS, "disease_status")
QUICK = {"n_trees": 20, "n_resamples": 20, "n_permutations": 19}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def categories(*columns: list[int], missing: tuple[None, ...] = ()) -> Table:
    """Text variables k0, k1, …, and the target t last."""
    names = [*(f"k{i}" for i in range(len(columns) - 1)), "t"]
    size = 1 + max(max(c, default=0) for c in columns)
    levels = np.array([f"level {i}" for i in range(size)], dtype=object)
    schema = Schema(tuple(Variable(n, "categorical", levels, missing=missing) for n in names))
    return Table(schema, tuple(np.array(c, dtype=np.int64) for c in columns))


def numbers(keys: list[int], target: list[float], missing: list[int] | None = None) -> Table:
    values = np.unique(target)
    variable = Variable("t", "numeric", values, missing=(None,))
    codes = np.searchsorted(values, target)
    codes[missing or []] = len(values)
    key = Variable("k0", "categorical", np.array(["a", "b", "c"], dtype=object))
    return Table(Schema((key, variable)), (np.array(keys), codes))


def test_gain_is_that_of_the_papers_categorical_example() -> None:
    r = _gain(np.array([0.70, 0.85, 0.55]), np.array([0.60, 0.60, 0.60]))
    assert r == pytest.approx([0.25, 0.625, -0.125])
    assert (r > 0.3).mean() == pytest.approx(0.33, abs=0.005)  # the paper prints two decimals


def test_error_is_that_of_the_papers_continuous_example() -> None:
    truth, predicted = np.array([50_000.0, 35_000.0, 80_000.0]), np.array([47_000.0, 39_000.0, 90_000.0])
    e = _error(truth, predicted, "relative")
    assert 100 * e == pytest.approx([6.0, 11.4, 12.5], abs=0.05)
    assert (e < 0.10).mean() == pytest.approx(0.33, abs=0.005)


def test_certain_guess_has_gain_one_and_guess_at_the_baseline_gain_zero() -> None:
    assert _gain(np.array([1.0, 0.6, 0.0]), np.array([0.6, 0.6, 0.6])) == pytest.approx([1.0, 0.0, -1.5])


def test_gain_at_the_threshold_and_error_at_the_tolerance_are_no_risk() -> None:
    classes = Classes(np.array([[0.625, 0.375], [0.75, 0.25], [0.5, 0.5], [0.5, 0.5]]), np.array([0, 0, 1, 1]))
    # Gains of 0.25, 0.5, 0 and 0: exact in binary, so that equality is equality.
    assert classes.curve([0.25, 0.5, 0.0]) == [0.25, 0.0, 0.5]
    near = Numbers(np.array([7.0, 6.0]), np.array([8.0, 8.0]), "relative")
    assert near.curve([0.125, 0.25]) == [0.0, 0.5]


def test_keys_that_determine_the_target_put_everybody_at_risk() -> None:
    keys = [i % 3 for i in range(60)]
    table = categories(keys, keys)
    found = Rapid(**QUICK).estimate(Case(table, table, Scenario(("k0",), "t")), rng())
    assert {name: e.value for name, e in found.items()} == dict.fromkeys(found, 1.0)
    assert found["RAPID"].numerator == found["RAPID"].denominator == 60
    assert found["RAPID"].baseline == 0.0


def test_keys_that_say_nothing_put_hardly_anybody_at_risk() -> None:
    draw = rng(4)
    people, synthetic = (categories(*draw.integers(0, 2, (2, 400)).tolist()) for _ in range(2))
    found = Rapid(**QUICK).estimate(Case(people, synthetic, Scenario(("k0",), "t")), rng())
    assert found["RAPID_max"].value == 0.0


def test_class_that_the_synthetic_data_lack_has_probability_zero() -> None:
    keys = [i % 2 for i in range(40)]
    people = categories(keys, [2 if i < 10 else k for i, k in enumerate(keys)])
    synthetic = Table(people.schema, (np.array(keys), np.array(keys)))
    found = Rapid(**QUICK).estimate(Case(people, synthetic, Scenario(("k0",), "t"), with_scores=True), rng())
    for name in ("RAPID", "RAPID_gbm", "RAPID_cart", "RAPID_l1"):
        scores = found[name].scores
        assert scores is not None
        assert not np.isnan(scores).any()
        assert not scores[:10].any()
        by_class = {row["level"]: row for row in found[name].details["by_class"]}
        assert by_class["level 2"] == {"level": "level 2", "n": 10, "at_risk": 0, "share": 0.0, "baseline": 0.25}


@pytest.mark.slow
def test_text_target_is_read_as_classes() -> None:
    table = simulated_health(150, kappa=10.0)
    synthetic = Cart().synthesise(table, None, rng())
    found = measure(table.to_pandas(), synthetic.to_pandas(), KEYS, "disease_status", measures=["rapid"],
                    settings={"rapid": QUICK})  # fmt: skip
    assert 0.5 < found["RAPID"].value <= 1.0


def test_numeric_target_works_with_the_default_tolerance() -> None:
    keys = [i % 3 for i in range(90)]
    table = numbers(keys, [100.0 + 50 * k for k in keys])
    found = Rapid(**QUICK).estimate(Case(table, table, Scenario(("k0",), "t")), rng())
    assert found["RAPID_max"].value == 1.0
    # The median, 150, is within 10 % of the 30 people who have it and of nobody else.
    assert found["RAPID"].baseline == pytest.approx(1 / 3)
    assert found["RAPID"].details["threshold"] == 0.10


def test_target_of_zero_has_no_relative_error_and_says_so() -> None:
    keys = [0, 1, 2] * 20
    table = numbers(keys, [0.0 if k == 0 else 100.0 * k for k in keys])
    found = Rapid(attackers=("cart",), **QUICK).estimate(
        Case(table, table, Scenario(("k0",), "t"), with_scores=True), rng()
    )["RAPID_cart"]
    assert (found.numerator, found.denominator, found.value) == (40, 40, 1.0)
    assert any("20 people whose target is 0" in c for c in found.caveats)
    assert found.scores is not None
    assert np.isnan(found.scores).sum() == 20


def test_missing_numbers_are_neither_learnt_nor_attacked() -> None:
    keys = [0, 1, 2] * 20
    table = numbers(keys, [100.0 * (1 + k) for k in keys], missing=[0, 1, 2, 3])
    found = Rapid(attackers=("cart",), **QUICK).estimate(Case(table, table, Scenario(("k0",), "t")), rng())
    assert found["RAPID_cart"].denominator == 56
    assert found["RAPID_cart"].value == 1.0
    assert any("4 people whose target is missing" in c for c in found["RAPID_cart"].caveats)


@pytest.mark.parametrize(
    ("kind", "epsilon", "value"),
    [("absolute", 5.0, 1 / 3), ("absolute", 60.0, 1.0), ("normalised", None, 1 / 3), ("normalised", 2.0, 1.0)],
)
def test_other_errors_are_measured_in_their_own_units(kind: str, epsilon: float | None, value: float) -> None:
    # A synthetic file with one number only: every guess is 150, and the errors are 50, 0, 50 (deviation 40.8).
    people = numbers([0, 1, 2] * 10, [100.0, 150.0, 200.0] * 10)
    synthetic = people.take(people["t"] == 1)
    family = Rapid(error=kind, epsilon=epsilon, attackers=("cart",), **QUICK)  # type: ignore[arg-type]
    found = family.estimate(Case(people, synthetic, Scenario(("k0",), "t")), rng())
    assert found["RAPID_cart"].value == pytest.approx(value)


def test_absolute_error_without_a_tolerance_is_rejected() -> None:
    table = numbers([0, 1, 2], [1.0, 2.0, 3.0])
    with pytest.raises(MeasureError, match="needs a tolerance"):
        Rapid(error="absolute").estimate(Case(table, table, Scenario(("k0",), "t")), rng())


def test_synthetic_data_with_one_class_leave_it_undefined() -> None:
    people = categories([0, 1] * 10, [0, 1] * 10)
    synthetic = Table(people.schema, (np.array([0, 1] * 10), np.zeros(20, dtype=int)))
    found = Rapid(**QUICK).estimate(Case(people, synthetic, Scenario(("k0",), "t")), rng())
    assert all(np.isnan(e.value) for e in found.values())
    assert all("one target value only" in e.caveats[0] for e in found.values())


def test_people_with_one_class_leave_it_undefined() -> None:
    people = categories([0, 1] * 10, [0, 1] * 10)
    same = Table(people.schema, (np.array([0, 1] * 10), np.zeros(20, dtype=int)))
    found = Rapid(**QUICK).estimate(Case(same, people, Scenario(("k0",), "t")), rng())
    assert all("the same target value" in e.caveats[0] for e in found.values())


@pytest.mark.parametrize(("people", "synthetic"), [(0, 20), (20, 0)])
def test_tables_without_rows_leave_it_undefined(people: int, synthetic: int) -> None:
    table = categories([0, 1] * 10, [0, 1] * 10)
    case = Case(table.take(slice(0, people)), table.take(slice(0, synthetic)), Scenario(("k0",), "t"))
    found = Rapid(**QUICK).estimate(case, rng())
    assert all(np.isnan(e.value) and e.caveats for e in found.values())


@pytest.mark.parametrize(
    "settings",
    [{"tau": 1.0}, {"tau": -0.1}, {"tau": float("nan")}, {"epsilon": 0.0}, {"epsilon": float("nan")}, {"error": "odd"},
     {"attackers": ()}, {"attackers": ("rf", "rf")}, {"attackers": ("svm",)}, {"n_trees": 0}, {"n_resamples": -1}],
)  # fmt: skip
def test_rapid_rejects_impossible_settings(settings: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        Rapid(**settings)  # type: ignore[arg-type]


def test_attackers_may_be_named_in_one_text() -> None:
    given = read_settings(["rapid.attackers=cart,l1"], None)["rapid"]
    assert Rapid(**given).names() == ["RAPID_cart", "RAPID_l1", "RAPID_mean", "RAPID_max"]


@pytest.mark.slow
def test_rapid_is_the_same_however_many_cores_are_used() -> None:
    people = simulated_health(200, kappa=2.0)
    case = Case(people, Cart().synthesise(people, None, rng()), HEALTH)
    one, two = (Rapid(n_jobs=n, **QUICK).estimate(case, rng(7)) for n in (1, 2))
    assert dumps(one) == dumps(two)
    assert dumps(one) != dumps(Rapid(**QUICK).estimate(case, rng(8)))


@pytest.mark.slow
def test_holdout_is_attacked_by_the_same_models() -> None:
    people, holdout = (simulated_health(200, kappa=2.0, seed=s) for s in (1, 2))
    synthetic = [Cart().synthesise(people, None, rng(s)) for s in (1, 2)]
    options = {"measures": ["rapid"], "settings": {"rapid": QUICK}}
    found = measure(people, synthetic, KEYS, "disease_status", holdout=holdout, **options)  # type: ignore[arg-type]
    # The same attack on the holdout alone: what was remembered from the first is what a new model says.
    for number in (0, 1):
        alone = measure(holdout, synthetic[number], KEYS, "disease_status", **options)  # type: ignore[arg-type]
        assert found.holdout["RAPID"][number].value == alone["RAPID"].value
        assert found.difference["RAPID"][number].anonymeter == pytest.approx(
            (found.measures["RAPID"][number].value - alone["RAPID"].value) / (1 - alone["RAPID"].value)
        )


@pytest.mark.slow
def test_mean_and_maximum_are_those_of_the_attackers() -> None:
    people = simulated_health(200, kappa=2.0)
    case = Case(people, Cart().synthesise(people, None, rng()), HEALTH, with_scores=True)
    found = Rapid(**QUICK).estimate(case, rng())
    each = [found[n].value for n in ("RAPID", "RAPID_gbm", "RAPID_cart", "RAPID_l1")]
    assert found["RAPID_mean"].value == pytest.approx(np.mean(each))
    assert found["RAPID_max"].value == max(each)
    assert len(set(each)) > 1
    for e in found.values():
        assert e.scores is not None
        assert np.nanmean(e.scores) == pytest.approx(e.value)
        assert e.interval is not None
        assert e.interval.low <= e.value <= e.interval.high


def test_curve_falls_with_the_threshold_and_passes_through_the_value() -> None:
    people = simulated_health(200, kappa=2.0)
    case = Case(people, Cart().synthesise(people, None, rng()), HEALTH)
    found = Rapid(attackers=("rf",), **QUICK).estimate(case, rng())["RAPID"]
    along = found.details["curve"]
    assert (np.diff(along["shares"]) <= 0).all()
    assert along["shares"][along["thresholds"].index(0.3)] == found.value


def test_excluded_people_are_not_at_risk_but_still_counted() -> None:
    keys = [i % 2 for i in range(40)]
    table = categories(keys, keys)
    out = Exclusions(target_levels=(("t", "level 0"),))
    found = Rapid(attackers=("cart",), **QUICK).estimate(
        Case(table, table, Scenario(("k0",), "t"), exclusions=out), rng()
    )["RAPID_cart"]
    assert (found.numerator, found.denominator) == (20, 40)
    assert found.details["curve"]["shares"][0] == 0.5


def test_bootstrap_interval_holds_the_value_and_narrows_with_people() -> None:
    widths = []
    for n in (50, 800):
        truth = np.arange(n) % 2
        g = np.where(np.arange(n) % 4 < 2, 0.9, 0.4)
        inference = Classes(np.column_stack([np.where(truth == c, g, 1 - g) for c in (0, 1)]), truth)
        interval = inference.bootstrap(0.3, 200, rng())
        assert interval is not None
        assert interval.low <= 0.5 <= interval.high
        widths.append(interval.high - interval.low)
    # Four times narrower for sixteen times the people, up to what 200 resamples leave to chance.
    assert widths[1] == pytest.approx(widths[0] / 4, rel=0.3)


def test_null_finds_nothing_in_guesses_that_know_nothing() -> None:
    draw = rng(3)
    truth = draw.integers(0, 3, 300)
    blind = Classes(draw.dirichlet([1, 1, 1], 300), truth)
    sharp = Classes(0.9 * np.eye(3)[truth] + 0.1 / 3, truth)
    grid = [0.0, 0.1, 0.3, 0.5, 0.7]
    nothing, everything = (i.permutation_null(0.3, grid, 99, rng()) for i in (blind, sharp))
    assert nothing is not None
    assert everything is not None
    assert nothing.p > 0.05
    assert everything.p == 0.01
    assert everything.quantile == pytest.approx(1 / 3, abs=0.1)
    assert everything.threshold == 0.0


def test_null_threshold_leaves_out_thresholds_that_chance_reaches() -> None:
    # 20 people are known; all others are taken for the other class, with a probability of 0.8.
    truth = np.array([0, 1] * 10 + [1] * 90 + [0] * 90)
    wrong = np.column_stack([np.where(truth == 1, 0.8, 0.2), np.where(truth == 1, 0.2, 0.8)])
    inference = Classes(np.where((np.arange(200) < 20)[:, None], np.eye(2)[truth], wrong), truth)
    found = inference.permutation_null(0.3, [0.0, 0.3, 0.5, 0.7, 0.9], 99, rng())
    assert found is not None
    # Permuted, about half of everybody would gain 0.6, which is more than the known 10 %; above 0.6 only the known
    # ones are left, and half of them when permuted.
    assert inference.curve([0.5, 0.7]) == [pytest.approx(0.1), pytest.approx(0.1)]
    assert found.threshold == 0.7


def test_null_threshold_does_not_reach_below_a_gap() -> None:
    # 60 people are known with 0.8, 70 taken for the other class with 0.7, 70 known with 0.55: gains 0.6, −0.4, 0.1.
    truth = np.array([0, 1] * 100)
    g = np.array([0.8] * 60 + [0.3] * 70 + [0.55] * 70)
    inference = Classes(np.column_stack([np.where(truth == c, g, 1 - g) for c in (0, 1)]), truth)
    assert inference.curve([0.0, 0.3, 0.5]) == [0.65, 0.3, 0.3]
    found = inference.permutation_null(0.3, [0.0, 0.3, 0.5], 99, rng())
    assert found is not None
    # Permuted, half of 200 are at risk at 0 (fewer than 130), half of 130 at 0.3 (more than 60), half of 60 at 0.5.
    assert found.threshold == 0.5


def test_small_levels_are_put_together_in_the_attribution() -> None:
    keys = [0] * 50 + [1] * 50 + [2] * 9 + [3] * 3
    table = categories(keys, [k % 2 for k in keys])
    found = Rapid(attackers=("cart",), **QUICK).estimate(Case(table, table, Scenario(("k0",), "t")), rng())
    rows = found["RAPID_cart"].details["attribution"]
    assert [(r["level"], r["n"]) for r in rows] == [("level 0", 50), ("level 1", 50), ("other", 12)]


def test_attribution_tells_thirty_levels_of_a_key_apart() -> None:
    keys = [k for k in range(35) for _ in range(10 + k)]
    rows = _attribution(categories(keys, keys), ("k0",), np.arange(len(keys)) % 2 == 0)
    assert len(rows) == 31
    # The five smallest levels, of 10 to 14 people.
    assert (rows[-1]["level"], rows[-1]["n"]) == ("other", 60)


def test_single_tree_leaves_out_splits_that_gain_less_than_one_per_cent() -> None:
    # Without a split 900 people of class 1 and those with level 1, who are all of class 1, are called class 0. Setting
    # level 1 apart gains 8 of 908 (0.9 %) or 25 of 925 (2.7 %); rpart's limit is 1 % of the root's risk.
    for turned, seen in ((8, 0.0), (25, 1.0)):
        keys = [0] * 2000 + [1] * turned
        table = categories(keys, [0] * 1100 + [1] * 900 + [1] * turned)
        found = Rapid(attackers=("cart",), **QUICK).estimate(
            Case(table, table, Scenario(("k0",), "t"), with_scores=True), rng()
        )["RAPID_cart"]
        assert found.scores is not None
        assert found.scores[2000:].mean() == seen


def test_attribution_finds_the_level_that_is_at_risk() -> None:
    # Level 0 of k0 determines the target, levels 1 and 2 say nothing; k1 says nothing at all.
    draw = rng(6)
    k0, k1 = draw.integers(0, 3, 600), draw.integers(0, 2, 600)
    t = np.where(k0 == 0, 1, draw.integers(0, 2, 600))
    table = categories(k0.tolist(), k1.tolist(), t.tolist())
    found = Rapid(attackers=("cart",), **QUICK).estimate(Case(table, table, Scenario(("k0", "k1"), "t")), rng())
    rows = {(r["key"], r["level"]): r for r in found["RAPID_cart"].details["attribution"]}
    assert rows["k0", "level 0"]["share"] == 1.0
    assert rows["k0", "level 0"]["is_separated"]
    assert rows["k0", "level 0"]["coefficient"] > 5 or rows["k0", "level 0"]["is_reference"]
    assert sum(r["is_reference"] for r in rows.values()) == 2
    assert sum(r["n"] for (key, _), r in rows.items() if key == "k1") == 600


def test_numbers_are_neither_right_nor_wrong() -> None:
    assert Numbers(np.array([1.0]), np.array([1.0]), "absolute").is_right() is None


@pytest.mark.slow
def test_small_version_of_the_papers_figure_5a() -> None:
    # 4 replications of 1,000 people and 60 trees: the standard error is about 0.015 at κ = 0, where one has 0.03.
    found = {}
    for kappa in (0.0, 10.0, 100.0):
        values = []
        for seed in (1, 2, 3, 4):
            people = simulated_health(1000, kappa=kappa, seed=seed)
            synthetic = Cart().synthesise(people, None, rng(seed))
            family = Rapid(attackers=("rf",), n_trees=60, n_resamples=0, n_permutations=0)
            values.append(family.estimate(Case(people, synthetic, HEALTH), rng(seed))["RAPID"].value)
        found[kappa] = np.mean(values)
    assert found[0.0] == pytest.approx(0.25, abs=0.05)
    assert found[10.0] == pytest.approx(0.864, abs=0.03)
    assert found[100.0] == pytest.approx(0.97, abs=0.04)


def test_marginals_alone_put_few_at_risk_where_cart_puts_many() -> None:
    people = simulated_health(400, kappa=10.0)
    family = Rapid(attackers=("cart",), **QUICK)
    values = [
        family.estimate(Case(people, made.synthesise(people, None, rng()), HEALTH), rng())["RAPID_cart"].value
        for made in (Cart(), Marginals())
    ]
    assert values[0] > 0.75
    assert values[1] < 0.35
