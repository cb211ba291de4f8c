"""Cox regression by hand, beside statsmodels, and with rows that enter late."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from lifelines.datasets import load_lung

from divulge.errors import OutputError
from divulge.objective import Objective, Outcome, Target
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.released.computed import compute
from divulge.outputs.released.precision import Released
from divulge.synthesisers import Descent
from divulge.table import Schema, Table, Variable, table_from_frame
from tests.reference.models_of_r import VALUES
from tests.spec.outputs.beside import CENSUS, FEW, agree_with_r, frame

SCHEMA = Schema(
    (
        Variable("DAYS", "numeric", np.arange(1, 6)),
        Variable("START", "numeric", np.arange(0, 6)),
        Variable("DIED", "categorical", np.array(["no", "yes"])),
        Variable("DRUG", "categorical", np.array(["a", "b"])),
        Variable("SITE", "categorical", np.array(["x", "y"])),
    )
)


def people(days: list[int], died: list[int], drug: list[int], start: list[int] | None = None) -> Table:
    codes = ([d - 1 for d in days], start or [0] * len(days), died, drug, [0] * len(days))
    return Table(SCHEMA, tuple(np.array(c, dtype=np.uint8) for c in codes))


def test_one_covariate_solves_its_equation() -> None:
    # Deaths at 1 (b; at risk a, a, b, b), 2 (a; at risk a, a, b) and 3 (b; at risk a, b), with r = e^b:
    # 2 = 2r/(2 + 2r) + r/(2 + r) + r/(1 + r).
    found = Cox(formula="DAYS ~ DRUG", event="DIED").evaluate(people([1, 2, 3, 4], [1, 1, 1, 0], [1, 0, 1, 0]))
    r = np.exp(found.values[0])
    assert 2 * r / (2 + 2 * r) + r / (2 + r) + r / (1 + r) == pytest.approx(2.0)


def test_ties_by_breslow_and_by_efron() -> None:
    table = people([1, 1, 2, 3], [1, 1, 1, 0], [1, 0, 1, 0])
    breslow, efron = (
        np.exp(Cox(formula="DAYS ~ DRUG", event="DIED", ties=t).evaluate(table).values[0]) for t in ("breslow", "efron")
    )
    assert 2 * 2 * breslow / (2 + 2 * breslow) + breslow / (1 + breslow) == pytest.approx(2.0)
    # Efron: of the two tied ones half is gone when the second dies.
    halved = (2 * efron - efron / 2) / (2 + 2 * efron - (1 + efron) / 2)
    assert 2 * efron / (2 + 2 * efron) + halved + efron / (1 + efron) == pytest.approx(2.0)


def test_rows_that_enter_late_are_not_at_risk_before() -> None:
    table = people([1, 2, 3, 4], [1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0])
    r = np.exp(Cox(formula="DAYS ~ DRUG", event="DIED", entry="START").evaluate(table).values[0])
    # The third person enters after 1, so that at 1 a, a and b are at risk.
    assert r / (2 + r) + r / (2 + r) + r / (1 + r) == pytest.approx(2.0)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_cox_is_that_of_statsmodels(ties: Any) -> None:
    data = frame()
    exog = data[["SEX", "TENURE"]].apply(lambda c: c.cat.codes)
    for strata in ((), ("AREAP",)):
        codes = None if not strata else data["AREAP"].cat.codes
        theirs = sm.PHReg(data["AGE"], exog, status=data["ILL"], ties=ties, strata=codes).fit(disp=0)
        seen = CENSUS.schema["LTILL"].texts[0]
        found = Cox(formula="AGE ~ SEX + TENURE", event="LTILL", observed=seen, ties=ties, strata=strata).evaluate(
            CENSUS
        )
        assert found.values == pytest.approx(theirs.params, rel=1e-6)  # 1e-6: the aim for every model
        assert found.se == pytest.approx(theirs.bse, rel=1e-5)  # theirs stops a little before


def test_data_without_events_or_covariates_say_nothing() -> None:
    found = Cox(formula="DAYS ~ DRUG", event="DIED").evaluate(people([1, 2, 3], [0, 0, 0], [0, 1, 0]))
    assert found.status is Status.CONSTANT
    with pytest.raises(OutputError, match="covariate"):
        Cox(formula="DAYS ~ 1", event="DIED").check(SCHEMA)


def test_cox_is_that_of_r() -> None:
    until: dict[str, Any] = {"event": "LTILL", "observed": CENSUS.schema["LTILL"].texts[0]}
    agree_with_r(Cox(formula="AGE ~ SEX + TENURE", **until).evaluate(FEW), "cox efron")
    agree_with_r(Cox(formula="AGE ~ SEX + TENURE", ties="breslow", **until).evaluate(FEW), "cox breslow")
    agree_with_r(Cox(formula="AGE ~ TENURE", strata=("SEX",), **until).evaluate(FEW), "cox strata")


def _lung() -> Table:
    """The lung cancer data of R's survival, without the columns that the vignette's model has not."""
    data = load_lung().rename(columns={"ph.ecog": "ecog"})
    return table_from_frame(data[["time", "status", "age", "sex", "ecog"]])


LUNG: dict[str, Any] = {"formula": "time ~ age + sex + ecog", "event": "status", "observed": "1"}

PRINTED = {
    # coef, exp(coef), se(coef), z, Pr(>|z|), lower .95, upper .95, as summary() of R 4.2 with survival 3.5 prints them
    "age": ("0.011067", "1.011128", "0.009267", "1.194", "0.232416", "0.9929", "1.0297"),
    "sex": ("-0.552612", "0.575445", "0.167739", "-3.294", "0.000986", "0.4142", "0.7994"),
    "ecog": ("0.463728", "1.589991", "0.113577", "4.083", "4.45e-05", "1.2727", "1.9864"),
}


def test_every_figure_that_r_prints_of_the_lung_data_is_what_they_give() -> None:
    table = _lung()
    released: dict[str, Any] = {k: {"coef": v[0], "se": v[2]} for k, v in PRINTED.items()} | {"n": "227"}
    heads = {"z": 3, "p": 4, "hazard ratio": 1, "hazard ratio 2.5 %": 5, "hazard ratio 97.5 %": 6}
    released |= {f"{k} ({head})": PRINTED[k][i] for head, i in heads.items() for k in PRINTED}
    decimals = (*[6] * 3, 0, *[3] * 3, 6, 6, 7, *[6] * 3, *[4] * 6)
    beside = ("se", "n", "t", "p", "ratio", "ratio-interval")
    output = Cox(**LUNG, statistics=beside, released=released, decimals=decimals)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all()
    assert len(computed.agrees) == 19


def _embedded(output: Cox, table: Table, seed: int = 1) -> tuple[Released, Table, Outcome]:
    released = output.publish(output.evaluate(table), table.schema)
    marginals = {v.name: table.frequencies(v.name) / table.n_rows for v in table.schema}
    # Seconds: tens of times what an idle machine needs.
    found = Descent(seconds=60.0).embed(
        Objective(table.schema, (Target(output, released),), marginals), table.n_rows, seed=seed
    )
    return released, found.table, found.outcome


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_synthetic_people_reproduce_six_decimals_of_the_lung_data(ties: Any) -> None:
    output = Cox(**LUNG, ties=ties, statistics=("n",), decimals=(6, 6, 6, 0))
    assert _embedded(output, _lung())[2] is Outcome.REPRODUCED


@pytest.mark.slow
def test_synthetic_people_reproduce_what_the_vignette_prints_but_for_a_digit_of_p() -> None:
    # print(coxph(Surv(time, status) ~ age + sex + wt.loss, lung), digits=3): coef, exp(coef), se(coef), z, p
    data = load_lung().rename(columns={"wt.loss": "loss"})
    table = table_from_frame(data[["time", "status", "age", "sex", "loss"]])
    output = Cox(
        formula="time ~ age + sex + loss",
        event="status",
        observed="1",
        statistics=("se", "n", "t", "p", "ratio"),
        decimals=(*[5] * 3, 0, *[2] * 3, *[4] * 3, *[5] * 3),
    )
    released, found, outcome = _embedded(output, table)
    assert outcome is Outcome.REPRODUCED
    assert released.values[:3] == pytest.approx([0.02009, -0.52103, 0.00076])
    assert released.se is not None
    assert released.se[:3] == pytest.approx([0.00966, 0.17435, 0.00619])
    again = output.evaluate(found)
    assert again.se is not None
    is_p = np.char.endswith(list(released.labels), "(p)")
    assert released.agrees(again.values)[~is_p].all()
    assert released.agrees_se(again.se).all()
    # A p value of 0.9 with four decimals says more of its coefficient than five decimals of that do.
    assert np.abs(again.values - released.values)[is_p].max() < 1e-3


@pytest.mark.parametrize(("ties", "entry"), [("efron", None), ("breslow", None), ("efron", "START")])
def test_what_one_changed_event_does_is_said_exactly(ties: Any, entry: str | None) -> None:
    rng = np.random.default_rng(5)  # any: forty people with many ties
    days, start = rng.integers(1, 5, 40), rng.integers(0, 2, 40)
    codes = (days, start, rng.integers(0, 2, 40), rng.integers(0, 2, 40), rng.integers(0, 2, 40))
    table = Table(SCHEMA, tuple(c.astype(np.uint8) for c in codes))
    output = Cox(formula="DAYS ~ DRUG + SITE", event="DIED", ties=ties, entry=entry, statistics=("se",), decimals=2)
    released = output.publish(output.evaluate(table), SCHEMA)
    lowered = output.lower(SCHEMA, released)
    assert lowered.straight is not None
    straight = lowered.straight(table, "DIED")
    assert straight is not None
    totals, (residuals, jacobian) = lowered.totals(table), lowered.residuals.linearise(lowered.totals(table), table)
    beta = released.centre[:2]
    for row in np.flatnonzero(straight)[:6]:
        died = table["DIED"].copy()
        died[row] = 1 - died[row]
        changed = Table(SCHEMA, tuple(died if n == "DIED" else table[n] for n in SCHEMA.names))
        said = jacobian @ (lowered.totals(changed) - totals)
        model = output.model(SCHEMA)
        before, after = (output.spells(model, t)[0].partial(beta) for t in (table, changed))
        inverse = np.linalg.inv(before.information)
        assert said[:2] == pytest.approx(inverse @ (after.score - before.score), rel=1e-9)
        # To first order: the information's own change is exact, its inverse bends.
        own = -np.diagonal(inverse @ (after.information - before.information) @ inverse)
        assert said[2:] == pytest.approx(own / (2 * np.sqrt(np.diagonal(inverse))), rel=1e-9)
    assert len(residuals) == 4


def test_a_changed_covariate_moves_coefficients_and_errors_as_said() -> None:
    table = _lung()
    output = Cox(**LUNG, statistics=("se",), decimals=3)
    released = output.publish(output.evaluate(table), table.schema)
    lowered = output.lower(table.schema, released)
    totals = lowered.totals(table)
    residuals, jacobian = lowered.residuals.linearise(totals, table)
    assert len(residuals) == 6
    for row in (3, 70, 200):
        age = table["age"].copy()
        age[row] = age[row] - 1 if age[row] else age[row] + 1
        changed = Table(table.schema, tuple(age if n == "age" else table[n] for n in table.schema.names))
        said = jacobian @ (lowered.totals(changed) - totals)
        now = lowered.residuals.linearise(lowered.totals(changed), changed)[0] - residuals
        # Bins of time and the first order leave some per cent.
        assert said == pytest.approx(now, rel=0.1, abs=2e-6)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("cox robust", {"formula": "AGE ~ SEX + TENURE", "errors": "HC0"}),
        ("cox clustered", {"formula": "AGE ~ SEX + TENURE", "errors": "cluster-plain", "cluster": "AREAP"}),
        ("cox robust strata", {"formula": "AGE ~ TENURE", "errors": "HC0", "strata": ("SEX",), "ties": "breslow"}),
    ],
)
def test_robust_and_clustered_errors_are_those_of_r(name: str, fields: dict[str, Any]) -> None:
    agree_with_r(Cox(**fields, event="LTILL", observed="Yes").evaluate(FEW), name)


def test_errors_that_are_not_defined_for_a_partial_likelihood_are_refused() -> None:
    with pytest.raises(OutputError, match="HC3 of Cox models"):
        Cox(formula="AGE ~ SEX", event="LTILL", errors="HC3")


def test_a_row_that_ends_before_it_starts_takes_no_part() -> None:
    output = Cox(formula="DAYS ~ DRUG", event="DIED", entry="START")
    four, fifth = ([1, 2, 3, 4], [1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0]), (2, 1, 1, 3)
    plain = output.evaluate(people(*four))
    with_it = output.evaluate(people(*([*column, more] for column, more in zip(four, fifth, strict=True))))
    assert with_it.values == pytest.approx(plain.values)


SHOWN: dict[str, Any] = {**LUNG, "times": (100.0, 300.0, 500.0)}


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_baseline_is_that_of_r(ties: Any) -> None:
    curve = Cox(**SHOWN, ties=ties, at="numbers").evaluate(_lung())
    assert curve.labels[3] == "baseline survival time=100"
    assert curve.values[3:] == pytest.approx(VALUES[f"baseline {ties} numbers"][0], rel=1e-6)
    hazard = Cox(**SHOWN, ties=ties, baseline="cumulative hazard").evaluate(_lung())
    assert hazard.values[3:] == pytest.approx(VALUES[f"baseline {ties} zero"][0], rel=1e-6)


def test_every_stratum_has_its_baseline() -> None:
    output = Cox(**{**SHOWN, "formula": "time ~ age + ecog"}, strata=("sex",), at="numbers", statistics=("se", "n"))
    found = output.evaluate(_lung())
    assert found.labels[2:] == (
        *(f"baseline survival time={t} | sex={s}" for s in (1, 2) for t in (100, 300, 500)),
        "n",
    )
    assert found.values[2:8] == pytest.approx(VALUES["baseline strata"][0], rel=1e-6)
    assert found.se is not None
    assert np.isfinite(found.se).tolist() == [True] * 2 + [False] * 7


def test_baseline_can_be_added_up_by_hand() -> None:
    # Two events among four people who are alike but for a covariate without effect: 1/4, then 1/2 more.
    table = people([1, 2, 3, 4] * 2, [1, 0, 1, 0] * 2, [0] * 4 + [1] * 4)
    output = Cox(
        formula="DAYS ~ DRUG",
        event="DIED",
        times=(0, 1, 2, 3),
        baseline="cumulative hazard",
        ties="breslow",
        decimals=3,
    )
    assert output.evaluate(table).values == pytest.approx([0.0, 0.0, 0.25, 0.25, 0.75], abs=1e-9)
    events = next(b for b in output.behind(table) if b.what == "events")
    assert events.figures.tolist() == [1, 2, 3, 4]
    assert events.group.tolist() == [1, -1, 3, -1] * 2


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_synthetic_people_reproduce_the_baseline_of_the_lung_data(ties: Any) -> None:
    output = Cox(**SHOWN, ties=ties, at="numbers", statistics=("n",), decimals=(*[3] * 6, 0))
    assert _embedded(output, _lung())[2] is Outcome.REPRODUCED


@pytest.mark.parametrize("strata", [(), ("SITE",)])
@pytest.mark.parametrize(("ties", "entry"), [("efron", None), ("breslow", None), ("efron", "START")])
def test_what_one_changed_event_does_to_the_baseline_is_said(
    ties: Any, entry: str | None, strata: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(8)  # any: four hundred people with many ties
    codes = (rng.integers(1, 5, 400), rng.integers(0, 2, 400), *(rng.integers(0, 2, 400) for _ in range(3)))
    table = Table(SCHEMA, tuple(c.astype(np.uint8) for c in codes))
    output = Cox(formula="DAYS ~ DRUG", event="DIED", ties=ties, entry=entry, strata=strata, times=(2, 4), decimals=2)
    lowered = output.lower(SCHEMA, output.publish(output.evaluate(table), SCHEMA))
    totals = lowered.totals(table)
    residuals, jacobian = lowered.residuals.linearise(totals, table)
    assert len(residuals) == 1 + 2 * (1 + len(strata))
    for name, close in (("DIED", 0.05), ("DRUG", 0.1)):  # of first order; bins of time are single times here
        for row in (3, 70, 200):
            code = table[name].copy()
            code[row] = 1 - code[row]
            changed = Table(SCHEMA, tuple(code if n == name else table[n] for n in SCHEMA.names))
            said = jacobian @ (lowered.totals(changed) - totals)
            now = lowered.residuals.linearise(lowered.totals(changed), changed)[0] - residuals
            assert said == pytest.approx(now, rel=close, abs=3e-5)
