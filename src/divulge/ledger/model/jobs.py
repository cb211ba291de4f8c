"""Work that a process other than the server does, and who is doing it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from divulge.ledger.model.base import Base, utc_now, words
from divulge.ledger.model.submissions import Submission


class JobState(StrEnum):
    """queued and running jobs are active; the others have ended."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ACTIVE = (JobState.QUEUED, JobState.RUNNING)
_IS_ACTIVE = text("state IN ('queued', 'running')")


class Job(Base):
    """The assessment of a submission. Whoever holds `lease` before `lease_until` works on it; a later holder goes on.

    The database takes no second active job of one submission. stage, done, total, seconds_left: progress for a bar.
    error: why it failed, in words without any row value. attempts: how often a worker took it. basis: what the
    assessment rests on, as it was when the work began.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index(
            "uq_jobs_active_submission",
            "submission_id",
            unique=True,
            sqlite_where=_IS_ACTIVE,
            postgresql_where=_IS_ACTIVE,
        ),
        Index("ix_jobs_state_id", "state", "id"),
        Index("ix_jobs_submission_id_id", "submission_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    state: Mapped[JobState] = mapped_column(words(JobState, "state"), default=JobState.QUEUED)
    attempts: Mapped[int] = mapped_column(default=0)
    max_attempts: Mapped[int] = mapped_column(default=3)
    lease: Mapped[str | None] = mapped_column(String(32))
    lease_until: Mapped[datetime | None]
    worker: Mapped[str | None] = mapped_column(String(200))
    cancel_asked: Mapped[bool] = mapped_column(default=False)
    stage: Mapped[str | None] = mapped_column(String(200))
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    seconds_left: Mapped[float | None]
    error: Mapped[str | None] = mapped_column(Text)
    basis: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    started_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    submission: Mapped[Submission] = relationship()

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE
