"""People, how they came in, and the projects that they work in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from divulge.ledger.model.base import Base, utc_now, words


class Role(StrEnum):
    """What a person does here; one role each."""

    RESEARCHER = "researcher"
    CHECKER = "checker"
    CUSTODIAN = "custodian"
    ADMINISTRATOR = "administrator"


class Person(Base):
    """Somebody with an account. name: what they log in with, or what the trusted proxy calls them.

    password_hash: argon2, made and checked by the web application; None where only the proxy lets them in. email: where
    they are told of news; nobody is found by it. tell: each, daily or never.
    """

    __tablename__ = "people"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(150), unique=True)
    full_name: Mapped[str] = mapped_column(String(200), default="")
    role: Mapped[Role] = mapped_column(words(Role, "role"))
    password_hash: Mapped[str | None] = mapped_column(String(300))
    proxy_name: Mapped[str | None] = mapped_column(String(300), unique=True)
    must_change_password: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    email: Mapped[str | None] = mapped_column(String(254))
    tell: Mapped[str] = mapped_column(String(20), default="each", server_default="each")

    memberships: Mapped[list[Membership]] = relationship(back_populates="person")

    @property
    def shown_as(self) -> str:
        return self.full_name or self.name


class BrowserSession(Base):
    """A log-in that lasts until it expires or ends. token_hash: SHA-256 of the cookie, which is not kept."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    csrf_secret: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    seen_at: Mapped[datetime] = mapped_column(default=utc_now)
    expires_at: Mapped[datetime] = mapped_column(index=True)

    person: Mapped[Person] = relationship()


class ApiToken(Base):
    """What lets a program do some of what a person may do. token_hash: SHA-256 of the token, which is not kept.

    scopes: words of `divulge.web.tokens`. It never lets anybody do more than its owner may at that moment.
    """

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[Any]]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]

    person: Mapped[Person] = relationship()

    def is_open(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


class LogInAttempt(Base):
    """A log-in that was tried: what rates are limited by."""

    __tablename__ = "log_in_attempts"
    __table_args__ = (
        Index("ix_log_in_attempts_name_at", "name", "at"),
        Index("ix_log_in_attempts_address_at", "address", "at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(150))
    address: Mapped[str] = mapped_column(String(60), default="")
    succeeded: Mapped[bool] = mapped_column(default=False)
    at: Mapped[datetime] = mapped_column(default=utc_now)


class Project(Base):
    """Who works together on what; a submission belongs to one."""

    __tablename__ = "projects"
    __table_args__ = (CheckConstraint("checkers_needed >= 1", name="checkers"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    about: Mapped[str] = mapped_column(Text, default="")
    checkers_needed: Mapped[int] = mapped_column(default=2)
    is_open: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)

    memberships: Mapped[list[Membership]] = relationship(back_populates="project")


class Membership(Base):
    """That a person works in a project."""

    __tablename__ = "memberships"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), primary_key=True, index=True)
    since: Mapped[datetime] = mapped_column(default=utc_now)

    project: Mapped[Project] = relationship(back_populates="memberships")
    person: Mapped[Person] = relationship(back_populates="memberships")
