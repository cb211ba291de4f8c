"""Sending what waits to be told: one letter for everything that somebody is told at once, and again where it failed."""

from __future__ import annotations

import http.client
import logging
import smtplib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, joinedload

from divulge.ledger.database import Ledger
from divulge.ledger.model import News, Notice, utc_now
from divulge.ledger.notices import NEVER
from divulge.web.notify.ways import Mail, Webhook

_log = logging.getLogger("divulge.web")

_LOOK_SECONDS = 5.0  # between two looks for news
_MOST_ATTEMPTS = 8  # the last about two hours after the first
_AT_A_TIME = 200
_Failures = (OSError, smtplib.SMTPException, http.client.HTTPException)


_SAID: Mapping[News, str] = {
    News.SUBMITTED: "Submission #{number} was submitted.",
    News.WAITING: "Submission #{number} waits for a decision.",
    News.DECIDED: "There is a decision on submission #{number}.",
    News.COMMENTED: "There is a comment on submission #{number}.",
}

_SUBJECT = "Divulge: news about submissions"
_MOST = 50  # lines of one letter; whoever logs in sees the rest


def _letter(news: Sequence[tuple[News, int]], address: str | None) -> str:
    """The text of an e-mail about some news, each line once. address: of the service, where it is known.

    E-mail leaves the safe setting. A title could carry a row of data out. So nothing in it was written by anybody: no
    title, comment, name, figure or outcome. The words are the same whatever was decided.
    """
    lines = list(dict.fromkeys(_line(word, number, address) for word, number in news))
    more = len(lines) - _MOST
    if more > 0:
        lines = [*lines[:_MOST], f"And {more} more."]
    where = "Log in to read more." if address is None else f"Log in to read more: {address}/"
    return "\n".join([*lines, "", where, "On the page of your account you choose how you are told.", ""])


def _line(word: News, number: int, address: str | None) -> str:
    said = _SAID[word].format(number=number)
    return said if address is None else f"{said} {address}/submissions/{number}"


@dataclass(frozen=True)
class _Taken:
    """A notice that is ours to send for now."""

    id: int
    email: str | None
    news: News
    submission: int
    at: datetime


class Notifier:
    """Sends notices from a thread of its own. address: of the service, for links."""

    def __init__(self, ledger: Ledger, mail: Mail | None, webhook: Webhook | None, address: str | None) -> None:
        self._ledger, self._mail, self._webhook, self._address = ledger, mail, webhook, address
        self._stop = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="notices", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def send_due(self, now: datetime | None = None) -> int:
        """Send what is due; how many messages left. One that fails is tried again later, by whoever is there then."""
        taken = self._take(now or utc_now())
        letters: dict[str, list[_Taken]] = {}
        for one in taken:
            if one.email is not None:
                letters.setdefault(one.email, []).append(one)
        sent = 0
        for email, news in letters.items():
            sent += self._try(news, lambda e=email, n=news: self._write(e, n))  # type: ignore[misc]  # bound now
        for one in taken:
            if one.email is None:
                sent += self._try([one], lambda o=one: self._post(o))  # type: ignore[misc]
        return sent

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            with suppress(SQLAlchemyError):  # the database is away: later
                self.send_due()

    def _take(self, now: datetime) -> list[_Taken]:
        """Take what is due, for a while: another process that looks takes other notices."""
        waiting = select(Notice).where(Notice.sent_at.is_(None), Notice.due_at <= now, Notice.attempts < _MOST_ATTEMPTS)
        with self._ledger.reading() as session:
            # Most looks find nothing, and need no lock for it.
            if session.scalars(waiting.limit(1)).first() is None:
                return []
        with self._ledger.writing() as session:
            found = session.scalars(
                waiting.order_by(Notice.id)
                .limit(_AT_A_TIME)
                .options(joinedload(Notice.person))
                .with_for_update(skip_locked=True, of=Notice)
            ).all()
            return [one for notice in found if (one := self._taken(session, notice, now)) is not None]

    def _taken(self, session: Session, notice: Notice, now: datetime) -> _Taken | None:
        notice.attempts += 1
        notice.due_at = now + timedelta(minutes=2.0 ** (notice.attempts - 1))
        person = notice.person
        way = self._webhook if person is None else self._mail
        # Who has closed their account or changed their mind since is told nothing.
        is_wanted = person is None or (person.is_active and person.email is not None and person.tell != NEVER)
        if way is None or not is_wanted:
            session.delete(notice)
            return None
        email = person.email if person is not None else None
        return _Taken(notice.id, email, notice.news, notice.submission_id, notice.created_at)

    def _try(self, news: list[_Taken], send: Callable[[], None]) -> int:
        try:
            send()
        except _Failures as error:
            # What a server says may quote what was sent; its kind cannot.
            _log.warning("news could not be sent: %s", type(error).__name__)
            return 0
        with self._ledger.writing() as session:
            ids = [one.id for one in news]
            session.execute(update(Notice).where(Notice.id.in_(ids)).values(sent_at=utc_now()))
        return 1

    def _write(self, email: str, news: list[_Taken]) -> None:
        assert self._mail is not None, "otherwise it was not taken"
        self._mail.send(email, _SUBJECT, _letter([(one.news, one.submission) for one in news], self._address))

    def _post(self, one: _Taken) -> None:
        assert self._webhook is not None, "otherwise it was not taken"
        self._webhook.post(one.id, one.news, one.submission, one.at)
