"""Policy: which evidence leads to which verdict, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from divulge.errors import SpecError
from divulge.policy import PRESETS, Breach, Evidence, Policy, Verdict, make_policy, with_preset

GOOD = Evidence(
    n_rows=10_000,
    risks=(("SEX from AGE", 0.001, 0.0005, 0.0015),),
    n_exposed=0,
    reproduced=1.0,
    near=1.0,
    in_splits=1.0,
    worst_in_splits=1.0,
    n_splits=30,
    n_failed=0,
    power=0.99,
)


def test_good_evidence_is_released_with_its_reasons() -> None:
    decision = Policy().decide(GOOD)
    assert decision.verdict is Verdict.RELEASE
    assert "Nobody of 10,000 is exposed by more than 0.1." in decision.reasons


@pytest.mark.parametrize(
    ("change", "verdict", "said"),
    [
        ({"n_exposed": 1}, Verdict.REFUSE, "1 person is exposed"),
        ({"n_exposed": 2, "n_certain": 1}, Verdict.REFUSE, "by more than 0.1, or a value is made certain for 1"),
        ({"n_exposed": 2, "n_certain": 2}, Verdict.REFUSE, "2 people are exposed: a value of theirs is made certain"),
        ({"n_exposed": 3}, Verdict.REFUSE, "3 people are exposed"),
        ({"risks": (("A from B", 0.08, 0.07, 0.09),)}, Verdict.REFUSE, "even its lower bound 0.0700"),
        ({"risks": (("A from B", 0.03, 0.029, 0.031),)}, Verdict.REVIEW, "may be as high as 0.0310"),
        ({"risks": (("A from B", 0.0, -0.02, 0.015),)}, Verdict.REVIEW, "wider than 0.02 for A from B"),
        ({"risks": (("A from B", 0.0, float("nan"), float("nan")),)}, Verdict.REVIEW, "wider than"),
        ({"near": 0.5}, Verdict.REVIEW, "Only 50%"),
        ({"in_splits": 0.5}, Verdict.REVIEW, "In the splits only 50%"),
        ({"worst_in_splits": 0.5}, Verdict.REVIEW, "One figure could be reproduced in only 50%"),
        ({"n_failed": 2}, Verdict.REVIEW, "In 2 of 32 splits"),
        ({"n_silent": 25}, Verdict.REVIEW, "In 25 of 30 splits an output had no figure"),
        ({"power": 0.5}, Verdict.REVIEW, "found them with a probability of 0.50"),
        ({"power": 0.5}, Verdict.REVIEW, "so nobody found says little"),
        ({"power": 0.5, "n_exposed": 1}, Verdict.REFUSE, "so others may be exposed too"),
        ({"has_contrast": False, "risks": ()}, Verdict.REVIEW, "not compared"),
        ({"has_contrast": False, "risks": (), "n_rows": 30, "fewest_rows": 50}, Verdict.REVIEW, "30 people are too"),
        ({"breaches": (Breach("1 extreme is the value of few.", "refuse", 1),)}, Verdict.REFUSE, "1 extreme is"),
        ({"breaches": (Breach("3 cells of fewer than 10.", "review", 9),)}, Verdict.REVIEW, "3 cells"),
        ({"breaches": (Breach("1 empty cell.", "refuse", 0),)}, Verdict.REFUSE, "1 empty cell"),
        ({"breaches": (Breach("1 withheld figure follows.", "refuse"),)}, Verdict.REFUSE, "1 withheld figure"),
        ({"disagrees": 4}, Verdict.REVIEW, "4 released figures"),
    ],
)
def test_one_thing_wrong_is_enough(change: dict[str, Any], verdict: Verdict, said: str) -> None:
    decision = Policy().decide(replace(GOOD, **change))
    assert decision.verdict is verdict
    assert any(said in reason for reason in decision.reasons)
    assert bool(decision.settle) == (verdict is Verdict.REVIEW)


def test_figures_within_a_fraction_of_an_error_are_put_to_the_test_and_said() -> None:
    decision = Policy().decide(replace(GOOD, reproduced=0.5))
    assert decision.verdict is Verdict.RELEASE
    assert any("50% of the released figures as printed, and 100% within" in reason for reason in decision.reasons)


def test_exposed_share_refuses_where_the_number_does_not() -> None:
    policy = Policy(refuse_exposed=50)
    assert policy.decide(replace(GOOD, n_exposed=10)).verdict is Verdict.RELEASE
    assert policy.decide(replace(GOOD, n_exposed=11)).verdict is Verdict.REFUSE


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({"dleta": 0.1}, "policy.dleta"),
        ({"delta": "small"}, "policy.delta"),
        ({"delta": 0}, "policy.delta"),
        ({"embedded": 2.0}, "policy.embedded"),
        ({"refuse_exposed": 0}, "policy.refuse_exposed"),
        ({"refuse_exposed": 1.5}, "policy.refuse_exposed"),
        ({"refuse_risk": 0.001}, "policy.refuse_risk"),
    ],
)
def test_policy_rejects_what_makes_no_sense(document: dict[str, Any], where: str) -> None:
    with pytest.raises(SpecError) as caught:
        make_policy(document)
    assert caught.value.where == where


def test_note_of_a_rule_is_no_reason() -> None:
    evidence = replace(GOOD, breaches=(Breach("1 empty cell.", "note", 0),))
    assert Policy().decide(evidence).verdict is Verdict.RELEASE


def test_broken_threshold_stands_beside_exposure_and_hides_nothing() -> None:
    evidence = replace(GOOD, n_exposed=3, breaches=(Breach("3 cells of fewer than 10.", "review", 9),))
    decision = Policy().decide(evidence)
    assert decision.verdict is Verdict.REFUSE
    assert "3 cells of fewer than 10." in decision.reasons


def test_review_says_what_would_keep_to_the_rule() -> None:
    evidence = replace(GOOD, breaches=(Breach("3 cells of fewer than 10.", "review", 9, "Merge them."),))
    assert Policy().decide(evidence).settle == ("Merge them.",)


def test_fewer_people_than_the_policy_refuses_are_left_to_a_checker() -> None:
    evidence = replace(GOOD, breaches=(Breach("1 extreme is the value of few.", "refuse", 1),))
    assert Policy(refuse_exposed=2, refuse_exposed_share=1.0).decide(evidence).verdict is Verdict.REVIEW


@pytest.mark.parametrize("written", ["public use", {"preset": "public use"}])
def test_preset_sets_every_threshold_that_is_not_given(written: Any) -> None:
    policy = make_policy(with_preset(written))
    assert (policy.delta, policy.fewest_at_extreme, policy.power) == (0.05, 20, 0.9)


def test_threshold_beside_a_preset_prevails_even_where_it_is_the_usual_one() -> None:
    policy = make_policy({"preset": "public use", "delta": 0.1})
    assert (policy.delta, policy.release_risk) == (0.1, 0.01)


def test_presets_are_stricter_the_more_people_may_read() -> None:
    public, scientific, lab = (make_policy({"preset": name}) for name in PRESETS)
    assert scientific == replace(Policy(), preset="scientific use")
    for name in ("delta", "release_risk", "refuse_risk"):
        assert getattr(public, name) < getattr(scientific, name) < getattr(lab, name)


def test_unknown_preset_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(SpecError, match="public use"):
        make_policy({"preset": "publicuse"})
