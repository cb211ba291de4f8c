"""Who is told what: written down in the transaction in which it happens, so that nothing is told that did not happen.

A notice says that something happened to a submission, by its number. A researcher is told of decisions and of comments
for them, in the same words whatever was decided, and of nothing before.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from divulge.ledger.model import News, Notice, Person, Role, Submission, utc_now

EACH, DAILY, NEVER = "each", "daily", "never"

_DIGEST_HOUR = 6  # UTC: before people begin to work
_KEPT = timedelta(days=30)
"""How long notices are kept; those that were never sent are old news then."""


def note(session: Session, submission: Submission, news: News, *, by: int | None = None) -> None:
    """Note that something happened. by: who did it, and need not be told."""
    session.execute(delete(Notice).where(Notice.created_at < utc_now() - _KEPT))
    if news in (News.SUBMITTED, News.DECIDED):
        session.add(Notice(news=news, submission_id=submission.id))
    for person in _told(session, submission, news):
        if person.id != by and person.is_active and person.email is not None and person.tell != NEVER:
            due = _next_digest(utc_now()) if person.tell == DAILY else utc_now()
            session.add(Notice(person_id=person.id, news=news, submission_id=submission.id, due_at=due))


def _next_digest(now: datetime) -> datetime:
    """When what happens now is told to those who are told once a day."""
    today = now.replace(hour=_DIGEST_HOUR, minute=0, second=0, microsecond=0)
    return today if now < today else today + timedelta(days=1)


def _told(session: Session, submission: Submission, news: News) -> Collection[Person]:
    """The people whom it is for. A decision is its author's; what waits is for those who look after it, or for all
    checkers."""
    if news is News.DECIDED:
        return [submission.author]
    if news is News.COMMENTED:
        return [submission.author, *(a.person for a in submission.assignments)]
    if news is not News.WAITING:
        return []
    assigned = [a.person for a in submission.assignments]
    authors = submission.author_ids
    checkers = assigned or session.scalars(select(Person).where(Person.role == Role.CHECKER, Person.is_active)).all()
    return [p for p in checkers if p.id not in authors]
