"""Odds and risk ratios of a 2 × 2 table, and of one with three groups."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.errors import OutputError
from divulge.outputs import Status, read_released
from divulge.outputs.kinds.ratios import Ratios
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("ILL", "categorical", np.array([1, 2]), labels={1: "Yes", 2: "No"}),
        Variable("JOB", "categorical", np.array(["office", "mine", "farm"])),
    )
)


def table(*counts: tuple[int, int]) -> Table:
    """So many ill and well in each job."""
    ill = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    job = np.repeat(np.arange(len(counts)), [sum(pair) for pair in counts])
    return Table(SCHEMA, (ill.astype(np.uint8), job.astype(np.uint8)))


ROWS = table((10, 90), (30, 70), (20, 20))


def ratios(**fields: object) -> Ratios:
    return Ratios(outcome="ILL", event="Yes", exposure="JOB", **fields)  # type: ignore[arg-type]


def test_odds_ratio_is_the_cross_product() -> None:
    figures = ratios().evaluate(ROWS)
    assert figures.labels == ("JOB=mine", "JOB=farm")
    assert figures.values == pytest.approx([(30 * 90) / (70 * 10), 9])


def test_risk_ratio_and_difference_compare_shares() -> None:
    assert ratios(measure="risk").evaluate(ROWS).values == pytest.approx([3, 5])
    assert ratios(measure="difference").evaluate(ROWS).values == pytest.approx([0.2, 0.4])


def test_reference_may_be_another_group() -> None:
    figures = ratios(measure="risk", reference="farm").evaluate(ROWS)
    assert figures.labels == ("JOB=office", "JOB=mine")
    assert figures.values == pytest.approx([0.2, 0.6])


def test_second_value_counts_unless_the_event_says_otherwise() -> None:
    well = Ratios(outcome="ILL", exposure="JOB", measure="risk").evaluate(ROWS)
    assert well.values == pytest.approx([70 / 90, 50 / 90])


def test_interval_of_the_odds_ratio_is_that_of_its_logarithm() -> None:
    figures = ratios(interval=0.95).evaluate(ROWS)
    assert figures.labels[:3] == ("JOB=mine", "low JOB=mine", "high JOB=mine")
    width = 1.959964 * (1 / 30 + 1 / 70 + 1 / 10 + 1 / 90) ** 0.5
    assert np.log(figures.values[:3]) == pytest.approx(np.log(27 / 7) + width * np.array([0, -1, 1]), abs=1e-6)


def test_group_without_rows_has_no_ratio() -> None:
    figures = ratios().evaluate(table((10, 90), (30, 70)))
    assert figures.status is Status.EMPTY_GROUP
    assert figures.values[0] == pytest.approx(27 / 7)
    assert np.isnan(figures.values[1])


def test_ratios_reject() -> None:
    with pytest.raises(OutputError, match="outcome: a variable with two values is needed, 'JOB' has 3"):
        Ratios(outcome="JOB", exposure="ILL").check(SCHEMA)
    with pytest.raises(OutputError, match=r"event: 'ILL' has no value 'Yess'.*Did you mean 'Yes'"):
        Ratios(outcome="ILL", event="Yess", exposure="JOB").check(SCHEMA)
    with pytest.raises(OutputError, match="reference: 'JOB' has no value 'sea'"):
        ratios(reference="sea").check(SCHEMA)
    with pytest.raises(OutputError, match="interval: a level between 0 and 1 is needed, 95"):
        ratios(interval=95)
    with pytest.raises(OutputError, match="'JOB=mine' lies outside its own interval"):
        read_released(ratios(interval=0.95, released=[3.0, 4.0, 5.0, 2.0, 1.0, 3.0]), SCHEMA)
    with pytest.raises(OutputError, match="cannot be"):
        read_released(ratios(released=[-3.0, 4.0]), SCHEMA)
