"""Who may do what with a submission, and when: the one place where that is decided. Nothing here changes anything.

`Rights(person).check_x` raises NotAllowedError (who) or StateError (when); `may` asks it and answers yes or no. What is
done then is in `divulge.ledger.workflow`, which asks the same `check_x` again inside its transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec

from divulge.errors import NotAllowedError, StateError
from divulge.ledger.model import Choice, Job, Person, Project, Role, State, Submission, Upload, Use

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


@dataclass(frozen=True)
class Rights:
    """What a person may do: each `check_x` returns, or raises NotAllowedError (who) or StateError (when)."""

    person: Person

    def shown_state(self, submission: Submission) -> State:
        """The state that a person is told. When an assessment begins and ends, and how, depends on the data."""
        hidden = self.person.role not in OVERSEEING and submission.state in UNDECIDED
        return State.SUBMITTED if hidden else submission.state

    def check_active(self) -> None:
        if not self.person.is_active:
            raise NotAllowedError("this account is closed.")

    def check_see(self, submission: Submission) -> None:
        """Researchers and administrators see what they submitted themselves, in any version; others see everything."""
        self.check_active()
        if self.person.role not in OVERSEEING and self.person.id not in submission.author_ids:
            raise NotAllowedError("this submission is somebody else's.", where=_named(submission))

    def check_see_assessment(self, submission: Submission) -> None:
        """Whether the record with its exposure figures may be shown: never to researchers, not even of their own."""
        self.check_see(submission)
        self._check_role(OVERSEEING, "see what an assessment found")

    def check_submit(self, project: Project) -> None:
        self.check_active()
        # First, and without its name: what a project is called is for those who work in it.
        if self.person.id not in {m.person_id for m in project.memberships}:
            raise not_a_member()
        if not project.is_open:
            raise StateError("the project is closed.", where=project.name)

    def check_resubmit(self, submission: Submission) -> None:
        """A new version of what was returned: by whoever submitted it, once."""
        self.check_see(submission)
        if self.person.id not in submission.author_ids:
            raise NotAllowedError("only the author submits a new version.", where=_named(submission))
        self._check_state(submission, (State.RETURNED,), "be submitted again")
        if submission.replaced_by is not None:
            raise StateError("there is a newer version already.", where=_named(submission))
        self.check_submit(submission.project)

    def check_withdraw(self, submission: Submission) -> None:
        """Take it back: whoever submitted it, before it is decided on."""
        self.check_see(submission)
        if self.person.id not in submission.author_ids:
            raise NotAllowedError("only the author withdraws a submission.", where=_named(submission))
        self._check_state(submission, UNDECIDED, "be withdrawn")

    def check_comment(self, submission: Submission) -> None:
        self.check_see(submission)

    def check_assign(self, submission: Submission, checker: Person | None = None) -> None:
        """checker: who is to look after it; None asks whether anybody could be named."""
        self.check_see(submission)
        self._check_role(OVERSEEING, "assign submissions")
        self._check_state(submission, (State.SUBMITTED, State.ASSESSING, State.READY), "be assigned")
        if checker is not None:
            Rights(checker)._check_role(_CHECKING, "look after submissions")
            Rights(checker).check_active()
            if checker.id in submission.author_ids:
                raise NotAllowedError("nobody checks their own submission.", where=_named(submission))

    def check_assess(self, submission: Submission, job: Job | None) -> None:
        """Queue an assessment (again: retry). job: the latest one of the submission, or None."""
        self.check_see(submission)
        self._check_role(OVERSEEING, "start assessments")
        self._check_state(submission, (State.SUBMITTED, State.READY), "be assessed")
        if job is not None and job.is_active:
            raise StateError("it is being assessed already.", where=_named(submission))
        if submission.state is State.READY and submission.current_decisions:
            raise StateError("somebody has decided on the assessment that there is.", where=_named(submission))

    def check_cancel(self, submission: Submission, job: Job | None) -> None:
        """Stop an assessment that waits or runs: checkers and custodians. Authors are not told that there is one."""
        self.check_see(submission)
        self._check_role(OVERSEEING, "stop assessments")
        if job is None or not job.is_active:
            raise StateError("it is not being assessed.", where=_named(submission))
        if job.cancel_asked:
            raise StateError("it is being stopped already.", where=_named(submission))

    def check_return(self, submission: Submission, job: Job | None) -> None:
        """Give it back to its author with reasons, to be changed and submitted again."""
        self._check_checker(submission, "return submissions")
        self._check_state(submission, (State.SUBMITTED, State.READY), "be returned")
        if job is not None and job.is_active:
            raise StateError("it is being assessed.", where=_named(submission), hint="Cancel the assessment first.")

    def check_decide(self, submission: Submission) -> None:
        """Say yes or no, with a reason: a checker, and not on what they submitted themselves.

        Until the last of the checkers who are needed has decided, each may correct what they said.
        """
        self._check_checker(submission, "decide")
        self._check_state(submission, (State.READY,), "be decided on")
        found = submission.current_decisions
        if self.person.id in {d.person_id for d in found} and len(found) >= submission.checkers_needed:
            raise StateError("you have decided on it already, and so have the others.", where=_named(submission))

    def check_search(self, submission: Submission) -> None:
        """Look for changes that make it safe, to offer them to its author: a checker, before it is decided for good."""
        self._check_checker(submission, "look for changes")
        self._check_state(submission, (State.READY, State.RETURNED), "be made safer")
        if not submission.outputs or not submission.assessments:
            raise StateError("it was not assessed.", where=_named(submission))
        if any(output.made for output in submission.outputs):
            raise StateError("changes are looked for in variables of the data alone.", where=_named(submission))
        if submission.replaced_by is not None:
            raise StateError("there is a newer version already.", where=_named(submission))

    def check_release(self, submission: Submission) -> None:
        """Let it out: as many checkers as the project asks for are in favour, and none against."""
        self._check_checker(submission, "release")
        self._check_state(submission, (State.READY,), "be released")
        _check_all_decided(submission)
        if _votes(submission, Choice.REFUSE) + _votes(submission, Choice.RETURN):
            raise StateError("a checker is against its release.", where=_named(submission), hint="Return or refuse it.")
        _check_votes(submission, Choice.RELEASE, "in favour of its release")

    def check_refuse(self, submission: Submission) -> None:
        """Close it for good: as many checkers as the project asks for are against its release."""
        self._check_checker(submission, "refuse")
        self._check_state(submission, (State.READY,), "be refused")
        _check_all_decided(submission)
        _check_votes(submission, Choice.REFUSE, "against its release")

    def check_manage_people(self) -> None:
        self._check_role((Role.ADMINISTRATOR,), "manage people and projects")

    def check_manage_data(self) -> None:
        self._check_role((Role.CUSTODIAN, Role.ADMINISTRATOR), "register data")

    def check_see_ledger(self) -> None:
        """Whether what was released about a dataset, by whomever, may be shown."""
        self._check_role(OVERSEEING, "see everything that was released")

    def check_see_dashboard(self) -> None:
        """Whether how the checking goes may be shown: it tells verdicts."""
        self._check_role(OVERSEEING, "see how the checking goes")

    def check_keep_reasons(self) -> None:
        self._check_role(OVERSEEING, "keep templates for reasons")

    def _check_checker(self, submission: Submission, doing: str) -> None:
        self.check_see(submission)
        self._check_role(_CHECKING, doing)
        if self.person.id in submission.author_ids:
            raise NotAllowedError("nobody decides on their own submission.", where=_named(submission))

    def _check_role(self, roles: tuple[Role, ...], doing: str) -> None:
        self.check_active()
        if self.person.role not in roles:
            raise NotAllowedError(f"a {self.person.role} does not {doing}.", hint=f"Ask a {' or a '.join(roles)}.")

    def _check_state(self, submission: Submission, states: tuple[State, ...], doing: str) -> None:
        if submission.state not in states:
            # As the person is told it: how far an assessment is depends on the data.
            raise StateError(f"it is {self.shown_state(submission)} and cannot {doing}.", where=_named(submission))


def not_a_member() -> NotAllowedError:
    """The same error for somebody who does not work in a project, whether there is such a project or not."""
    return NotAllowedError("only members of a project submit to it.", where="project")


def may(check: Callable[_P, None], *given: _P.args, **named: _P.kwargs) -> bool:
    """Whether a check passes: `may(Rights(person).check_release, submission)` decides whether the button is drawn."""
    try:
        check(*given, **named)
    except (NotAllowedError, StateError):
        return False
    return True


def may_leave(submission: Submission, upload: Upload) -> bool:
    """Whether a file that was not assessed leaves: two checkers at least approve of it, and as many as are needed."""
    approvals = sum(upload.id in d.files for d in submission.current_decisions)
    return upload.use is Use.OTHER and approvals >= max(_FILE_APPROVALS, submission.checkers_needed)


def _votes(submission: Submission, choice: Choice) -> int:
    """How many checkers are for this choice."""
    return sum(d.choice is choice for d in submission.current_decisions)


def _check_all_decided(submission: Submission) -> None:
    """Asked before what was decided is: until all have decided, nobody learns what another one did."""
    found = len(submission.current_decisions)
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
