"""What is done with submissions: each function one change of the ledger, with its entry in the audit trail.

Every function is called inside `Ledger.writing()`, takes who does it (`by`: a person's id), locks the rows it changes,
asks `divulge.ledger.states`, changes, and adds the entry. Rows are locked in one order: job, submission, trail.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from divulge.errors import BusyError, NotAllowedError, NotFoundError, SpecError, StaleError, StateError
from divulge.ledger import notices, states, trail
from divulge.ledger.basis import changed_since, find_basis, lock_people
from divulge.ledger.datasets import get_open_dataset, schema_of
from divulge.ledger.model import (
    Assignment,
    Audience,
    CheckerDecision,
    Choice,
    Comment,
    Job,
    JobState,
    News,
    Person,
    Project,
    State,
    Submission,
    SubmittedOutput,
    Upload,
    Use,
    utc_now,
)
from divulge.ledger.numbers import draw_numbers
from divulge.ledger.proposals import Proposal, check_context

_LONGEST_TEXT = 20_000  # characters of a comment or a reason
_MOST_UNDECIDED = 200  # submissions of one person that wait for a decision; a busy project has some tens
_STRICTER = (Choice.RELEASE, Choice.RETURN, Choice.REFUSE)  # the strictest last: what outputs add up to


def submit(
    session: Session, by: int, project_id: int, dataset_id: int, proposal: Proposal, *, token: str | None = None
) -> Submission:
    """Hand in outputs, and queue their assessment. The same token again gives the submission that it made before."""
    author = get_person(session, by)
    made = _made_before(session, author, token)
    if made is not None:
        return made
    project = get_open_project(session, author, project_id)
    return _hand_in(session, author, project, dataset_id, proposal, token, None)


def resubmit(
    session: Session, by: int, submission_id: int, proposal: Proposal, *, token: str | None = None
) -> Submission:
    """Hand in a new version of what was returned."""
    author = get_person(session, by)
    made = _made_before(session, author, token)
    if made is not None:
        return made
    old = lock_submission(session, submission_id)
    states.Rights(author).check_resubmit(old)
    return _hand_in(session, author, old.project, old.dataset_id, proposal, token, old)


def comment(
    session: Session, by: int, submission_id: int, text: str, *, audience: Audience = Audience.EVERYBODY
) -> Comment:
    """Say something about a submission. Only checkers and custodians can say it among themselves."""
    person, submission = get_person(session, by), get_submission(session, submission_id)
    states.Rights(person).check_comment(submission)
    if audience is Audience.CHECKERS:
        states.Rights(person).check_see_assessment(submission)
    made = Comment(submission_id=submission.id, person_id=person.id, text=_said(text, "comment"), audience=audience)
    session.add(made)
    session.flush()
    if audience is Audience.EVERYBODY:
        notices.note(session, submission, News.COMMENTED, by=person.id)
    details = {"comment": made.id, "audience": audience, "digest": trail.digest(made.text)}
    trail.append(session, person.name, "comment", "submission", submission.id, details)
    return made


def assign(session: Session, by: int, submission_id: int, checker_id: int, *, remove: bool = False) -> None:
    """Name a checker who looks after a submission, or take the name away. Doing it twice changes nothing."""
    person, checker = get_person(session, by), get_person(session, checker_id)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_assign(submission, None if remove else checker)
    held = session.get(Assignment, (submission.id, checker.id))
    if (held is None) == remove:
        return
    if held is None:
        session.add(Assignment(submission_id=submission.id, person_id=checker.id))
    else:
        session.delete(held)
    session.flush()
    action = "unassign" if remove else "assign"
    trail.append(session, person.name, action, "submission", submission.id, {"checker": checker.name})


def assess(session: Session, by: int, submission_id: int) -> Job:
    """Queue an assessment: the first, or again after one that failed, was cancelled, or whose settings have changed."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_assess(submission, latest_job(session, submission.id))
    if submission.state is State.READY:
        _move(submission, State.SUBMITTED)
    job = _queue(session, submission)
    trail.append(session, person.name, "assess", "submission", submission.id, {"job": job.id})
    return job


def cancel(session: Session, by: int, submission_id: int) -> Job:
    """Stop an assessment. A waiting one ends at once; a running one is stopped by its worker, within seconds."""
    person = get_person(session, by)
    job = latest_job(session, submission_id, lock=True)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_cancel(submission, job)
    assert job is not None, "checked"
    if job.state is JobState.QUEUED:
        job.state, job.finished_at = JobState.CANCELLED, utc_now()
        if submission.state is State.ASSESSING:
            _move(submission, State.SUBMITTED)
    else:
        job.cancel_asked = True
    trail.append(session, person.name, "cancel", "submission", submission.id, {"job": job.id})
    return job


def withdraw(session: Session, by: int, submission_id: int) -> Submission:
    """Take one's own submission back before it is decided on. Whatever computes is stopped."""
    person = get_person(session, by)
    job = latest_job(session, submission_id, lock=True)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_withdraw(submission)
    if job is not None and job.state is JobState.QUEUED:
        job.state, job.finished_at = JobState.CANCELLED, utc_now()
    elif job is not None and job.is_active:
        job.cancel_asked = True
    _move(submission, State.RETURNED)
    trail.append(session, person.name, "withdraw", "submission", submission.id)
    return submission


def give_back(session: Session, by: int, submission_id: int, reason: str) -> Submission:
    """Return a submission to its author with reasons. (`return` is a word of Python's.)"""
    person = get_person(session, by)
    job = latest_job(session, submission_id, lock=True)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_return(submission, job)
    _move(submission, State.RETURNED)
    said = Comment(submission_id=submission.id, person_id=person.id, text=_said(reason, "reason"))
    session.add(said)
    session.flush()
    notices.note(session, submission, News.DECIDED, by=person.id)
    details = {"comment": said.id, "digest": trail.digest(said.text)}
    trail.append(session, person.name, "return", "submission", submission.id, details)
    return submission


def decide(
    session: Session,
    by: int,
    submission_id: int,
    choice: Choice | Mapping[int, Choice],
    reason: str,
    *,
    files: Collection[int] = (),
    seen: int | None = None,
) -> CheckerDecision:
    """Record what one checker decided, and why. Releasing or refusing is a step of its own.

    choice: for all outputs, or for each by its number; the submission's is the strictest of them. files: the ids of
    the files that the checker approves of though they were not assessed. seen: the assessment that the checker looked
    at, where that is known. Decided again before the last checker has, it takes the place of what was decided first.
    """
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_decide(submission)
    check_fresh(session, submission)
    choices = _choices(submission, choice)
    approved = sorted(set(files) & {u.id for u in submission.uploads if u.use is Use.OTHER})
    newest = submission.assessments[-1] if submission.assessments else None
    if seen is not None and (newest is None or newest.id != seen):
        raise StateError(
            "it was assessed again since you looked at it.",
            where=f"submission {submission.id}",
            hint="Read what the assessment says now, and decide on that.",
        )
    made = next((d for d in submission.current_decisions if d.person_id == person.id), None)
    if made is None:
        made = CheckerDecision(
            submission_id=submission.id, person_id=person.id, assessment_id=None if newest is None else newest.id
        )
        session.add(made)
    made.choice, made.reason, made.at = max(choices.values(), key=_STRICTER.index), _said(reason, "reason"), utc_now()
    made.outputs, made.files = {str(number): one for number, one in choices.items()}, approved
    session.flush()
    session.expire(submission, ["decisions"])
    trail.append(session, person.name, "decide", "submission", submission.id, decision_details(made))
    return made


def check_fresh(session: Session, submission: Submission) -> None:
    """Raise StaleError where what the newest assessment rests on has changed; it is then queued again.

    Called last of all checks, in the transaction that decides or releases. Until that ends nothing else about the same
    people is released.
    """
    lock_people(session, submission.dataset)
    newest = submission.assessments[-1] if submission.assessments else None
    changed = changed_since(newest.basis if newest is not None else None, find_basis(session, submission))
    if not changed:
        return
    _move(submission, State.SUBMITTED)
    job = _queue(session, submission)
    trail.append(
        session, trail.SERVICE, "stale", "submission", submission.id, {"job": job.id, "changed": sorted(changed)}
    )
    raise StaleError(
        f"something has changed since it was assessed: {'; '.join(changed)}.",
        where=f"submission {submission.id}",
        hint="It is assessed again. Decide then, on the new assessment.",
    )


def _choices(submission: Submission, choice: Choice | Mapping[int, Choice]) -> dict[int, Choice]:
    """The choice of every output, by its number."""
    numbers = [o.number for o in submission.outputs]
    if isinstance(choice, Choice):
        return dict.fromkeys(numbers, choice) or {0: choice}
    if set(choice) != set(numbers):
        raise SpecError("a choice is needed for every output.", where="choice")
    return dict(choice)


def refuse(session: Session, by: int, submission_id: int) -> Submission:
    """Close a submission for good, once enough checkers are against its release."""
    person = get_person(session, by)
    submission = lock_submission(session, submission_id)
    states.Rights(person).check_refuse(submission)
    _move(submission, State.REFUSED)
    notices.note(session, submission, News.DECIDED, by=person.id)
    trail.append(session, person.name, "refuse", "submission", submission.id)
    return submission


def decision_details(decision: CheckerDecision) -> dict[str, object]:
    """What the trail says of a decision; `verify` compares it with the row."""
    return {
        "decision": decision.id,
        "choice": decision.choice,
        "assessment": decision.assessment_id,
        "digest": trail.digest(decision.reason),
        "parts": trail.digest([decision.outputs, decision.files]),
    }


def get_person(session: Session, person_id: int) -> Person:
    """Somebody with an open account."""
    person = session.get(Person, person_id)
    if person is None:
        raise NotAllowedError("there is no such account.")
    states.Rights(person).check_active()
    return person


def get_open_project(session: Session, author: Person, project_id: int) -> Project:
    """A project to which somebody submits. Whoever does not work in it does not learn whether there is one."""
    found = session.get(Project, project_id)
    if found is None:
        raise states.not_a_member()
    states.Rights(author).check_submit(found)
    return found


def get_submission(session: Session, submission_id: int) -> Submission:
    found = session.get(Submission, submission_id)
    if found is None:
        raise NotFoundError(f"there is no submission {submission_id}.")
    return found


def lock_submission(session: Session, submission_id: int) -> Submission:
    """A submission that nobody else can change until this transaction ends, as it is now."""
    statement = select(Submission).where(Submission.id == submission_id).with_for_update()
    found = session.scalars(statement.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise NotFoundError(f"there is no submission {submission_id}.")
    return found


def latest_job(session: Session, submission_id: int, *, lock: bool = False) -> Job | None:
    """The active job of a submission, or the last that there was."""
    statement = select(Job).where(Job.submission_id == submission_id).order_by(Job.id.desc()).limit(1)
    if lock:
        statement = statement.with_for_update().execution_options(populate_existing=True)
    return session.scalars(statement).one_or_none()


def _made_before(session: Session, author: Person, token: str | None) -> Submission | None:
    if token is None:
        return None
    return session.scalars(select(Submission).where(Submission.form_token == _kept_token(author, token))).one_or_none()


def _kept_token(author: Person, token: str) -> str:
    """A token as it is kept: everybody's own, so that nobody learns which ones others have chosen."""
    return trail.digest([author.id, token])


def _hand_in(
    session: Session,
    author: Person,
    project: Project,
    dataset_id: int,
    proposal: Proposal,
    token: str | None,
    old: Submission | None,
) -> Submission:
    dataset = get_open_dataset(session, project.id, dataset_id)
    _check_room(session, author)
    outputs, files = proposal.check(schema_of(dataset), dataset.public)
    submission = Submission(
        id=draw_numbers(session, Submission)[0],
        project_id=project.id,
        dataset_id=dataset.id,
        author_id=author.id,
        title=proposal.title.strip()[:300],
        purpose=proposal.purpose[:_LONGEST_TEXT],
        origin=proposal.origin,
        checkers_needed=project.checkers_needed,
        version=1 if old is None else old.version + 1,
        replaces_id=None if old is None else old.id,
        form_token=None if token is None else _kept_token(author, token),
        context=check_context(proposal.context, len(outputs)) or None,
    )
    submission.outputs = [
        SubmittedOutput(number=i, name=o.name[:300], kind=o.kind, document=o.document, variables=list(o.variables))
        for i, o in enumerate(outputs, start=1)
    ]
    submission.uploads = [
        Upload(id=number, name=f.name, digest=f.blob.digest, size=f.blob.size, use=f.use, why=f.why)
        for number, f in zip(draw_numbers(session, Upload, len(files)), files, strict=True)
    ]
    session.add(submission)
    session.flush()
    job = _queue(session, submission)
    notices.note(session, submission, News.SUBMITTED, by=author.id)
    details = {
        "version": submission.version,
        "replaces": submission.replaces_id,
        "dataset": dataset.fingerprint,
        "job": job.id,
        "outputs": trail.digest([o.document for o in outputs]),
        "uploads": [[f.name, f.blob.digest] for f in files],
    }
    trail.append(session, author.name, "submit" if old is None else "resubmit", "submission", submission.id, details)
    return submission


def _check_room(session: Session, author: Person) -> None:
    """Raise where somebody has more before the checkers than people hand in. Decided ones do not count.

    Those that are assessed count like those that are not: when there is room again tells of decisions alone.
    """
    undecided = Submission.author_id == author.id, Submission.state.in_(states.UNDECIDED)
    if session.scalars(select(func.count()).select_from(Submission).where(*undecided)).one() >= _MOST_UNDECIDED:
        raise BusyError(
            f"{_MOST_UNDECIDED} submissions of yours wait for a decision.", hint="Wait for some, or withdraw some."
        )


def _queue(session: Session, submission: Submission) -> Job:
    job = Job(submission_id=submission.id)
    session.add(job)
    session.flush()
    return job


def _move(submission: Submission, to: State) -> None:
    states.check_transition(submission, to)
    submission.state, submission.changed_at = to, utc_now()


def _said(text: str, what: str) -> str:
    # No text has this character, and PostgreSQL takes none that does.
    said = text.replace("\0", "").strip()
    if not said:
        raise SpecError(f"a {what} is needed.", where=what)
    if len(said) > _LONGEST_TEXT:
        raise SpecError(f"a {what} of at most {_LONGEST_TEXT:,} characters is needed.", where=what)
    return said
