"""Weibull and exponential regression beside R, and on groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs.kinds.weibull import Weibull
from tests.spec.outputs.beside import CENSUS, FEW, agree_with_r, frame

UNTIL: dict[str, Any] = {"event": "LTILL", "observed": CENSUS.schema["LTILL"].texts[0], "where": "AGE >= 1"}


def test_exponential_times_of_groups_are_time_over_events() -> None:
    found = Weibull(formula="AGE ~ SEX", distribution="exponential", **UNTIL).evaluate(CENSUS)
    data = frame().query("AGE >= 1")
    mean = [
        data.loc[data["SEX"] == s, "AGE"].sum() / data.loc[data["SEX"] == s, "ILL"].sum()
        for s in CENSUS.schema["SEX"].texts[:2]
    ]
    assert found.values == pytest.approx([np.log(mean[0]), np.log(mean[1] / mean[0])])


@pytest.mark.parametrize("distribution", ["weibull", "exponential"])
def test_weibull_is_that_of_r(distribution: Any) -> None:
    found = Weibull(formula="AGE ~ SEX + TENURE", distribution=distribution, **UNTIL).evaluate(FEW)
    agree_with_r(found, distribution)


def test_event_must_be_said_where_it_is_not_one_of_two() -> None:
    with pytest.raises(OutputError, match="two values"):
        Weibull(formula="AGE ~ SEX", event="MSTATUS").check(CENSUS.schema)
    with pytest.raises(OutputError, match="no value"):
        Weibull(formula="AGE ~ SEX", event="LTILL", observed="perhaps").check(CENSUS.schema)
