"""The model itself as an attack: exact for people who decide their own prediction, silent about everybody else."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks import Submitted
from divulge.attacks.model import ModelItself
from divulge.outputs.kinds.cloglog import Cloglog
from divulge.outputs.kinds.gamma import Gamma
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.negative_binomial import NegativeBinomial
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.output import Output
from divulge.scenario import Scenario
from divulge.table import Table
from tests.support.tables import small_table

LINEAR = Linear(formula="PAY ~ AGE + WEALTH", decimals=6)


def _people(n_rows: int, wealthiest: int, pay: int = 900) -> Table:
    """The last person's wealth is as given; with 200 people nobody else's says much about their pay."""
    rng = np.random.default_rng(5)  # any: what is asked holds for every draw
    age, wealth = rng.integers(18, 90, n_rows), rng.integers(0, 100, n_rows)
    paid = rng.integers(100, 400, n_rows)
    wealth[-1], paid[-1] = wealthiest, pay
    return small_table(
        PAY=[int(p) for p in paid],
        AGE=[int(a) for a in age],
        WEALTH=[int(w) for w in wealth],
        ILL=[int(p > 250) for p in paid],
    )


def _submitted(output: Output, table: Table, *scenarios: Scenario) -> Submitted:
    released = output.publish(output.evaluate(table), table.schema)
    return Submitted((output,), (released,), table, scenarios)


def test_person_who_decides_their_own_prediction_is_refused_and_nobody_else_is_named() -> None:
    found = ModelItself().find(_submitted(LINEAR, _people(200, 1_000_000)))
    assert [f.severity.value for f in found] == ["refuse"]
    assert np.flatnonzero(found[0].people).tolist() == [199]
    assert "PAY of 1 person" in found[0].sentence
    assert "900" not in found[0].sentence


@pytest.mark.parametrize(
    ("output", "pay"),
    [
        (Poisson(formula="PAY ~ WEALTH", decimals=9), 900),
        (Gamma(formula="PAY ~ WEALTH", decimals=9), 900),
        (NegativeBinomial(formula="PAY ~ WEALTH", decimals=9), 900),
        # Against what others with much wealth have.
        (Probit(formula="ILL ~ WEALTH", decimals=9), 100),
        (Cloglog(formula="ILL ~ WEALTH", decimals=9), 100),
    ],
    ids=lambda given: getattr(given, "kind", ""),
)
def test_outlier_decides_their_own_prediction_in_every_family(output: Output, pay: int) -> None:
    found = ModelItself().find(_submitted(output, _people(200, 3_000, pay)))
    assert [(f.severity.value, np.flatnonzero(f.people).tolist()) for f in found] == [("refuse", [199])]
    assert ModelItself().find(_submitted(output, _people(200, 50, 250))) == []


def test_ordinary_regression_says_nothing_of_anybody() -> None:
    assert ModelItself().find(_submitted(LINEAR, _people(200, 50, 250))) == []


def test_logistic_regression_gives_two_people_of_a_level_away_to_whoever_knows_it() -> None:
    table = _people(200, 50)
    area = ["a", "b"] * 99 + ["w", "w"]
    ill = [0, 1] * 50 + [1, 0] * 50
    both = small_table(ILL=ill, AREA=area, AGE=[int(a) for a in table["AGE"]])
    found = ModelItself().find(_submitted(Logistic(formula="ILL ~ C(AREA)"), both))
    assert [np.flatnonzero(f.people).tolist() for f in found] == [[198, 199]]


@pytest.mark.parametrize(
    ("keys", "severity"), [(("AGE", "WEALTH"), "refuse"), (("*",), "refuse"), (("AGE",), "review")]
)
def test_intruder_who_lacks_a_predictor_makes_it_a_review(keys: tuple[str, ...], severity: str) -> None:
    submitted = _submitted(LINEAR, _people(200, 1_000_000), Scenario(keys, "PAY"))
    assert [f.severity.value for f in ModelItself().find(submitted)] == [severity]


def test_prediction_without_a_person_is_that_of_the_model_fitted_without_them() -> None:
    table = _people(60, 400)
    released = LINEAR.publish(LINEAR.evaluate(table), table.schema)
    predicted = LINEAR.predictions(table, released)
    assert predicted is not None
    gone = 59
    others = np.arange(60) != gone
    x = np.column_stack([np.ones(60), *(table.schema[n].numbers[table[n]] for n in ("AGE", "WEALTH"))])
    y = table.schema["PAY"].numbers[table["PAY"]]
    by_refit = x[gone] @ np.linalg.lstsq(x[others], y[others], rcond=None)[0]
    error = (predicted.own - predicted.with_them)[gone] / (1 - predicted.leverage[gone])
    # Coefficients are printed with six decimals, and wealth is up to 400.
    assert y[gone] - error == pytest.approx(by_refit, abs=0.05)


def test_person_whose_weight_outweighs_all_others_is_told_and_nobody_else() -> None:
    table = _people(200, 50, pay=250)  # a pay that is not unusual: only the weight tells it
    columns = {n: [float(v) for v in table.schema[n].numbers[table[n]]] for n in ("PAY", "AGE", "WEALTH")}
    weighted = small_table(**columns, WEIGHT=[1.0] * 199 + [1e6])
    found = ModelItself().find(_submitted(Linear(formula="PAY ~ AGE", weights="WEIGHT", decimals=6), weighted))
    assert [np.flatnonzero(f.people).tolist() for f in found] == [[199]]


def test_survey_weights_of_usual_sizes_tell_nobody() -> None:
    table = _people(200, 50, pay=250)
    columns = {n: [float(v) for v in table.schema[n].numbers[table[n]]] for n in ("PAY", "AGE", "WEALTH")}
    weighted = small_table(**columns, WEIGHT=[1.0, 2.0, 4.0, 8.0] * 50)
    assert ModelItself().find(_submitted(Linear(formula="PAY ~ AGE", weights="WEIGHT", decimals=6), weighted)) == []
