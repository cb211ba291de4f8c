"""Figures of few people against the bits of their values, where nobody solves them: a review, and never silence."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks import Submitted
from divulge.attacks.held import MoreThanPeople
from divulge.attacks.responses import Responses
from divulge.outputs import as_read
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.kinds.gamma import Gamma
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.kinds.rank_correlation import RankCorrelation
from divulge.outputs.kinds.t_test import TTest
from divulge.outputs.output import Output
from divulge.table import Table
from divulge.table.coarsening import Coarsening
from tests.support.tables import small_table


def _people(n: int) -> Table:
    rng = np.random.default_rng(n)
    age, dose = rng.integers(18, 90, n), rng.integers(1, 1000, n)
    return small_table(
        ILL=[int(i) for i in rng.integers(0, 2, n)],
        GRADE=[("a", "b", "c")[i] for i in rng.integers(0, 3, n)],
        VISITS=[int(v) for v in rng.integers(1, 6, n)],
        WEEKS=[int(w) for w in rng.permutation(5 * n)[:n] + 1],
        DEAD=[int(i) for i in rng.random(n) < 0.8],
        AGE=[int(a) for a in age],
        DOSE=[int(d) for d in dose],
        SCORE=[int(s) for s in rng.integers(1, 8, n)],
        SEX=["f", "m"] * (n // 2),
    )


def _submitted(output: Output, table: Table) -> Submitted:
    return Submitted((output,), (output.publish(output.evaluate(table), table.schema),), table, ())


_MANY: tuple[Output, ...] = (
    Cox(formula="WEEKS ~ AGE + DOSE + SCORE + C(SEX)", event="DEAD", decimals=8),
    Gamma(formula="VISITS ~ AGE + DOSE + C(SEX)", decimals=8),
    Probit(formula="ILL ~ AGE + DOSE", decimals=8),
    Multinomial(formula="GRADE ~ AGE + DOSE", decimals=8),
    Linear(formula="ILL ~ AGE", statistics=("se", "r2"), decimals=10),
)


@pytest.mark.parametrize("output", _MANY[:4], ids=lambda o: o.kind)
def test_many_digits_of_few_people_are_a_review_with_the_digits_to_print(output: Output) -> None:
    (found,) = MoreThanPeople().find(_submitted(output, _people(24)))
    assert found.severity.value == "review"
    assert "though nobody has looked for them. Print no more than" in found.sentence
    assert found.people.any()


@pytest.mark.parametrize("output", [_MANY[0], _MANY[2]], ids=lambda o: o.kind)
def test_with_the_digits_that_are_named_nothing_is_said(output: Output) -> None:
    table = _people(24)
    (found,) = MoreThanPeople().find(_submitted(output, table))
    digits = int(found.sentence.split("no more than ")[1].split()[0])
    fewer = type(output)(**{**vars(output), "decimals": None, "significant": digits})
    assert MoreThanPeople().find(_submitted(fewer, table)) == []


@pytest.mark.parametrize(
    "output",
    [
        Cox(formula="WEEKS ~ AGE + C(SEX)", event="DEAD", decimals=2),
        Probit(formula="ILL ~ AGE", decimals=2),
        Gamma(formula="VISITS ~ AGE", decimals=3),
        TTest(variable="AGE", by="SEX", decimals=3),
        Correlation(variables=("AGE", "DOSE", "SCORE"), decimals=3),
    ],
    ids=lambda o: o.kind,
)
def test_usual_digits_of_fifty_people_say_nothing(output: Output) -> None:
    assert MoreThanPeople().find(_submitted(output, _people(50))) == []


@pytest.mark.parametrize(
    "output",
    [
        TTest(variable="AGE", by="SEX", decimals=12),
        RankCorrelation(variables=("AGE", "DOSE"), decimals=12),
        Multinomial(formula="GRADE ~ C(SEX)", decimals=8),
        Linear(formula="AGE ~ VISITS", statistics=("se", "r2"), decimals=10),
    ],
    ids=lambda o: o.kind,
)
def test_sums_of_whole_numbers_tell_no_more_however_many_digits_are_printed(output: Output) -> None:
    assert MoreThanPeople().find(_submitted(output, _people(24))) == []


def test_correlations_with_many_others_tell_a_variable_of_few_values() -> None:
    output = Correlation(variables=("ILL", "AGE", "DOSE", "WEEKS"), decimals=10)
    (found,) = MoreThanPeople().find(_submitted(output, _people(12)))
    assert "what they have of ILL about 12" in found.sentence


def test_more_people_than_figures_can_tell_are_left_alone() -> None:
    assert MoreThanPeople().find(_submitted(_MANY[2], _people(62))) == []


def test_coarse_variables_are_counted_as_well() -> None:
    output = as_read(Probit(formula="ILL ~ AGE + DOSE", decimals=8, coarser={"AGE": Coarsening(top=80.0)}))
    assert len(MoreThanPeople().find(_submitted(output, _people(24)))) == 1


def test_what_another_attack_solves_is_said_once() -> None:
    submitted = _submitted(Logistic(formula="ILL ~ AGE + DOSE", decimals=9), _people(20))
    assert MoreThanPeople().find(submitted) == []


def test_without_time_figures_that_hold_everything_are_a_review() -> None:
    submitted = _submitted(Logistic(formula="ILL ~ AGE + DOSE", decimals=9), _people(12))
    (found,) = Responses(seconds=0.0).find(submitted)
    assert found.severity.value == "review"
    assert "no proof of safety" in found.sentence
    assert "less." in found.sentence
