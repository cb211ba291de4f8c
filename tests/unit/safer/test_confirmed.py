"""How candidates are confirmed: with more splits where there were hardly enough to find somebody exposed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from divulge.designs import RepeatedHalves
from divulge.policy import Verdict
from divulge.safer import propose
from divulge.spec import Assessment, Inputs, parse_output
from tests.support.tables import small_table

TABLE = small_table(area=["north", "south"] * 30)


def splits(monkeypatch: pytest.MonkeyPatch, verdict: Verdict, *powers: float) -> list[int]:
    """The numbers of splits with which one candidate was assessed, where each time had this power. Asked for: 0.9."""
    output = parse_output({"kind": "crosstab", "variables": ["area"], "compute": True})
    assessment = Assessment(outputs=(output,), design=RepeatedHalves(splits_wanted=30))
    asked, left = list[int](), list(powers)

    def plan(assessment: Assessment, *rest: Any) -> Any:
        del rest
        design = cast(RepeatedHalves, assessment.design)
        asked.append(design.splits_wanted)
        return SimpleNamespace(design=design, n_new=1, policy=SimpleNamespace(power=0.9))

    def assess(ready: Any, **settings: Any) -> Any:
        del ready, settings
        result = SimpleNamespace(has_contrast=True, power=left.pop(0))
        return SimpleNamespace(verdict=verdict, results=[result], record={})

    monkeypatch.setattr(propose, "plan", plan)
    monkeypatch.setattr(propose, "assess", assess)
    search = object.__new__(propose._Search)
    search.assessment, search.unfinished = assessment, None
    search.inputs = Inputs(TABLE.schema, TABLE, TABLE.n_rows, (None,))
    search.table = TABLE
    search.candidates = cast(Any, SimpleNamespace(changed=lambda steps: ((output,), ())))
    search.confirmed((), (), 1, None)
    return asked


def test_power_that_is_only_just_enough_is_tried_with_twice_the_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    """With another seed it would be too little just as often."""
    assert splits(monkeypatch, Verdict.RELEASE, 0.92, 0.97) == [30, 60]
    assert splits(monkeypatch, Verdict.RELEASE, 0.96) == [30]


def test_too_little_power_is_tried_with_twice_and_four_times_the_splits_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert splits(monkeypatch, Verdict.REVIEW, 0.5, 0.7, 0.8) == [30, 60, 120]


def test_what_is_refused_is_not_assessed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert splits(monkeypatch, Verdict.REFUSE, 0.5) == [30]
