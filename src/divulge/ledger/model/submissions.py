"""Datasets, what researchers submit about them, and what became of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from divulge.ledger.model.base import Base, utc_now, words
from divulge.ledger.model.people import Person, Project


class State(StrEnum):
    """Where a submission stands. submitted: nobody computes yet; ready: checkers can decide."""

    SUBMITTED = "submitted"
    ASSESSING = "assessing"
    READY = "ready"
    RELEASED = "released"
    RETURNED = "returned"
    REFUSED = "refused"


class Choice(StrEnum):
    """What one checker is for, of an output and of a submission. return: it is to be changed and submitted again."""

    RELEASE = "release"
    RETURN = "return"
    REFUSE = "refuse"


class Audience(StrEnum):
    """Who may read a comment: everybody who sees the submission, or checkers and custodians only."""

    EVERYBODY = "everybody"
    CHECKERS = "checkers"


class Use(StrEnum):
    """What becomes of a file that came with a submission.

    figures: read, assessed, and written anew where it is released. supporting: for checkers, never leaves. other: not
    assessed; leaves only where enough checkers approve of the file itself.
    """

    FIGURES = "figures"
    SUPPORTING = "supporting"
    OTHER = "other"


class Dataset(Base):
    """Data that stay where they are: what they are (fingerprint, schema), and where the file is.

    collection: datasets of one collection are about the same people (extracts, other formats of one source).
    settings: what the custodian asks of every assessment (policy, design, scenario, synthesiser, seed), as in a spec.
    schema: a Frictionless Table Schema, or None where it is inferred. public: the variables whose possible values the
    custodian lets researchers know; of the others nothing is told to them.
    """

    __tablename__ = "datasets"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    collection: Mapped[str] = mapped_column(String(200), index=True)
    fingerprint: Mapped[str] = mapped_column(String(64), unique=True)
    path: Mapped[str] = mapped_column(Text)
    schema: Mapped[dict[str, Any] | None]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    rows: Mapped[int]
    variables: Mapped[list[Any]]
    public: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class ProjectDataset(Base):
    """That the members of a project work with a dataset. Of other datasets they do not learn that they are there."""

    __tablename__ = "project_datasets"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"), primary_key=True, index=True)
    since: Mapped[datetime] = mapped_column(default=utc_now)


class Submission(Base):
    """Outputs that somebody wants released. A resubmission is a new row that replaces the returned one.

    id: drawn (see `divulge.ledger.numbers`): it says nothing of what came before; created_at has the order.
    form_token: made by whoever asks; the same token again gives the same submission, never a second one.
    verdict: that of the latest assessment, or None. origin: spec, acro, table (a form), or import (the command line).
    context: by the number of an output as text ("0": all of them), what its author says it is, about whom, and what was
    done to protect them.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        Index("ix_submissions_state_created_at_id", "state", "created_at", "id"),
        Index("ix_submissions_author_id_created_at_id", "author_id", "created_at", "id"),
        Index("ix_submissions_project_id_created_at_id", "project_id", "created_at", "id"),
        Index("ix_submissions_dataset_id_state_created_at_id", "dataset_id", "state", "created_at", "id"),
        UniqueConstraint("replaces_id"),
        CheckConstraint("version >= 1", name="version"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    title: Mapped[str] = mapped_column(String(300))
    purpose: Mapped[str] = mapped_column(Text, default="")
    origin: Mapped[str] = mapped_column(String(20), default="spec")
    state: Mapped[State] = mapped_column(words(State, "state"), default=State.SUBMITTED)
    verdict: Mapped[str | None] = mapped_column(String(20))
    checkers_needed: Mapped[int] = mapped_column(default=2)
    version: Mapped[int] = mapped_column(default=1)
    replaces_id: Mapped[int | None] = mapped_column(ForeignKey("submissions.id"))
    form_token: Mapped[str | None] = mapped_column(String(64), unique=True)
    context: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=utc_now, index=True)
    changed_at: Mapped[datetime] = mapped_column(default=utc_now)

    project: Mapped[Project] = relationship()
    dataset: Mapped[Dataset] = relationship()
    author: Mapped[Person] = relationship()
    replaces: Mapped[Submission | None] = relationship(remote_side="Submission.id", back_populates="replaced_by")
    replaced_by: Mapped[Submission | None] = relationship(back_populates="replaces", uselist=False)
    outputs: Mapped[list[SubmittedOutput]] = relationship(
        back_populates="submission", order_by="SubmittedOutput.number"
    )
    uploads: Mapped[list[Upload]] = relationship(back_populates="submission", order_by="Upload.name")
    assessments: Mapped[list[StoredAssessment]] = relationship(
        back_populates="submission", order_by="StoredAssessment.id"
    )
    comments: Mapped[list[Comment]] = relationship(back_populates="submission", order_by="Comment.id")
    assignments: Mapped[list[Assignment]] = relationship(back_populates="submission", order_by="Assignment.person_id")
    decisions: Mapped[list[CheckerDecision]] = relationship(back_populates="submission", order_by="CheckerDecision.id")
    release: Mapped[Release | None] = relationship(back_populates="submission", uselist=False)

    @property
    def author_ids(self) -> set[int]:
        """The ids of everybody who submitted this or an earlier version of it."""
        found: set[int] = set()
        version: Submission | None = self
        while version is not None:
            found.add(version.author_id)
            version = version.replaces
        return found

    @property
    def current_decisions(self) -> list[CheckerDecision]:
        """The decisions on the newest assessment; decisions on earlier ones no longer count."""
        newest = self.assessments[-1].id if self.assessments else None
        return [d for d in self.decisions if d.assessment_id == newest]


class SubmittedOutput(Base):
    """One output of a submission. document: as the spec has it; figures: the values as printed, once they are known.

    made: by name, how variables of it are made that the data do not have, where a session made them.
    """

    __tablename__ = "outputs"
    __table_args__ = (UniqueConstraint("submission_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(300), default="")
    kind: Mapped[str] = mapped_column(String(50))
    document: Mapped[dict[str, Any]]
    variables: Mapped[list[Any]]
    figures: Mapped[list[Any] | None]
    made: Mapped[dict[str, Any] | None]

    submission: Mapped[Submission] = relationship(back_populates="outputs")


class Upload(Base):
    """A file that came with a submission: its name, made harmless; its content is in the store under its hash.

    why: what the researcher says of a file that is to leave without an assessment.
    """

    __tablename__ = "uploads"
    __table_args__ = (UniqueConstraint("submission_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    name: Mapped[str] = mapped_column(String(200))
    digest: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    use: Mapped[Use] = mapped_column(words(Use, "use"), default=Use.SUPPORTING)
    why: Mapped[str] = mapped_column(Text, default="")

    submission: Mapped[Submission] = relationship(back_populates="uploads")


class StoredAssessment(Base):
    """The record of a finished assessment, and the figures of it that lists show.

    job_id is unique: a job has one result. record: the whole record as JSON text, loaded only when it is asked for.
    risk: the largest marginal risk; adds: what the new outputs add to what was released before; exposed: how many.
    basis: what it rests on, as digests (see `divulge.ledger.basis`); a decision counts only while that is so.
    """

    __tablename__ = "assessments"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), index=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    verdict: Mapped[str] = mapped_column(String(20))
    risk: Mapped[float | None]
    adds: Mapped[float | None]
    exposed: Mapped[int] = mapped_column(default=0)
    record: Mapped[str] = mapped_column(Text, deferred=True)
    digest: Mapped[str] = mapped_column(String(64))
    basis: Mapped[dict[str, Any] | None]
    at: Mapped[datetime] = mapped_column(default=utc_now)

    submission: Mapped[Submission] = relationship(back_populates="assessments")

    @property
    def details(self) -> dict[str, Any]:
        """What the trail says of an assessment; `verify` compares it with the row."""
        return {"assessment": self.id, "verdict": self.verdict, "record": self.digest}


class Comment(Base):
    __tablename__ = "comments"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    audience: Mapped[Audience] = mapped_column(words(Audience, "audience"), default=Audience.EVERYBODY)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=utc_now)

    submission: Mapped[Submission] = relationship(back_populates="comments")
    person: Mapped[Person] = relationship()


class Assignment(Base):
    """That a checker looks after a submission."""

    __tablename__ = "assignments"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), primary_key=True, index=True)
    at: Mapped[datetime] = mapped_column(default=utc_now)

    submission: Mapped[Submission] = relationship(back_populates="assignments")
    person: Mapped[Person] = relationship()


class CheckerDecision(Base):
    """What one checker decided on one assessment: the database takes no second row of the same person about it.

    choice: what the choices of the outputs add up to. outputs: the choice of each output, by its number as text.
    files: the ids of the files that the checker approves of, though they were not assessed.
    """

    __tablename__ = "decisions"
    __table_args__ = (UniqueConstraint("submission_id", "person_id", "assessment_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    assessment_id: Mapped[int | None] = mapped_column(ForeignKey("assessments.id"))
    choice: Mapped[Choice] = mapped_column(words(Choice, "choice"))
    reason: Mapped[str] = mapped_column(Text)
    outputs: Mapped[dict[str, Any]] = mapped_column(default=dict)
    files: Mapped[list[Any]] = mapped_column(default=list)
    at: Mapped[datetime] = mapped_column(default=utc_now)

    submission: Mapped[Submission] = relationship(back_populates="decisions")
    person: Mapped[Person] = relationship()


class Release(Base):
    """What left, once: every file with its hash. trail_count, trail_hash: the head of the audit trail just before."""

    __tablename__ = "releases"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    manifest: Mapped[dict[str, Any]]
    digest: Mapped[str] = mapped_column(String(64))
    trail_count: Mapped[int]
    trail_hash: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(default=utc_now, index=True)

    submission: Mapped[Submission] = relationship(back_populates="release")
    person: Mapped[Person] = relationship()

    @property
    def details(self) -> dict[str, Any]:
        """What the trail says of a release; `verify` compares it with the row."""
        return {"release": self.id, "manifest": self.digest, "at": self.at.isoformat(timespec="microseconds")}
