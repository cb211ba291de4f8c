"""Searches for changes that make a submission safe, and what they found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from divulge.ledger.model.base import Base, utc_now, words
from divulge.ledger.model.jobs import JobState
from divulge.ledger.model.submissions import Submission


class Search(Base):
    """One search for each submission; asked for again, it starts anew.

    found: the changes, each with what is done in words, the outputs that it makes, what it loses, and the verdict
    before and after. offered: the places in `found` that a checker lets the author see. lease: as of a job.
    """

    __tablename__ = "searches"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    state: Mapped[JobState] = mapped_column(words(JobState, "state"), default=JobState.QUEUED, index=True)
    attempts: Mapped[int] = mapped_column(default=0)
    lease: Mapped[str | None] = mapped_column(String(32))
    lease_until: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)
    found: Mapped[list[Any]] = mapped_column(default=list)
    offered: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)

    submission: Mapped[Submission] = relationship()

    @property
    def is_active(self) -> bool:
        return self.state in (JobState.QUEUED, JobState.RUNNING)
