"""Cox regression by hand, beside statsmodels, and with rows that enter late."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from divulge.errors import OutputError
from divulge.outputs import Status
from divulge.outputs.kinds.cox import Cox
from divulge.table import Schema, Table, Variable
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
        assert found.values == pytest.approx(theirs.params, rel=1e-6)  # the issue asks for 1e-6
        assert found.se == pytest.approx(theirs.bse, rel=1e-5)  # theirs stops a little before


def test_data_without_events_or_covariates_say_nothing() -> None:
    found = Cox(formula="DAYS ~ DRUG", event="DIED").evaluate(people([1, 2, 3], [0, 0, 0], [0, 1, 0]))
    assert found.status is Status.CONSTANT
    with pytest.raises(OutputError, match="covariate"):
        Cox(formula="DAYS ~ 1", event="DIED").check(SCHEMA)
    with pytest.raises(OutputError, match="standard errors"):
        Cox(formula="DAYS ~ DRUG", event="DIED", errors="HC0")


def test_cox_is_that_of_r() -> None:
    until: dict[str, Any] = {"event": "LTILL", "observed": CENSUS.schema["LTILL"].texts[0]}
    agree_with_r(Cox(formula="AGE ~ SEX + TENURE", **until).evaluate(FEW), "cox efron")
    agree_with_r(Cox(formula="AGE ~ SEX + TENURE", ties="breslow", **until).evaluate(FEW), "cox breslow")
    agree_with_r(Cox(formula="AGE ~ TENURE", strata=("SEX",), **until).evaluate(FEW), "cox strata")
