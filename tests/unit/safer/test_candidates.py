"""What can be done about outputs of every sort: something that rules and arithmetic have nothing against."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.assess import plan
from divulge.safer.candidates import Candidates, Step
from divulge.spec import Assessment, Inputs, parse_output
from divulge.table import Table
from tests.support.tables import small_table

RNG = np.random.default_rng(11)  # any seed: who is told apart is put there by hand
N = 300
TOTAL = {"kind": "totals", "variables": ["income"]}


def _people(**columns: list[Any]) -> Table:
    """Three hundred people in three areas; the last of them are those of the columns."""
    made: dict[str, list[Any]] = {
        "area": RNG.choice(["east", "north", "south"], N).tolist(),
        "sex": ["f", "m"] * (N // 2),
        "age": RNG.integers(20, 80, N).tolist(),
        "income": RNG.integers(1_000, 5_000, N).tolist(),
    }
    for name, values in columns.items():
        made[name][N - len(values) :] = values
    return small_table(**made)


def candidates(table: Table, *documents: dict[str, Any]) -> Candidates:
    """Of outputs that rules or the audit have something against."""
    outputs = tuple(parse_output({"compute": True, **d}) for d in documents)
    assessment = Assessment(outputs=outputs)
    ready = plan(assessment, Inputs(table.schema, table, table.n_rows, (None,) * len(outputs)))
    made = Candidates(ready, assessment, table, np.zeros(table.n_rows, dtype=bool))
    assert not made.passes(()), "they would be released as they are"
    return made


def found(table: Table, *documents: dict[str, Any]) -> list[tuple[Step, ...]]:
    """The candidates that pass rules and the audit."""
    made = candidates(table, *documents)
    return [steps for steps in made.all() if made.passes(steps)]


def ways(chosen: list[tuple[Step, ...]]) -> set[str]:
    return {step.mitigation.name for steps in chosen for step in steps}


@pytest.mark.slow
def test_total_that_one_person_dominates_is_merged_or_withheld() -> None:
    table = _people(income=[9_000_000])
    safe = found(table, {"kind": "totals", "variables": ["income"], "by": ["area"]})
    assert {"merge-levels", "suppress"} & ways(safe)


@pytest.mark.slow
def test_amount_that_dominates_a_total_is_taken_together_with_other_large_ones() -> None:
    """What is summed up then are the codes: ten people and more have the largest."""
    table = _people(income=[9_000_000])
    safe = found(table, {"kind": "totals", "variables": ["income"], "by": ["area"]})
    assert "top-code" in ways(safe)


@pytest.mark.slow
def test_withheld_total_does_not_follow_from_the_total_of_everybody_beside_it() -> None:
    table = _people(area=["island"] * 14, income=[400_000])
    safe = found(table, {"kind": "totals", "variables": ["income"], "by": ["area"]}, TOTAL)
    withheld = [steps[0].mitigation for steps in safe if steps[0].mitigation.name == "suppress"]
    assert withheld
    assert all("so that it does not follow" in one.describe(table.schema) for one in withheld)


@pytest.mark.slow
def test_either_of_two_means_that_differ_by_one_person_may_be_changed() -> None:
    table = _people(age=[95])
    means = {"kind": "means", "variables": ["income"], "by": ["sex"], "decimals": 2}
    safe = found(table, means, {**means, "where": "age < 95"})
    assert {len(steps) for steps in safe} == {1}, "one of them is enough"
    assert {step.output for (step,) in safe} == {0, 1}
    assert "more-people" in ways(safe)


def test_test_of_a_group_of_three_is_shown_without_the_groups() -> None:
    table = small_table(sex=["m"] * 3 + ["f"] * 297, income=RNG.integers(1_000, 5_000, N).tolist())
    safe = found(table, {"kind": "t-test", "variable": "income", "by": "sex", "decimals": 2})
    assert "drop-variable" in ways(safe)
    assert {vars(steps[0].made.written)["by"] for steps in safe} == {None}


@pytest.mark.slow
def test_thin_level_of_a_model_is_merged_with_each_of_the_others() -> None:
    table = _people(area=["island"])
    safe = found(table, {"kind": "linear", "formula": "income ~ age + C(area)", "decimals": 2})
    merged = {steps[0].mitigation.describe(table.schema) for steps in safe}
    for other in ("east", "north", "south"):
        assert f"Merge {other} and island (area)" in merged


@pytest.mark.slow
def test_counts_are_merged_and_a_few_of_them_withheld_at_less_loss_than_merged_alone() -> None:
    """Of the island's people three are alone in their cell: without it nothing need be merged that others share."""
    area = ["east"] * 90 + ["north"] * 90 + ["south"] * 90 + ["island"] * 30
    size = (["small", "middle", "large"] * 30) * 3 + ["small"] * 14 + ["middle"] * 13 + ["large"] * 3
    table = small_table(area=area, size=size, sort=["a"] * 296 + ["b"] * 4)
    made = candidates(table, {"kind": "crosstab", "variables": ["area", "size", "sort"]})
    of_way = {name: [s for (s,) in made.all() if s.mitigation.name == name] for name in ("both", "merge-levels")}
    safe = {name: [s for s in steps if made.passes([s])] for name, steps in of_way.items()}
    both, merged = (min(safe[name], key=lambda step: step.loss.information) for name in ("both", "merge-levels"))
    assert both.loss.information < merged.loss.information
    assert "withhold" in both.mitigation.describe(table.schema)
    hidden, counts = np.isnan(both.printed.values), both.made.evaluate(table).values
    assert hidden.any()
    assert (counts[~hidden & (counts > 0)] >= 10).all(), "whoever is left is one of ten at least"
    assert made.changed([both])[0] == (both.made,)


@pytest.mark.slow
def test_extremes_of_a_small_group_are_merged_and_shown_as_quantiles() -> None:
    """Neither alone does: an extreme is one person's, and three have no quantile."""
    table = _people(area=["island"] * 3)
    safe = found(table, {"kind": "extremes", "variables": ["income"], "by": ["area"]})
    told = {steps[0].mitigation.describe(table.schema) for steps in safe}
    assert any("area" in text and "percentiles" in text for text in told)


@pytest.mark.slow
def test_whiskers_of_a_box_plot_become_quantiles_or_codes_that_enough_people_have() -> None:
    table = _people(area=["island"] * 3)
    safe = found(table, {"kind": "box-plot", "variables": ["income"], "by": ["area"]})
    kinds = {vars(steps[0].made.written).get("quantiles") for steps in safe}
    assert any(shares is not None and shares[len(shares) // 2] == 0.5 for shares in kinds)
    assert any("take values of income" in steps[0].mitigation.describe(table.schema) for steps in safe)


def test_thin_level_of_a_test_is_merged() -> None:
    table = _people(area=["island"])
    safe = found(table, {"kind": "chi-squared", "variables": ["area", "sex"], "decimals": 3})
    assert any(steps[0].mitigation.describe(table.schema).startswith("Merge ") for steps in safe)


@pytest.mark.slow
def test_what_one_output_needs_is_done_to_those_beside_it() -> None:
    table = _people(area=["island"] * 2)
    pair = [{"kind": kind, "variables": ["income"], "by": ["area"], "decimals": 1} for kind in ("means", "shape")]
    safe = [steps for steps in found(table, *pair) if len(steps) == 2]
    assert any(one.mitigation == two.mitigation and one.mitigation.name == "merge-levels" for one, two in safe)
    assert any({one.mitigation.name, two.mitigation.name} == {"suppress"} for one, two in safe)


@pytest.mark.slow
def test_groups_are_not_merged_only_to_be_withheld() -> None:
    table = _people(area=["island"] * 15)
    quantile = {"kind": "position", "variables": ["income"], "by": ["area"], "quantiles": [0.85]}
    safe = [steps[0] for steps in found(table, quantile)]
    withheld = min(step.price for step in safe if step.mitigation.name == "suppress")
    both = [s for s in safe if s.mitigation.name == "both" and "ithhold" in s.mitigation.describe(table.schema)]
    assert all(step.price < withheld or "digit" in step.mitigation.describe(table.schema) for step in both)


def test_utility_of_counts_is_told_only_where_every_cell_is_still_there() -> None:
    table = small_table(area=["east"] * 40 + ["north"] * 40 + ["south"] * 4 + ["island"] * 16)
    steps = [one for (one,) in candidates(table, {"kind": "crosstab", "variables": ["area"]}).all()]
    merged = [s.loss.hellinger for s in steps if s.mitigation.name == "merge-levels"]
    rounded = [s.loss.hellinger for s in steps if s.mitigation.name == "round-counts"]
    assert merged
    assert set(merged) == {None}
    assert None not in rounded


def test_test_of_a_variable_that_is_merged_altogether_is_no_candidate() -> None:
    """Its figures are not defined, so that nothing could be assessed."""
    table = small_table(area=["east"] * 299 + ["island"], sex=["f", "m"] * 150)
    made = candidates(table, {"kind": "chi-squared", "variables": ["area", "sex"], "decimals": 3})
    assert not any(step.loses for steps in made.all() for step in steps)


@pytest.mark.slow
def test_curve_is_shown_at_times_between_which_enough_people_have_the_event() -> None:
    table = _people(area=["island"] * 2)
    curve = {"kind": "survival", "time": "age", "event": "sex", "observed": "m", "by": ["area"], "decimals": 3}
    safe = [steps[0] for steps in found(table, curve)]
    fewer = [s for s in safe if "show the curve at" in s.mitigation.describe(table.schema)]
    assert fewer
    for step in fewer:
        (events,) = [b for b in step.made.behind(table) if b.what == "events"]
        n = np.bincount(events.group[events.group >= 0], minlength=events.n_groups)
        assert (n[n > 0] >= 10).all()
        assert not [b for b in step.made.behind(table) if b.what == "last step" and (b.figures >= 0).any()]
