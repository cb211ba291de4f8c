"""Who may do what with a submission, and when: the one place where that is decided. Nothing here changes anything.

`check_x` raises NotAllowedError (who) or StateError (when); `may` asks it and answers yes or no. What is done then
is in `divulge.ledger.workflow`, which asks the same `check_x` again inside its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ParamSpec

from divulge.errors import NotAllowedError, StateError
from divulge.ledger.model import CheckerDecision, Choice, Job, Person, Project, Role, State, Submission, Upload, Use

_P = ParamSpec("_P")

TRANSITIONS: dict[State, tuple[State, ...]] = {
    State.SUBMITTED: (State.ASSESSING, State.RETURNED),
    State.ASSESSING: (State.READY, State.SUBMITTED, State.RETURNED),
    State.READY: (State.RELEASED, State.RETURNED, State.REFUSED, State.SUBMITTED),
    State.RELEASED: (),
    State.RETURNED: (),
    State.REFUSED: (),
}
"""Every change of state that there is. From ready back to submitted: assessed anew before anybody has decided."""

_CHECKING = (Role.CHECKER,)  # who decides on outputs
_FILE_APPROVALS = 2  # checkers who must approve of a file that was not assessed, however few a project asks for
OVERSEEING = (Role.CHECKER, Role.CUSTODIAN)
"""Who sees every submission and its assessment."""


def check_transition(submission: Submission, to: State) -> None:
    if to not in TRANSITIONS[submission.state]:
        raise StateError(f"a submission that is {submission.state} cannot become {to}.", where=_named(submission))


UNDECIDED = (State.SUBMITTED, State.ASSESSING, State.READY)
"""Before anybody has decided. To whoever does not oversee submissions these are one and the same: submitted."""


def shown_state(person: Person, submission: Submission) -> State:
    """The state that a person is told. When an assessment begins and ends, and how, depends on the data."""
    hidden = person.role not in OVERSEEING and submission.state in UNDECIDED
    return State.SUBMITTED if hidden else submission.state


def check_active(person: Person) -> None:
    if not person.is_active:
        raise NotAllowedError("this account is closed.")


def check_see(person: Person, submission: Submission) -> None:
    """Researchers and administrators see what they submitted themselves, in any version; the others see everything."""
    check_active(person)
    if person.role not in OVERSEEING and person.id not in authors(submission):
        raise NotAllowedError("this submission is somebody else's.", where=_named(submission))


def check_see_assessment(person: Person, submission: Submission) -> None:
    """Whether the record with its exposure figures may be shown: never to researchers, not even of their own output."""
    check_see(person, submission)
    _check_role(person, OVERSEEING, "see what an assessment found")


def check_submit(person: Person, project: Project) -> None:
    check_active(person)
    # First, and without its name: what a project is called is for those who work in it.
    if person.id not in {m.person_id for m in project.memberships}:
        raise not_a_member()
    if not project.is_open:
        raise StateError("the project is closed.", where=project.name)


def not_a_member() -> NotAllowedError:
    """What whoever does not work in a project is told, whether there is such a project or not."""
    return NotAllowedError("only members of a project submit to it.", where="project")


def check_resubmit(person: Person, submission: Submission) -> None:
    """A new version of what was returned: by whoever submitted it, once."""
    check_see(person, submission)
    if person.id not in authors(submission):
        raise NotAllowedError("only the author submits a new version.", where=_named(submission))
    _check_state(person, submission, (State.RETURNED,), "be submitted again")
    if submission.replaced_by is not None:
        raise StateError("there is a newer version already.", where=_named(submission))
    check_submit(person, submission.project)


def check_withdraw(person: Person, submission: Submission) -> None:
    """Take it back: whoever submitted it, before it is decided on."""
    check_see(person, submission)
    if person.id not in authors(submission):
        raise NotAllowedError("only the author withdraws a submission.", where=_named(submission))
    _check_state(person, submission, UNDECIDED, "be withdrawn")


def check_comment(person: Person, submission: Submission) -> None:
    check_see(person, submission)


def check_assign(person: Person, submission: Submission, checker: Person | None = None) -> None:
    """checker: who is to look after it; None asks whether anybody could be named."""
    check_see(person, submission)
    _check_role(person, OVERSEEING, "assign submissions")
    _check_state(person, submission, (State.SUBMITTED, State.ASSESSING, State.READY), "be assigned")
    if checker is not None:
        _check_role(checker, _CHECKING, "look after submissions")
        check_active(checker)
        if checker.id in authors(submission):
            raise NotAllowedError("nobody checks their own submission.", where=_named(submission))


def check_assess(person: Person, submission: Submission, job: Job | None) -> None:
    """Queue an assessment (again: retry). job: the latest one of the submission, or None."""
    check_see(person, submission)
    _check_role(person, OVERSEEING, "start assessments")
    _check_state(person, submission, (State.SUBMITTED, State.READY), "be assessed")
    if job is not None and job.is_active:
        raise StateError("it is being assessed already.", where=_named(submission))
    if submission.state is State.READY and current_decisions(submission):
        raise StateError("somebody has decided on the assessment that there is.", where=_named(submission))


def check_cancel(person: Person, submission: Submission, job: Job | None) -> None:
    """Stop an assessment that waits or runs: checkers and custodians. Authors are not told that there is one."""
    check_see(person, submission)
    _check_role(person, OVERSEEING, "stop assessments")
    if job is None or not job.is_active:
        raise StateError("it is not being assessed.", where=_named(submission))
    if job.cancel_asked:
        raise StateError("it is being stopped already.", where=_named(submission))


def check_return(person: Person, submission: Submission, job: Job | None) -> None:
    """Give it back to its author with reasons, to be changed and submitted again."""
    _check_checker(person, submission, "return submissions")
    _check_state(person, submission, (State.SUBMITTED, State.READY), "be returned")
    if job is not None and job.is_active:
        raise StateError("it is being assessed.", where=_named(submission), hint="Cancel the assessment first.")


def check_decide(person: Person, submission: Submission) -> None:
    """Say yes or no, with a reason: a checker, and not on what they submitted themselves.

    Until the last of the checkers who are needed has decided, each may correct what they said.
    """
    _check_checker(person, submission, "decide")
    _check_state(person, submission, (State.READY,), "be decided on")
    found = current_decisions(submission)
    if person.id in {d.person_id for d in found} and len(found) >= submission.checkers_needed:
        raise StateError("you have decided on it already, and so have the others.", where=_named(submission))


def check_search(person: Person, submission: Submission) -> None:
    """Look for changes that make it safe, and offer them to its author: a checker, of what is not decided for good."""
    _check_checker(person, submission, "look for changes")
    _check_state(person, submission, (State.READY, State.RETURNED), "be made safer")
    if not submission.outputs or not submission.assessments:
        raise StateError("it was not assessed.", where=_named(submission))
    if any(output.made for output in submission.outputs):
        raise StateError("changes are looked for in variables of the data alone.", where=_named(submission))
    if submission.replaced_by is not None:
        raise StateError("there is a newer version already.", where=_named(submission))


def check_release(person: Person, submission: Submission) -> None:
    """Let it out: as many checkers as the project asks for are in favour, and none against."""
    _check_checker(person, submission, "release")
    _check_state(person, submission, (State.READY,), "be released")
    _check_all_decided(submission)
    if _votes(submission, Choice.REFUSE) + _votes(submission, Choice.RETURN):
        raise StateError("a checker is against its release.", where=_named(submission), hint="Return or refuse it.")
    _check_votes(submission, Choice.RELEASE, "in favour of its release")


def check_refuse(person: Person, submission: Submission) -> None:
    """Close it for good: as many checkers as the project asks for are against its release."""
    _check_checker(person, submission, "refuse")
    _check_state(person, submission, (State.READY,), "be refused")
    _check_all_decided(submission)
    _check_votes(submission, Choice.REFUSE, "against its release")


def check_manage_people(person: Person) -> None:
    _check_role(person, (Role.ADMINISTRATOR,), "manage people and projects")


def check_manage_data(person: Person) -> None:
    _check_role(person, (Role.CUSTODIAN, Role.ADMINISTRATOR), "register data")


def check_see_ledger(person: Person) -> None:
    """Whether what was released about a dataset, by whomever, may be shown."""
    _check_role(person, OVERSEEING, "see everything that was released")


def check_see_dashboard(person: Person) -> None:
    """Whether how the checking goes may be shown: it tells verdicts."""
    _check_role(person, OVERSEEING, "see how the checking goes")


def check_keep_reasons(person: Person) -> None:
    _check_role(person, OVERSEEING, "keep templates for reasons")


def may(check: Callable[_P, None], *given: _P.args, **named: _P.kwargs) -> bool:
    """Whether a check passes: `may(check_release, person, submission)` decides whether the button is drawn."""
    try:
        check(*given, **named)
    except (NotAllowedError, StateError):
        return False
    return True


def authors(submission: Submission) -> set[int]:
    """The ids of everybody who submitted this or an earlier version of it."""
    return {version.author_id for version in _versions(submission)}


def _versions(submission: Submission) -> Iterator[Submission]:
    """This submission and those that it replaces, the newest first."""
    version: Submission | None = submission
    while version is not None:
        yield version
        version = version.replaces


def current_decisions(submission: Submission) -> list[CheckerDecision]:
    """What was decided on the newest assessment. What was decided on an earlier one counts no more."""
    newest = submission.assessments[-1].id if submission.assessments else None
    return [d for d in submission.decisions if d.assessment_id == newest]


def may_leave(submission: Submission, upload: Upload) -> bool:
    """Whether a file that was not assessed leaves: two checkers at least approve of it, and as many as are needed."""
    approvals = sum(upload.id in d.files for d in current_decisions(submission))
    return upload.use is Use.OTHER and approvals >= max(_FILE_APPROVALS, submission.checkers_needed)


def _votes(submission: Submission, choice: Choice) -> int:
    """How many checkers are for this choice."""
    return sum(d.choice is choice for d in current_decisions(submission))


def _check_checker(person: Person, submission: Submission, doing: str) -> None:
    check_see(person, submission)
    _check_role(person, _CHECKING, doing)
    if person.id in authors(submission):
        raise NotAllowedError("nobody decides on their own submission.", where=_named(submission))


def _check_role(person: Person, roles: tuple[Role, ...], doing: str) -> None:
    check_active(person)
    if person.role not in roles:
        raise NotAllowedError(f"a {person.role} does not {doing}.", hint=f"Ask a {' or a '.join(roles)}.")


def _check_state(person: Person, submission: Submission, states: tuple[State, ...], doing: str) -> None:
    if submission.state not in states:
        # As the person is told it: how far an assessment is depends on the data.
        raise StateError(f"it is {shown_state(person, submission)} and cannot {doing}.", where=_named(submission))


def _check_all_decided(submission: Submission) -> None:
    """Asked before what was decided is: until all have decided, nobody learns what another one did."""
    found = len(current_decisions(submission))
    if found < submission.checkers_needed:
        raise StateError(
            f"{submission.checkers_needed} checkers are to decide; {found} of them {'has' if found == 1 else 'have'}.",
            where=_named(submission),
        )


def _check_votes(submission: Submission, choice: Choice, meaning: str) -> None:
    found = _votes(submission, choice)
    if found < submission.checkers_needed:
        raise StateError(
            f"{submission.checkers_needed} checkers {meaning} are needed; there are {found}.", where=_named(submission)
        )


def _named(submission: Submission) -> str:
    return f"submission {submission.id}"
