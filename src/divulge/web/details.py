"""One submission as a page or the API shows it: everything its reader may see of it, and nothing else.

What a researcher is given is cut here, in one place: no verdict, no reason of an assessment, no failure's message, no
comment among checkers, no figure that the service computed before it is released.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from divulge.errors import NotAllowedError, NotFoundError
from divulge.ledger import queries, searches, states, workflow
from divulge.ledger.database import Ledger
from divulge.ledger.model import (
    Audience,
    CheckerDecision,
    Comment,
    Job,
    JobState,
    Person,
    Role,
    Search,
    State,
    StoredAssessment,
    Submission,
    SubmittedOutput,
    TrailEntry,
    Upload,
    Use,
)
from divulge.ledger.proposals import HANDED_IN, OF_AN_OFFER, OFFERED
from divulge.ledger.store import Store
from divulge.web.access import Visitor
from divulge.web.acro import AcroStatus, acro_statuses
from divulge.web.cache import LatestUsed
from divulge.web.rounds import ChangedOutput, Round, changes, earlier_rounds
from divulge.web.rulings import Mark, Ruling, is_clean, marks_of, read_rulings

_ACTIONS: Mapping[str, Callable[..., None]] = {
    "comment": states.Rights.check_comment,
    "assign": states.Rights.check_assign,
    "assess": states.Rights.check_assess,
    "cancel": states.Rights.check_cancel,
    "return": states.Rights.check_return,
    "decide": states.Rights.check_decide,
    "release": states.Rights.check_release,
    "refuse": states.Rights.check_refuse,
    "resubmit": states.Rights.check_resubmit,
    "withdraw": states.Rights.check_withdraw,
    "search": states.Rights.check_search,
    "see_assessment": states.Rights.check_see_assessment,
}
"""What may be possible with a submission, and the check that says so."""

_MOST_LOOKS = 100  # of a page; `divulge ledger show` has them all
_WITH_JOB = ("assess", "cancel", "return")  # these depend on the latest job too


@dataclass(frozen=True)
class _Look:
    """Somebody looked at something of a submission, or took it away."""

    at: datetime
    person: str
    is_download: bool
    what: str


@dataclass(frozen=True)
class VisibleSubmission:
    """A submission with what its reader may see. can: which buttons are drawn. brief: of the assessment."""

    submission: Submission
    state: State
    """As the reader is told it: before a decision a researcher learns nothing of how far it is."""
    reader: int
    job: Job | None
    can: Mapping[str, bool]
    comments: tuple[Comment, ...]
    assessment: StoredAssessment | None
    brief: Mapping[str, Any] | None
    decisions: tuple[CheckerDecision, ...]
    n_decided: int
    checkers: tuple[Person, ...]
    history: tuple[TrailEntry, ...]
    looks: tuple[_Look, ...]
    by_acro: tuple[AcroStatus, ...] = ()
    search: Search | None = None
    """Changes that would make it safe, for whoever sees the assessment."""
    offers: tuple[tuple[int, str], ...] = ()
    """Changes that the author may submit with a click: the place of each, and what is done."""
    rounds: tuple[Round, ...] = ()
    changes: tuple[ChangedOutput, ...] = ()
    """What changed since the version before, for whoever sees figures."""

    @property
    def changed_at(self) -> datetime:
        """When it last changed, as the reader is told it."""
        hidden = not self.can["see_assessment"] and self.submission.state in states.UNDECIDED
        return self.submission.created_at if hidden else self.submission.changed_at

    @property
    def outputs(self) -> list[SubmittedOutput]:
        """The outputs as the reader is told of them. What could be read of files depends on the data."""
        hidden = not self.can["see_assessment"] and self.submission.origin in ("acro", HANDED_IN)
        return [] if hidden and self.submission.state is not State.RELEASED else list(self.submission.outputs)

    def use_of(self, upload: Upload) -> str:
        """What becomes of a file, as the reader is told it."""
        hidden = not self.can["see_assessment"] and _came_by_acro(self.submission)
        return Use.SUPPORTING if hidden else upload.use

    @property
    def file_ids(self) -> dict[str, int]:
        return {u.name: u.id for u in self.submission.uploads}

    @property
    def shows_figures(self) -> bool:
        """Whether computed figures are shown: to whoever sees the assessment, and to everybody once they are out."""
        return self.can["see_assessment"] or self.submission.state is State.RELEASED

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What rules and arithmetic found, for whoever sees the assessment."""
        return read_rulings(self.brief, self.submission.outputs) if self.brief is not None else ()

    @property
    def is_clean(self) -> bool:
        """Whether the assessment releases it and no rule is broken, for whoever sees the assessment."""
        return self.brief is not None and is_clean(self.brief)

    def marks_of(self, output: SubmittedOutput) -> Mapping[str, Mark]:
        """What is the matter with the figures of an output, by label."""
        return marks_of(self.brief, output.number) if self.brief is not None else {}

    def context_of(self, number: int) -> Mapping[str, str]:
        """What its author says of an output; of all of them: 0."""
        found: Mapping[str, str] = (self.submission.context or {}).get(str(number), {})
        return found

    def document_of(self, output: SubmittedOutput) -> dict[str, Any]:
        """An output as the reader is told of it. How a change was drawn from the data is not its author's to know."""
        hidden = OF_AN_OFFER if self.submission.origin == OFFERED and not self.can["see_assessment"] else ()
        return {name: value for name, value in output.document.items() if name not in hidden}

    def verdict_of(self, output: SubmittedOutput) -> str | None:
        """What the assessment says of one output by itself; None for whoever may not see it."""
        found = [o for o in (self.brief or {}).get("outputs", ()) if o["number"] == output.number]
        return str(found[0]["verdict"]) if found and found[0]["verdict"] else None

    @property
    def own_decision(self) -> CheckerDecision | None:
        """What the reader decided, where they can still correct it."""
        return next((d for d in self.decisions if d.person_id == self.reader), None) if self.can["decide"] else None

    @property
    def others(self) -> list[Upload]:
        """Files that are to leave though they were not assessed."""
        return [u for u in self.submission.uploads if u.use is Use.OTHER]

    def figures_of(self, output: SubmittedOutput) -> list[Any]:
        return list(output.figures or []) if self.shows_figures else []

    def grid_of(self, output: SubmittedOutput) -> Mapping[str, Any] | None:
        """Where each figure of an output stands in its table; None where there is no assessment that says it."""
        found = [o for o in (self.brief or {}).get("outputs", ()) if o["number"] == output.number]
        grid = found[0]["grid"] if found else None
        n_placed = sum(n is not None for line in grid["cells"] for n in line) if grid else 0
        return grid if n_placed == len(output.figures or ()) and n_placed else None

    @property
    def is_plain(self) -> bool:
        """Whether a checker may approve of it beside others: release, no rule broken, nothing that was not assessed.

        What they have decided on already they correct on its own page.
        """
        is_open = self.can["decide"] and self.own_decision is None and bool(self.submission.outputs)
        return is_open and self.brief is not None and is_clean(self.brief) and not self.others


def see(session: Session, store: Store, person: Person, submission_id: int) -> VisibleSubmission:
    """Everything of a submission that somebody may see."""
    submission = queries.find_submission(session, person, submission_id)
    job = workflow.latest_job(session, submission_id)
    can = {
        action: states.may(check, states.Rights(person), submission, *([job] if action in _WITH_JOB else []))
        for action, check in _ACTIONS.items()
    }
    sees = can["see_assessment"]
    newest = submission.assessments[-1] if submission.assessments and sees else None
    search = searches.find(session, submission_id)
    return VisibleSubmission(
        search=search if sees else None,
        offers=_offers(search) if can["resubmit"] else (),
        rounds=tuple(_told_round(each, sees) for each in earlier_rounds(submission)),
        changes=tuple(changes(submission)) if sees else (),
        submission=submission,
        state=states.Rights(person).shown_state(submission),
        reader=person.id,
        job=job if sees else None,
        can=can,
        comments=tuple(c for c in submission.comments if sees or c.audience is Audience.EVERYBODY),
        assessment=newest,
        brief=_brief_of(session, newest) if newest is not None else None,
        decisions=_told_decisions(person, submission) if sees else (),
        n_decided=len(submission.current_decisions) if sees else 0,
        checkers=_free_checkers(session, submission) if can["assign"] else (),
        history=tuple(queries.history(session, submission_id)) if sees else (),
        looks=_looks(session, submission_id) if sees else (),
        by_acro=acro_statuses(store, submission) if newest is not None else (),
    )


def _came_by_acro(submission: Submission) -> bool:
    """Whether this version or one before it was a folder of ACRO's."""
    version: Submission | None = submission
    while version is not None and version.origin != "acro":
        version = version.replaces
    return version is not None


def find_plain(session: Session, submission_ids: Sequence[int]) -> set[int]:
    """Of submissions that wait for a decision, those that may be approved of beside others. Two queries."""
    newest = select(func.max(StoredAssessment.id)).where(StoredAssessment.submission_id.in_(submission_ids))
    held = session.scalars(
        select(StoredAssessment).where(StoredAssessment.id.in_(newest.group_by(StoredAssessment.submission_id)))
    ).all()
    other = select(Upload.submission_id).where(Upload.submission_id.in_(submission_ids), Upload.use == Use.OTHER)
    without = set(session.scalars(other))
    return {one.submission_id for one in held if one.submission_id not in without and is_clean(_brief_of(session, one))}


def _looks(session: Session, submission_id: int) -> tuple[_Look, ...]:
    """Who looked at what and who took what away, the newest last."""
    found = queries.history(session, submission_id, subject="view")[-_MOST_LOOKS:]
    return tuple(_Look(e.at, e.person, e.action == "download", json.loads(e.details)["what"]) for e in found)


def _offers(search: Search | None) -> tuple[tuple[int, str], ...]:
    """What the author is told of a change: what is done. What was measured is the checkers'."""
    if search is None:
        return ()
    return tuple((place, " ".join(search.found[place]["done"])) for place in search.offered)


def _told_round(each: Round, sees: bool) -> Round:
    return replace(each, comments=tuple(c for c in each.comments if sees or c.audience is Audience.EVERYBODY))


def _told_decisions(person: Person, submission: Submission) -> tuple[CheckerDecision, ...]:
    """What was decided, once as many have decided as are needed; before that everybody sees their own alone.

    What was decided on an earlier assessment is history, and kept from nobody who may see it.
    """
    found = submission.current_decisions
    is_open = submission.state is State.READY and len(found) < submission.checkers_needed
    return tuple(d for d in found if not is_open or d.person_id == person.id)


def act(
    ledger: Ledger, visitor: Visitor, submission_id: int, change: Callable[..., Any], *given: Any, **named: Any
) -> None:
    """Make one change of the ledger's workflow. What somebody may not see is not there, whatever they try to do."""
    with ledger.reading() as session:
        queries.find_submission(session, visitor.person, submission_id)
    with ledger.writing() as session:
        change(session, visitor.id, submission_id, *given, **named)


LOOKED_AT = "Submitted. It is being looked at."
"""All that a researcher is told before a decision, however far it is and whatever was found."""


def progress_words(job: Job | None, sees: bool) -> str:
    """How far an assessment is, in a sentence. sees: whether the reader may know."""
    if not sees:
        return LOOKED_AT
    if job is None:
        return "Not assessed yet."
    if job.state is JobState.QUEUED:
        return "Waiting for a worker."
    if job.state is JobState.RUNNING:
        if job.cancel_asked:
            return "Stopping."
        said = job.stage or "Starting"
        said += f": {job.done:,} of {job.total:,}" if job.total else ""
        left = job.seconds_left
        return said + (f", about {left:,.0f} seconds left." if left is not None else ".")
    if job.state is JobState.CANCELLED:
        return "The assessment was cancelled."
    if job.state is JobState.FAILED:
        return f"The assessment failed: {job.error}"
    return "The assessment is done."


def check_see_assessment(session: Session, person: Person, submission_id: int) -> StoredAssessment:
    """The latest assessment, for whoever may see it; for anybody else there is none."""
    submission = queries.find_submission(session, person, submission_id)
    if not states.may(states.Rights(person).check_see_assessment, submission):
        raise NotAllowedError("what an assessment found is for output checkers.")
    found = session.scalar(
        select(StoredAssessment)
        .where(StoredAssessment.submission_id == submission_id)
        .order_by(StoredAssessment.id.desc())
        .limit(1)
    )
    if found is None:
        raise NotFoundError("there is no assessment yet.")
    return found


_briefs: LatestUsed[str, Mapping[str, Any]] = LatestUsed(512)
"""Stored assessments never change, and reading one takes longer than all the rest of its page."""

_BRIEF = ("verdict", "reasons", "settle", "handed_in", "rules", "audit")
_OUTPUT_BRIEF = ("number", "name", "kind", "verdict", "rules", "grid")


def _brief_of(session: Session, assessment: StoredAssessment) -> Mapping[str, Any]:
    """What a page needs of a record: reasons, and of each output its verdict and what rules say."""
    held = _briefs.get(assessment.digest)
    if held is None:
        record = json.loads(queries.find_record(session, assessment.id))
        held = {name: record.get(name) for name in _BRIEF}
        held["outputs"] = [{name: o.get(name) for name in _OUTPUT_BRIEF} for o in record.get("outputs") or []]
        _briefs.put(assessment.digest, held)
    return held


def _free_checkers(session: Session, submission: Submission) -> tuple[Person, ...]:
    taken = {a.person_id for a in submission.assignments} | submission.author_ids
    found = session.scalars(
        select(Person).where(Person.role == Role.CHECKER, Person.is_active).order_by(Person.name).limit(200)
    )
    return tuple(p for p in found if p.id not in taken)
