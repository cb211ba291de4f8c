"""Tests, p values, intervals and ratios are figures of every regression: beside statsmodels, as read, as searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.demo import cps_extract
from divulge.errors import OutputError
from divulge.objective import Objective, Target
from divulge.objective.reproduction import reproduce
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.released.computed import compute
from divulge.outputs.released.reading import read_released
from divulge.readers.statsmodels import from_statsmodels
from divulge.synthesisers import Descent
from tests.spec.outputs.beside import CENSUS, frame

ALL = ("se", "n", "t", "p", "interval")


def _ours(output: Any) -> dict[str, float]:
    found = output.evaluate(CENSUS)
    assert found.labels == output.labels(CENSUS.schema)
    return dict(zip(found.labels, found.values.tolist(), strict=True))


@pytest.mark.parametrize("errors", ["model", "HC1"])
def test_tests_and_intervals_of_least_squares_are_those_of_statsmodels(errors: str) -> None:
    theirs = smf.ols("AGE ~ SEX + HOME", frame()).fit(
        cov_type="nonrobust" if errors == "model" else errors, use_t=errors == "model"
    )
    tests: Any = None if errors == "model" else "z"
    ours = _ours(Linear(formula="AGE ~ SEX + TENURE", statistics=ALL, errors=errors, tests=tests))  # type: ignore[arg-type]
    ends = theirs.conf_int()
    for name, label in (("SEX[T.2]", "SEX[T.2]"), ("HOME", "TENURE")):
        label = next(k for k in ours if k.startswith(label) and k.endswith("(t)")).removesuffix(" (t)")
        assert ours[f"{label} (t)"] == pytest.approx(theirs.tvalues[name], rel=1e-9)
        assert ours[f"{label} (p)"] == pytest.approx(theirs.pvalues[name], rel=1e-8)
        assert ours[f"{label} (2.5 %)"] == pytest.approx(ends.loc[name, 0], rel=1e-9)
        assert ours[f"{label} (97.5 %)"] == pytest.approx(ends.loc[name, 1], rel=1e-9)


def test_odds_ratios_and_their_intervals_are_raised_coefficients() -> None:
    theirs = smf.logit("HOME ~ AGE", frame()).fit(disp=0, tol=1e-12)
    ours = _ours(Logistic(formula="TENURE ~ AGE", statistics=("ratio", "ratio-interval", "p"), level=90.0))
    ends = np.exp(theirs.conf_int(0.1))
    assert ours["AGE (odds ratio)"] == pytest.approx(np.exp(theirs.params["AGE"]), rel=1e-7)
    assert ours["AGE (odds ratio 5 %)"] == pytest.approx(ends.loc["AGE", 0], rel=1e-7)
    assert ours["AGE (odds ratio 95 %)"] == pytest.approx(ends.loc["AGE", 1], rel=1e-7)
    assert ours["AGE (p)"] == pytest.approx(theirs.pvalues["AGE"], rel=1e-6)
    raised = Logistic(formula="TENURE ~ AGE", statistics=("se", "interval"), exponentiated=True, level=90.0)
    figures = raised.evaluate(CENSUS)
    assert figures.values[1] == pytest.approx(ours["AGE (odds ratio)"])
    assert _ours(raised)["AGE (5 %)"] == pytest.approx(ours["AGE (odds ratio 5 %)"])
    assert figures.se is not None
    assert figures.se[1] == pytest.approx(figures.values[1] * theirs.bse["AGE"], rel=1e-6)


def test_wrong_p_value_does_not_agree_and_a_small_one_may_be_said_to_be_below() -> None:
    output = Linear(formula="AGE ~ MSTATUS", statistics=("p",))
    ours = _ours(output)
    printed: dict[str, Any] = {k: f"{v:.3f}" for k, v in ours.items()}
    small = [k for k, v in ours.items() if k.endswith("(p)") and v < 0.001]
    assert small
    printed |= dict.fromkeys(small, "<0.001")
    released = replace(output, released=printed, decimals=3)
    computed = compute(released, CENSUS, read_released(released, CENSUS.schema, None, CENSUS.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all()
    wrong = replace(released, released=printed | {small[0]: "0.040"})
    computed = compute(wrong, CENSUS, read_released(wrong, CENSUS.schema, None, CENSUS.n_rows))
    assert computed.agrees is not None
    assert [k for k, ok in zip(ours, computed.agrees, strict=True) if not ok] == [small[0]]


def test_distribution_that_gives_the_printed_tests_is_found() -> None:
    few = CENSUS.take(slice(40))  # so that t and normal differ in the third decimal
    for tests in ("t", "z"):
        made = Linear(formula="AGE ~ SEX", statistics=("p", "interval"), tests=tests, decimals=4)  # type: ignore[arg-type]
        released = made.publish(made.evaluate(few), few.schema)
        found = compute(replace(made, tests=None), few, released)
        assert vars(found.output)["tests"] in (tests, None if tests == "t" else tests)
        assert found.agrees is not None
        assert found.agrees.all()


def test_figures_are_found_as_programs_write_them() -> None:
    output = Logistic(formula="TENURE ~ AGE", statistics=("t", "p", "ratio"))
    assert output.find_label("AGE (OR)", CENSUS.schema) == "AGE (odds ratio)"
    assert output.find_label("const (z)", CENSUS.schema) == "Intercept (z)"
    assert output.find_label("AGE (P)", CENSUS.schema) == "AGE (p)"


def test_what_is_no_ratio_is_refused() -> None:
    with pytest.raises(OutputError, match="not printed as ratios"):
        Linear(formula="AGE ~ SEX", exponentiated=True)
    with pytest.raises(OutputError, match="already"):
        Cox(formula="AGE ~ SEX", event="LTILL", exponentiated=True, statistics=("ratio",))


def test_every_figure_has_its_place_in_the_grid_of_several_classes() -> None:
    output = Multinomial(formula="AREAP ~ SEX", statistics=("n", "p", "ratio"))
    grid = output.grid(CENSUS.schema)
    placed = [n for row in grid.cells for n in row if n is not None]
    assert sorted(placed) == list(range(len(output.labels(CENSUS.schema))))
    assert len(set(grid.columns)) == len(grid.columns)


@pytest.mark.slow
def test_synthetic_rows_reproduce_ratios_and_are_not_held_to_p_values() -> None:
    fields: dict[str, Any] = {"formula": "TENURE ~ AGE + SEX", "decimals": 3, "statistics": ("p", "interval")}
    output = Logistic(exponentiated=True, **fields)
    released = output.publish(output.evaluate(CENSUS), CENSUS.schema)
    marginals = {v.name: CENSUS.frequencies(v.name) / CENSUS.n_rows for v in CENSUS.schema}
    objective = Objective(CENSUS.schema, (Target(output, released),), marginals)
    # Seconds: many times what an idle machine needs.
    found = Descent(seconds=60.0).embed(objective, CENSUS.n_rows, seed=1)
    made = output.evaluate(found.table)
    assert released.agrees(made.values)[:3].all()
    assert reproduce(objective, found.table)[0].is_complete


def test_summary_of_statsmodels_is_read_with_its_tests_and_intervals() -> None:
    fit = smf.ols("AGE ~ SEX + HOME", frame()).fit()
    output = from_statsmodels(fit, statistics=("se", "r2", "n", "t", "p", "interval"))
    assert isinstance(output.released, dict)
    assert output.released["HOME (t)"] == f"{fit.tvalues['HOME']:.3f}"
    assert output.released["HOME (97.5 %)"] == f"{fit.conf_int().loc['HOME', 1]:.3f}"
    assert isinstance(output.decimals, tuple)
    assert len(output.decimals) == len(output.released)


@pytest.mark.slow
def test_ratio_of_which_few_digits_are_printed_does_not_lead_the_search_astray() -> None:
    people = cps_extract().take(slice(5000))
    # The intercept is printed as 0.001: its coefficient may be anything from -7.6 to -6.5.
    output = Logistic(formula="income ~ age + sex + weeks_worked", exponentiated=True, decimals=3)
    released = output.publish(output.evaluate(people), people.schema)
    marginals = {v.name: people.frequencies(v.name) / people.n_rows for v in people.schema}
    objective = Objective(people.schema, (Target(output, released),), marginals)
    # Seconds: a hundred times what an idle machine needs.
    found = Descent(seconds=60.0).embed(objective, people.n_rows, seed=1)
    assert released.agrees(output.evaluate(found.table).values).all()


def test_coefficients_are_looked_for_where_their_ratios_are_as_printed_too() -> None:
    # With decimals of its own for each figure, standard errors among them.
    output = Logistic(formula="TENURE ~ AGE", statistics=("se", "ratio"), decimals=(2, 2, 6, 6))
    released = output.publish(output.evaluate(CENSUS), CENSUS.schema)
    lowered = output.lower(CENSUS.schema, released)
    ends = np.log(released.low[2:]), np.log(released.high[2:])
    assert lowered.low[:2] + released.centre[:2] == pytest.approx(np.maximum(ends[0], released.low[:2]))
    assert lowered.high[:2] + released.centre[:2] == pytest.approx(np.minimum(ends[1], released.high[:2]))
    assert (lowered.high - lowered.low)[:2].max() < 1e-2
