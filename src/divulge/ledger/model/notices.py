"""What people and programs are to be told of, and who is known at which provider of log-ins."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from divulge.ledger.model.base import Base, utc_now, words
from divulge.ledger.model.people import Person


class News(StrEnum):
    """What happened, in words that a researcher may see: the same for every outcome."""

    SUBMITTED = "submitted"
    WAITING = "waiting"
    DECIDED = "decided"
    COMMENTED = "commented"


class Notice(Base):
    """That somebody is to be told of something. person_id: by e-mail; None: the webhook. due_at: not before.

    It holds no text of anybody's: neither a title nor a comment nor a verdict can leave by it.
    """

    __tablename__ = "notices"
    __table_args__ = (Index("ix_notices_sent_at_due_at", "sent_at", "due_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    news: Mapped[News] = mapped_column(words(News, "news"))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    due_at: Mapped[datetime] = mapped_column(default=utc_now)
    attempts: Mapped[int] = mapped_column(default=0)
    sent_at: Mapped[datetime | None]

    person: Mapped[Person | None] = relationship()


class Identity(Base):
    """Who somebody is at a provider of log-ins (OpenID Connect): its address, and its own name for them."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    issuer: Mapped[str] = mapped_column(String(300))
    subject: Mapped[str] = mapped_column(String(300))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)

    person: Mapped[Person] = relationship()
