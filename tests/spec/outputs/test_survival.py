"""Survival of six people."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from divulge.errors import OutputError
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.survival import Survival, _kaplan_meier, _kaplan_meier_derivatives
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("MONTHS", "numeric", np.arange(1, 7)),
        Variable("END", "categorical", np.array(["censored", "died"])),
        Variable("SEX", "categorical", np.array(["f", "m"])),
    )
)
#                        months 1 2 2 3 5 6; the second of month 2 and the one of month 5 were censored
SIX = Table(
    SCHEMA,
    tuple(np.array(c, dtype=np.uint8) for c in ([0, 1, 1, 2, 4, 5], [1, 1, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1])),
)


def survival(**fields: object) -> Survival:
    return Survival(time="MONTHS", event="END", **fields)  # type: ignore[arg-type]


def figures(**fields: object) -> dict[str, float]:
    found = survival(**fields).evaluate(SIX)
    return dict(zip(found.labels, found.values.tolist(), strict=True))


def test_survival_is_the_product_of_shares_that_go_on() -> None:
    assert figures() == pytest.approx(
        {
            "survival MONTHS=1": 5 / 6,
            "survival MONTHS=2": 5 / 6 * 4 / 5,
            "survival MONTHS=3": 5 / 6 * 4 / 5 * 2 / 3,
            "survival MONTHS=4": 5 / 6 * 4 / 5 * 2 / 3,
            "survival MONTHS=5": 5 / 6 * 4 / 5 * 2 / 3,
            "survival MONTHS=6": 0,
        }
    )


def test_counts_are_those_since_the_time_before() -> None:
    found = figures(times=(2, 5, 9), show=("at risk", "events", "censored"))
    assert list(found.values()) == [5, 2, 0, 2, 1, 1, 1, 1, 0]


def test_hazard_is_events_over_those_at_risk() -> None:
    found = figures(times=(1, 3, 4), show=("hazard", "cumulative hazard"))
    assert list(found.values()) == pytest.approx([1 / 6, 1 / 3, 0, 1 / 6, 1 / 6 + 1 / 5 + 1 / 3, 7 / 10])


def test_groups_are_followed_apart() -> None:
    found = figures(by=("SEX",), times=(2, 4))
    assert found == pytest.approx(
        {
            "survival MONTHS=2 | SEX=f": 1 / 3,
            "survival MONTHS=4 | SEX=f": 1 / 3,
            "survival MONTHS=2 | SEX=m": 1,
            "survival MONTHS=4 | SEX=m": 2 / 3,
        }
    )


def test_life_table_counts_the_censored_half() -> None:
    found = figures(breaks=(1, 3, 6), show=("at risk", "events", "censored", "survival", "hazard"))
    first, second = 2 / 5.5, 1 / 2.5
    assert list(found) == [
        f"{name} MONTHS={part}"
        for name in ("at risk", "events", "censored", "survival", "hazard")
        for part in ("[1,3)", "[3,6)")
    ]
    assert list(found.values()) == pytest.approx(
        [6, 3, 2, 1, 1, 1, 1 - first, (1 - first) * (1 - second), 2 / (2 * (5.5 - 1)), 1 / (3 * (2.5 - 0.5))]
    )


def test_group_without_rows_has_no_survival() -> None:
    found = survival(by=("SEX",), times=(2,)).evaluate(SIX.take(np.array([0, 1, 2])))
    assert found.status is Status.EMPTY_GROUP
    assert np.isnan(found.values[1])


def test_event_may_be_named() -> None:
    found = Survival(time="MONTHS", event="END", observed="censored", times=(2,)).evaluate(SIX)
    assert found.values == pytest.approx([4 / 5])


def test_survival_rejects() -> None:
    with pytest.raises(OutputError, match="times: numbers in rising order"):
        survival(times=(2, 1))
    with pytest.raises(OutputError, match="breaks: times and breaks exclude each other"):
        survival(times=(2,), breaks=(1, 2))
    with pytest.raises(OutputError, match="time: a variable of numbers"):
        Survival(time="SEX", event="END").check(SCHEMA)
    weeks = Schema((*SCHEMA.variables, Variable("WEEKS", "numeric", np.arange(9))))
    with pytest.raises(OutputError, match="event: a variable with two values is needed, 'WEEKS' has 9"):
        Survival(time="MONTHS", event="WEEKS").check(weeks)
    with pytest.raises(OutputError, match="observed: 'END' has no value 'dead'"):
        survival(observed="dead").check(SCHEMA)
    with pytest.raises(OutputError, match="survival rises with time"):
        read_released(survival(times=(1, 2), released=[0.5, 0.9]), SCHEMA)
    with pytest.raises(OutputError, match="cannot be"):
        read_released(survival(times=(1, 2), released=[1.5, 0.9]), SCHEMA)


@given(
    exits=arrays(np.float64, (6, 2), elements=st.integers(0, 4).map(float)),
    times=st.lists(st.sampled_from([0.5, 1, 2, 2.5, 4, 6, 7]), min_size=1, unique=True).map(sorted),
)
def test_derivatives_of_survival_are_those_that_small_changes_give(
    exits: NDArray[np.float64], times: list[float]
) -> None:
    values, shown = np.arange(1.0, 7.0), np.array(times)
    found = _kaplan_meier_derivatives(values, exits[:, 1], exits[:, 0], shown)
    # Where nobody is at risk any more, or everybody left has the event, a small change is none that people make.
    at_risk = np.cumsum(exits.sum(axis=1)[::-1])[::-1]
    assume(at_risk.min() > 0)
    for place, end in product(range(6), range(2)):
        moved = np.zeros_like(exits)
        moved[place, end] = 1e-6
        more, less = (_kaplan_meier(values, e[:, 1], e[:, 0], shown) for e in (exits + moved, exits - moved))
        for name, derivative in found.items():
            slope = (more[name] - less[name]) / 2e-6
            # Central differences of figures up to 24 hold to about 1e-8; a hazard without anybody at risk is NaN.
            np.testing.assert_allclose(derivative[np.isfinite(slope), place, end], slope[np.isfinite(slope)], atol=1e-6)
