"""Responses from coefficients in an assessment: claimed only where proved, refused where the scenario grants it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from divulge.assess.arithmetic import work_out
from divulge.attacks import Submitted
from divulge.attacks.responses import Question, Responses, questions_of
from divulge.lattice.responses import recover
from divulge.outputs import as_read
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.kinds.quantile_regression import QuantileRegression
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.output import Output
from divulge.policy import Breach
from divulge.scenario import Scenario
from divulge.table import Table
from divulge.table.coarsening import Coarsening
from tests.support.assessing import ready
from tests.support.tables import small_table


def _people(n_rows: int) -> Table:
    rng = np.random.default_rng(n_rows)
    age, dose = rng.integers(18, 90, n_rows), rng.integers(1, 1000, n_rows)
    ill = rng.random(n_rows) < 1 / (1 + np.exp(-(age - 50) / 40))
    return small_table(
        ILL=[int(i) for i in ill],
        AGE=[int(a) for a in age],
        DOSE=[int(d) for d in dose],
        SEX=["f", "m"] * (n_rows // 2),
    )


def _submitted(output: Output, table: Table, *scenarios: Scenario) -> Submitted:
    released = output.publish(output.evaluate(table), table.schema)
    return Submitted((output,), (released,), table, scenarios)


def _logistic(decimals: int) -> Logistic:
    return Logistic(formula="ILL ~ AGE + DOSE + C(SEX)", decimals=decimals)


def test_many_digits_of_few_people_give_every_response_away() -> None:
    table = _people(20)
    found = Responses().find(_submitted(_logistic(9), table))
    assert [f.severity.value for f in found] == ["review"]
    assert found[0].people.all()
    assert "works out ILL of 20 of them" in found[0].sentence
    assert "significant digit" in found[0].sentence


def test_intruder_who_is_granted_the_predictors_makes_it_a_refusal() -> None:
    granted = Scenario(("AGE",), "ILL", knows="predictors")
    found = Responses().find(_submitted(_logistic(9), _people(20), granted))
    assert [f.severity.value for f in found] == ["refuse"]


@pytest.mark.parametrize("output", [_logistic(0), Linear(formula="ILL ~ C(SEX)", decimals=1)])
def test_few_digits_give_nobody_away(output: Output) -> None:
    assert Responses().find(_submitted(output, _people(40))) == []


def test_only_people_of_the_regression_are_named() -> None:
    table = _people(60)
    output = Logistic(formula="ILL ~ AGE + DOSE", decimals=10, where="AGE < 40")
    found = Responses().find(_submitted(output, table))
    ages = table.schema["AGE"].numbers[table["AGE"]]
    assert found
    assert not found[0].people[ages >= 40].any()


def test_more_people_than_the_attack_can_do_are_left_alone() -> None:
    assert Responses().find(_submitted(_logistic(9), _people(62))) == []


def test_coarse_variables_hide_nobody_whose_sums_are_printed() -> None:
    table = _people(20)
    output = as_read(Logistic(formula="ILL ~ AGE + DOSE", decimals=9, coarser={"AGE": Coarsening(top=80.0)}))
    found = Responses().find(_submitted(output, table))
    assert found[0].people.all()
    # Of a coarse response it is the coarse value that follows, for each of its finer ones.
    output = as_read(Linear(formula="AGE ~ DOSE", decimals=12, coarser={"AGE": Coarsening(top=30.0)}))
    (few,) = output.few_people(table, output.publish(output.evaluate(table), table.schema), 60)
    assert len(few.coding) == table.schema["AGE"].n_codes
    assert few.values.max() == 30.0
    assert few.says.agrees(few.coding[table["AGE"]][None]).all()


def test_a_slope_of_nothing_but_rounding_hides_nobody() -> None:
    table = _people(40)
    ill = table.take(np.flatnonzero(table["ILL"] == 1)[:9])  # all of them are ill: slopes are 0, printed as 1e-18
    submitted = _submitted(Linear(formula="ILL ~ AGE + DOSE", significant=4), ill)
    assert 0 < np.abs(submitted.printed[0].values[1:]).max() < 1e-12
    found = Responses().find(submitted)
    assert found[0].people.all()


def test_effects_that_are_not_printed_do_not_hide_responses() -> None:
    table = _people(20)
    output = FixedEffects(formula="ILL ~ AGE + DOSE", absorb="SEX", decimals=12)
    found = Responses().find(_submitted(output, table))
    (few,) = output.few_people(table, output.publish(output.evaluate(table), table.schema), 60)
    alone = recover([few.says], few.values, 20, seconds=20.0)
    assert alone.determined.any()
    truth = few.coding[table["ILL"]]
    assert np.array_equal(alone.values[alone.determined], truth[alone.determined])
    assert np.array_equal(found[0].people, alone.determined)


@pytest.mark.parametrize(
    ("output", "seed"),  # seeds with which false claims were made when these were taken for linear models
    [
        (QuantileRegression(formula="ILL ~ AGE", significant=2), 3),
        (QuantileRegression(formula="ILL ~ AGE", significant=3), 4),
        (Probit(formula="ILL ~ AGE", significant=1), 9),
    ],
)
def test_models_whose_scores_are_no_plain_sums_are_not_taken_for_linear_ones(output: Output, seed: int) -> None:
    table = _people(20).take(np.random.default_rng(seed).permutation(20)[:10])
    assert Responses().find(_submitted(output, table)) == []


def test_finding_is_a_reason_of_the_verdict_with_its_remedy() -> None:
    spec: dict[str, Any] = {"kind": "logistic", "formula": "ILL ~ AGE + DOSE", "decimals": 9, "compute": True}
    plan = ready(spec, table=_people(20), scenario={"target": "ILL", "keys": ["AGE"], "knows": "predictors"})
    breaches = work_out(plan).breaches([0])
    mine = [b for b in breaches if "works out ILL" in b.sentence]
    assert mine == [Breach(mine[0].sentence, "refuse", 20, Responses.remedy)]


def test_bits_stand_beside_what_was_found_and_people_outside_are_spoken_of() -> None:
    found = Responses().find(_submitted(_logistic(9), _people(20)))
    assert "bits, the responses 20 (a bit is one answer of yes or no)." in found[0].sentence
    assert found[0].sentence.startswith("Whoever knows AGE, DOSE and SEX of all 20 people works out ILL")
    assert "of people who are not in the data the same figures prove nothing" in found[0].sentence


def test_digits_beyond_what_whole_numbers_tell_are_not_counted() -> None:
    table = _people(20)
    held = [questions_of(_submitted(_logistic(decimals), table))[0].bits().printed for decimals in (7, 9, 12)]
    assert held[0] == held[1] == held[2] < 60


def test_not_found_in_time_is_a_note_with_the_bits_and_never_silence() -> None:
    # No time at all, on a question that has an answer.
    found = Responses(seconds=0.0).find(_submitted(_logistic(9), _people(40)))
    assert [f.severity.value for f in found] == ["note"]
    assert "no proof of safety" in found[0].sentence
    assert "the responses 40." in found[0].sentence
    assert not found[0].people.any()


def _together(table: Table, *outputs: Output, knows: Any = "marginals") -> Submitted:
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in outputs)
    return Submitted(outputs, released, table, (Scenario(("AGE",), "ILL", knows=knows),))


def test_outputs_that_give_nobody_away_alone_do_so_together() -> None:
    table = small_table(ILL=[0, 1, 1, 1, 0, 0], A=list("aaabbb"), B=list("xyxyxy"), AGE=[1, 2, 3, 4, 5, 6])
    by_a, by_b = Means(variables=("ILL",), by=("A",), decimals=2), Means(variables=("ILL",), by=("B",), decimals=2)
    regression = Linear(formula="ILL ~ AGE", decimals=1)
    alone = [Responses().find(_together(table, o)) for o in (by_a, by_b, regression)]
    assert [len(f) for f in alone] == [0, 0, 0]
    found = Responses().find(_together(table, by_a, by_b, regression))
    truth = _determined_by_brute_force(table, (by_a, by_b, regression))
    assert np.array_equal(found[0].people, truth)
    assert truth.any()
    assert "these figures together" in found[0].sentence


def _determined_by_brute_force(table: Table, outputs: tuple[Output, ...]) -> Any:
    released = [o.publish(o.evaluate(table), table.schema) for o in outputs]
    fitting = []
    for codes in product((0, 1), repeat=table.n_rows):
        other = Table(table.schema, (np.array(codes, dtype=np.uint8), *table.columns[1:]))
        if all(r.agrees(o.evaluate(other).values).all() for o, r in zip(outputs, released, strict=True)):
            fitting.append(codes)
    every = np.array(fitting)
    return (every == every[0]).all(axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_means_deviations_and_shares_together_are_what_brute_force_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 8
    table = small_table(
        ILL=[0, 1, *(int(i) for i in rng.integers(0, 2, n - 2))],
        A=[*"ab", *rng.choice(list("ab"), n - 2)],
        B=[*"xy", *rng.choice(list("xy"), n - 2)],
        AGE=list(range(n)),
    )
    outputs: tuple[Output, ...] = (
        Means(variables=("ILL",), by=("A",), decimals=2),
        Shape(variables=("ILL",), by=("B",), show=("sd",), decimals=2, empty="allow"),
        Crosstab(variables=("B", "ILL"), statistic="row percentages", decimals=1),
        Linear(formula="ILL ~ AGE", decimals=2),
    )
    truth = _determined_by_brute_force(table, outputs)
    found = Responses().find(_together(table, *outputs))
    named = np.any([np.zeros(n, dtype=bool), *(f.people for f in found)], axis=0)
    # Those whose own group has one value are told of by another rule.
    assert not (named & ~truth).any()
    alike = np.zeros(n, dtype=bool)
    for by in ("A", "B"):
        for value in (0, 1):
            rows = table[by] == value
            alike |= rows & (len(set(table["ILL"][rows].tolist())) == 1)
    assert (named | alike)[truth].all()


def test_class_of_a_small_group_alone_is_left_to_its_rule() -> None:
    table = small_table(ILL=[1, 1, 1, 0, 1, 0], A=list("aaabbb"), AGE=[1, 2, 3, 4, 5, 6])
    assert Responses().find(_together(table, Means(variables=("ILL",), by=("A",), decimals=2))) == []


@pytest.mark.parametrize(
    ("knows", "where", "severity"),
    [
        ("predictors of a group", None, "review"),
        ("predictors of a group", "AGE < 80", "refuse"),
        ("predictors", None, "refuse"),
        ("marginals", None, "review"),
    ],
)
def test_register_of_a_group_is_for_outputs_of_that_group_alone(knows: Any, where: str | None, severity: str) -> None:
    table = _people(20)
    output = Logistic(formula="ILL ~ AGE + DOSE", decimals=9, where=where)
    found = Responses().find(_submitted(output, table, Scenario(("AGE",), "ILL", knows=knows)))
    assert [f.severity.value for f in found] == [severity]


@pytest.mark.slow
def test_one_person_whose_predictors_are_unknown_is_tried_with_all_that_they_may_be() -> None:
    rng = np.random.default_rng(3)
    n = 6
    weight = [1, 2, 4, 8, 16, 32]
    table = small_table(ILL=[0, 1, 1, 0, 1, 0], DOSE=[int(w) for w in rng.permutation(weight)])
    output = Linear(formula="ILL ~ DOSE", decimals=12)
    granted = Scenario(("DOSE",), "ILL", knows="predictors of all but one")
    attack = Responses(seconds=20.0)
    submitted = _submitted(output, table, granted)
    few = output.few_people(table, submitted.printed[0], 60)[0]
    assert few.possible is not None
    question = Question((0,), (few,))
    whole = recover(question.says, few.values, n)
    still = attack._without_one(question, whole)
    # Brute force over the person who is unknown, what they may have, and every response.
    shown = submitted.printed[0]
    best = np.zeros(n, dtype=bool)
    for one in range(n):
        fitting = []
        for dose in range(len(weight)):
            for codes in product((0, 1), repeat=n):
                doses = table["DOSE"].copy()
                doses[one] = dose
                other = Table(table.schema, (np.array(codes, dtype=np.uint8), doses))
                if shown.agrees(output.evaluate(other).values).all():
                    fitting.append(codes)
        alike = (np.array(fitting) == fitting[0]).all(axis=0)
        alike[one] = False
        if alike.any():
            best = alike
            break
    assert np.array_equal(still, best)


_PRICES = [17, 96, 23, 310, 155]


def _of_five(others: int) -> Submitted:
    """A regression on five people; beside them so many people have each of their prices."""
    table = small_table(
        PRICE=_PRICES * (others + 1),
        AGE=[31, 74, 28, 55, 47] * (others + 1),
        PART=["in"] * 5 + ["out"] * 5 * others,
    )
    return _submitted(Linear(formula="PRICE ~ AGE", decimals=2, where="PART = 'in'"), table)


def test_prices_of_five_people_are_not_all_the_prices_that_there_are() -> None:
    assert [f for f in Responses().find(_of_five(others=0)) if f.severity.value != "note"] == []


def test_prices_that_many_people_have_are_all_that_there_are() -> None:
    (found,) = Responses().find(_of_five(others=9))
    assert "works out PRICE of 5 of them" in found.sentence


def test_grades_of_few_people_without_gaps_are_claimed_as_ever() -> None:
    table = small_table(GRADE=[1, 2, 5, 3, 4, 1], AGE=[31, 74, 28, 55, 47, 69])
    found = Responses().find(_submitted(Linear(formula="GRADE ~ AGE", decimals=9), table))
    assert [f.severity.value for f in found] == ["review"]


@pytest.mark.parametrize(
    ("prices", "is_more"), [([17.0, 96.5, 23.25, 310.0, 155.0], True), ([1.0, 2.0, 3.0, 4.0, 5.0], False)]
)
def test_bits_of_values_are_those_of_all_multiples_of_their_step(prices: list[float], is_more: bool) -> None:
    table = small_table(PRICE=prices, AGE=[31, 74, 28, 55, 47])
    (question,) = questions_of(_submitted(Linear(formula="PRICE ~ AGE", decimals=2), table))
    assert (question.bits().secret > 5 * np.log2(5) + 1) == is_more
