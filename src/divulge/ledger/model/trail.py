"""The audit trail: entries that are only ever added, and the head that says how many there are."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from divulge.ledger.model.base import Base


class TrailEntry(Base):
    """One thing that happened. details: canonical JSON text. hash: over everything else and the previous hash.

    It has no foreign keys: an entry stands by itself, whatever becomes of the rows that it speaks of.
    """

    __tablename__ = "trail"
    __table_args__ = (Index("ix_trail_subject", "subject", "subject_id", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    person: Mapped[str] = mapped_column(String(150))
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(40))
    subject_id: Mapped[int]
    details: Mapped[str] = mapped_column(Text)
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64), unique=True)


class TrailHead(Base):
    """How many entries there are and the hash of the last one: what shows that the end was cut off."""

    __tablename__ = "trail_head"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    count: Mapped[int]
    hash: Mapped[str] = mapped_column(String(64))
