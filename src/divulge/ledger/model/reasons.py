"""Words that checkers write again and again."""

from __future__ import annotations

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from divulge.ledger.model.base import Base, words
from divulge.ledger.model.submissions import Choice


class ReasonTemplate(Base):
    """A reason to start from. choice: what it is a reason for."""

    __tablename__ = "reason_templates"

    id: Mapped[int] = mapped_column(primary_key=True)
    choice: Mapped[Choice] = mapped_column(words(Choice, "choice"))
    title: Mapped[str] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(Text)
