"""How candidates are confirmed: with more splits where there were hardly enough, and twice in a row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from divulge.designs import RepeatedHalves
from divulge.policy import Policy, Verdict
from divulge.safer import propose
from divulge.spec import Assessment, Inputs, parse_output
from tests.support.tables import small_table

TABLE = small_table(area=["north", "south"] * 30)


Look = tuple[str, float, float, float]
"""What one assessment came to: its verdict, its power, the upper bound of the marginal risk, the share reproduced."""


def _result(power: float, high: float, near: float) -> Any:
    risk = SimpleNamespace(low=high - 0.004, high=high)
    return SimpleNamespace(
        has_contrast=True,
        power=power,
        near=(near,),
        in_splits=(near,),
        worst_in_splits=(near,),
        scenarios=[SimpleNamespace(marginal_risk=risk)],
    )


def splits(monkeypatch: pytest.MonkeyPatch, *looks: Look) -> tuple[list[int], str]:
    """The numbers of splits with which one candidate was assessed, where each time came to this, and how it ended."""
    output = parse_output({"kind": "crosstab", "variables": ["area"], "compute": True})
    assessment = Assessment(outputs=(output,), design=RepeatedHalves(splits_wanted=30))
    asked, seeds, left = list[int](), set[int](), list(looks)

    def plan(assessment: Assessment, *rest: Any) -> Any:
        del rest
        design = cast(RepeatedHalves, assessment.design)
        asked.append(design.splits_wanted)
        seeds.add(assessment.seed)
        return SimpleNamespace(design=design, n_new=1, policy=Policy())

    def assess(ready: Any, **settings: Any) -> Any:
        del ready, settings
        verdict, *rest = left.pop(0)
        return SimpleNamespace(verdict=Verdict(verdict), results=[_result(*rest)], record={"verdict": verdict})

    monkeypatch.setattr(propose, "plan", plan)
    monkeypatch.setattr(propose, "assess", assess)
    search = object.__new__(propose._Search)
    search.assessment, search.unfinished = assessment, None
    search.inputs = Inputs(TABLE.schema, TABLE, TABLE.n_rows, (None,))
    search.table = TABLE
    search.candidates = cast(Any, SimpleNamespace(changed=lambda steps: ((output,), ())))
    found = search.confirmed((), (), 1, None)
    assert len(seeds) == len(asked), "each time another seed"
    assert not left, "every look was taken"
    return asked, found.verdict


SURE: Look = ("release", 0.96, 0.01, 1.0)


def test_what_is_released_surely_is_assessed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert splits(monkeypatch, SURE, SURE) == ([30, 30], "release")


def test_what_another_seed_does_not_release_is_no_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert splits(monkeypatch, SURE, ("refuse", 0.96, 0.01, 1.0)) == ([30, 30], "refuse")
    assert splits(monkeypatch, SURE, ("review", 0.96, 0.01, 0.9)) == ([30, 30], "review")


@pytest.mark.parametrize("close", [("release", 0.92, 0.01, 1.0), ("release", 0.96, 0.019, 1.0)], ids=["power", "risk"])
def test_what_is_only_just_enough_is_tried_with_twice_the_splits(monkeypatch: pytest.MonkeyPatch, close: Look) -> None:
    """With another seed it would be too little just as often."""
    assert splits(monkeypatch, close, SURE, SURE) == ([30, 60, 60], "release")
    assert splits(monkeypatch, SURE, close, SURE, SURE) == ([30, 30, 60, 60], "release")


def test_too_little_power_is_tried_with_twice_and_four_times_the_splits_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[Look] = [("review", power, 0.01, 1.0) for power in (0.5, 0.7, 0.8)]
    assert splits(monkeypatch, *looks) == ([30, 60, 120], "review")


def test_what_more_splits_do_not_change_is_not_assessed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert splits(monkeypatch, ("refuse", 0.5, 0.03, 1.0)) == ([30], "refuse")
    assert splits(monkeypatch, ("review", 0.5, 0.01, 0.5)) == ([30], "review")
