"""A submission from hand to hand: who may do what, when; nobody twice, nobody on their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from divulge.errors import BusyError, DivulgeError, NotAllowedError, NotFoundError, SpecError, StateError
from divulge.ledger import jobs, queries, releases, states, trail, workflow
from divulge.ledger.listing import Filters, list_submissions
from divulge.ledger.model import (
    Audience,
    CheckerDecision,
    Choice,
    Job,
    JobState,
    Person,
    Release,
    State,
    Submission,
    TrailEntry,
)
from divulge.ledger.store import Blob
from tests.support.ledger_work import FIGURES, record
from tests.support.ledgers import World, proposal


def _do(world: World, action: Callable[..., Any], by: str, submission: int, *given: Any, **named: Any) -> Any:
    with world.ledger.writing() as session:
        return action(session, world.person[by], submission, *given, **named)


def _release(world: World, by: str, submission: int) -> Release:
    with world.ledger.writing() as session:
        return releases.release(session, world.person[by], submission, world.ledger.store)


def test_submission_goes_all_the_way_to_its_release(world: World) -> None:
    made = world.submit()
    assert world.state(made) == "submitted"
    lease = jobs.take_job(world.ledger, "here")
    assert lease is not None
    assert world.state(made) == "assessing"
    lease.finish(record(), [FIGURES])
    assert world.state(made) == "ready"
    _do(world, workflow.assign, "checker", made, world.person["checker"])
    _do(world, workflow.comment, "researcher", made, "Please.")
    for who in ("checker", "second"):
        _do(world, workflow.decide, who, made, Choice.RELEASE, "No cell is small.")
    released = _release(world, "checker", made)
    assert world.state(made) == "released"
    assert [f["name"] for f in released.manifest["files"]] == ["output-1.csv", "outputs.xlsx"]
    with world.ledger.reading() as session:
        actions = [e.action for e in queries.history(session, made)]
        assert trail.chain_faults(session) == []
    expected = ["submit", "take", "assessed", "assign", "comment", "decide", "decide", "release"]
    assert actions == expected


def test_returned_submission_comes_back_as_a_new_version(world: World) -> None:
    old = world.ready()
    _do(world, workflow.give_back, "checker", old, "Round to fives.")
    new = _do(world, workflow.resubmit, "researcher", old, proposal(title="Rounded"))
    assert (new.version, new.replaces_id) == (2, old)
    assert world.state(old) == "returned"
    with pytest.raises(StateError, match="newer version"):
        _do(world, workflow.resubmit, "researcher", old, proposal())


def test_colleague_does_not_resubmit_for_the_author(small_world: World) -> None:
    old = small_world.ready()
    _do(small_world, workflow.give_back, "checker", old, "Round to fives.")
    with pytest.raises(NotAllowedError):
        _do(small_world, workflow.resubmit, "colleague", old, proposal())


def test_one_checker_does_not_release(small_world: World) -> None:
    made = small_world.ready()
    _do(small_world, workflow.decide, "checker", made, Choice.RELEASE, "Fine.")
    with pytest.raises(StateError, match="2 checkers"):
        _release(small_world, "checker", made)


def test_one_voice_against_stops_a_release(small_world: World) -> None:
    made = small_world.ready()
    for who, choice in (("checker", Choice.RELEASE), ("second", Choice.RELEASE), ("third", Choice.REFUSE)):
        _do(small_world, workflow.decide, who, made, choice, "So.")
    with pytest.raises(StateError, match="against"):
        _release(small_world, "checker", made)


def test_two_voices_against_refuse(small_world: World) -> None:
    made = small_world.ready()
    for who in ("checker", "second"):
        _do(small_world, workflow.decide, who, made, Choice.REFUSE, "Three people stand out.")
    _do(small_world, workflow.refuse, "checker", made)
    assert small_world.state(made) == "refused"


def test_checker_does_not_decide_on_their_own_submission(small_world: World) -> None:
    # The third checker is a member of the project and submits as well.
    made = small_world.ready(by="third")
    for action, given in ((workflow.decide, (Choice.RELEASE, "Mine.")), (workflow.give_back, ("Mine.",))):
        with pytest.raises(NotAllowedError, match="own submission"):
            _do(small_world, action, "third", made, *given)


@pytest.mark.parametrize("who", ["researcher", "colleague", "custodian", "administrator"])
def test_only_checkers_decide(small_world: World, who: str) -> None:
    made = small_world.ready()
    with pytest.raises(NotAllowedError):
        _do(small_world, workflow.decide, who, made, Choice.RELEASE, "Let it.")


def test_second_decision_of_the_same_checker_is_rejected_by_the_database(world: World) -> None:
    made = world.ready()
    first = _do(world, workflow.decide, "checker", made, Choice.RELEASE, "Fine.")
    from sqlalchemy.exc import IntegrityError

    row = CheckerDecision(
        submission_id=made,
        person_id=world.person["checker"],
        assessment_id=first.assessment_id,
        choice=Choice.REFUSE,
        reason="x",
    )
    with pytest.raises(IntegrityError), world.ledger.writing() as session:
        session.add(row)


@pytest.mark.slow
def test_decisions_made_at_the_same_moment_are_taken_once(world: World) -> None:
    made = world.ready()
    start, errors = threading.Barrier(4), []

    def decide() -> None:
        start.wait()
        try:
            _do(world, workflow.decide, "checker", made, Choice.RELEASE, "Fine.")
        except DivulgeError as error:
            errors.append(error)

    threads = [threading.Thread(target=decide) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    # Each later one takes the place of the one before.
    assert errors == []
    with world.ledger.reading() as session:
        assert session.scalar(select(func.count(CheckerDecision.id))) == 1
        assert trail.chain_faults(session) == []


def test_same_form_sent_twice_makes_one_submission(world: World) -> None:
    first, second = world.submit(token="a" * 32), world.submit(token="a" * 32)
    assert first == second
    assert world.submit(by="colleague", token="a" * 32) != first


def test_nobody_fills_the_queue(small_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "_MOST_UNDECIDED", 2)
    first, _ = small_world.submit(), small_world.submit()
    with pytest.raises(BusyError, match="wait for a decision"):
        small_world.submit()
    small_world.submit(by="colleague")
    with small_world.ledger.writing() as session:
        workflow.withdraw(session, small_world.person["researcher"], first)
    small_world.submit()


@pytest.mark.parametrize("who", ["stranger", "checker", "custodian"])
def test_only_members_submit(small_world: World, who: str) -> None:
    with pytest.raises(NotAllowedError):
        small_world.submit(by=who)


def test_closed_account_does_nothing(small_world: World) -> None:
    with small_world.ledger.writing() as session:
        session.get_one(Person, small_world.person["researcher"]).is_active = False
    with pytest.raises(NotAllowedError, match="closed"):
        small_world.submit()


def test_researchers_see_their_own_submissions_only(small_world: World) -> None:
    mine, theirs = small_world.submit(), small_world.submit(by="colleague")
    with small_world.ledger.reading() as session:
        person = session.get_one(Person, small_world.person["researcher"])
        assert [s.id for s in list_submissions(session, person, Filters()).items] == [mine]
        with pytest.raises(NotFoundError):
            queries.find_submission(session, person, theirs)
        assert not states.may(states.Rights(person).check_see_assessment, session.get_one(Submission, mine))


def test_researchers_cannot_talk_among_checkers(small_world: World) -> None:
    made = small_world.submit()
    with pytest.raises(NotAllowedError):
        _do(small_world, workflow.comment, "researcher", made, "Hush.", audience=Audience.CHECKERS)
    _do(small_world, workflow.comment, "custodian", made, "Hush.", audience=Audience.CHECKERS)


def test_answer_agrees_with_its_demand(small_world: World) -> None:
    mine = small_world.submit()
    with small_world.ledger.reading() as session:
        submission = session.get_one(Submission, mine)
        for who, may in {"researcher": False, "checker": True, "custodian": True}.items():
            person = session.get_one(Person, small_world.person[who])
            assert states.may(states.Rights(person).check_see_assessment, submission) is may
            assert not states.may(states.Rights(person).check_decide, submission), "it is not assessed yet"


def test_no_state_is_left_once_it_is_final() -> None:
    final = {state for state, to in states.TRANSITIONS.items() if not to}
    assert final == {State.RELEASED, State.RETURNED, State.REFUSED}
    assert set(states.TRANSITIONS) == set(State)


def test_waiting_assessment_is_cancelled_and_asked_for_again(world: World) -> None:
    made = world.submit()
    _do(world, workflow.cancel, "checker", made)
    assert jobs.take_job(world.ledger, "here") is None
    _do(world, workflow.assess, "checker", made)
    with pytest.raises(StateError, match="already"):
        _do(world, workflow.assess, "checker", made)
    assert jobs.take_job(world.ledger, "here") is not None


def test_running_assessment_is_asked_to_stop(world: World) -> None:
    made = world.submit()
    lease = jobs.take_job(world.ledger, "here")
    assert lease is not None
    assert not lease.renew()
    _do(world, workflow.cancel, "checker", made)
    assert lease.renew()
    lease.stop()
    assert world.state(made) == "submitted"
    with world.ledger.reading() as session:
        assert session.get_one(Job, lease.job_id).state is JobState.CANCELLED


def test_assessment_is_not_repeated_once_somebody_has_decided(small_world: World) -> None:
    made = small_world.ready()
    _do(small_world, workflow.decide, "checker", made, Choice.RELEASE, "Fine.")
    with pytest.raises(StateError, match="decided"):
        _do(small_world, workflow.assess, "checker", made)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"title": " "}, "title"),
        ({"outputs": []}, "outputs"),
        ({"outputs": [{"kind": "crosstab", "variables": ["AGEE"]}]}, "outputs[0]"),
        ({"outputs": [{"kind": "crosstab", "variables": ["AGE"], "released": "../../etc/passwd"}]}, "released"),
        ({"outputs": [{"kind": "custom", "function": "os:system", "variables": ["AGE"]}]}, "outputs[0]"),
        ({"uploads": [("a.csv", Blob("0" * 64, 1)), ("x/A.csv", Blob("1" * 64, 1))]}, "uploads"),
    ],
)
def test_submission_that_makes_no_sense_is_rejected(small_world: World, given: dict[str, Any], where: str) -> None:
    with pytest.raises(DivulgeError) as caught:
        small_world.submit(**given)
    assert where in str(caught.value.where)
    with small_world.ledger.reading() as session:
        assert session.scalar(select(func.count(Submission.id))) == 0


def test_empty_reason_is_rejected(small_world: World) -> None:
    made = small_world.ready()
    with pytest.raises(SpecError, match="reason"):
        _do(small_world, workflow.decide, "checker", made, Choice.RELEASE, "  ")


def test_comment_text_is_not_in_the_trail(small_world: World) -> None:
    made = small_world.submit()
    _do(small_world, workflow.comment, "checker", made, "a delicate matter")
    with small_world.ledger.reading() as session:
        assert not any("delicate" in e.details for e in session.scalars(select(TrailEntry)))


def test_author_withdraws_and_submits_again(small_world: World) -> None:
    made = small_world.submit()
    with pytest.raises(NotAllowedError):
        _do(small_world, workflow.withdraw, "checker", made)
    _do(small_world, workflow.withdraw, "researcher", made)
    assert small_world.state(made) == "returned"
    with small_world.ledger.reading() as session:
        job = workflow.latest_job(session, made)
        assert job is not None
        assert not job.is_active
    assert _do(small_world, workflow.resubmit, "researcher", made, proposal()).version == 2
