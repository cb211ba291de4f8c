"""Where news goes, and how: a mail server and an address of a webhook, as an administrator has named them, no other."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import json
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import urlsplit

from divulge.errors import SpecError, UsageError
from divulge.ledger.clock import moment
from divulge.ledger.model import News

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST_SECRET = 16  # characters
_MAIL_SECONDS = 20.0  # for each answer of the server
_POST_SECONDS = 10.0  # for the whole of it
_TLS_PORT = 465


@dataclass(frozen=True)
class Mail:
    """A mail server. Others than this machine's are spoken to over TLS alone (port 465, or STARTTLS)."""

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def send(self, to: str, subject: str, text: str) -> None:
        """Send one letter, or raise OSError or SMTPException."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"] = self.sender, to, subject
        letter["Date"], letter["Message-ID"] = formatdate(), make_msgid(domain=self.sender.rpartition("@")[2])
        # No answer of a machine to a machine (RFC 3834).
        letter["Auto-Submitted"] = "auto-generated"
        letter.set_content(text)
        with self._open() as server:
            if self.user is not None and self.password is not None:
                server.login(self.user, self.password)
            server.send_message(letter)

    def _open(self) -> smtplib.SMTP:
        if self.port == _TLS_PORT:
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=_MAIL_SECONDS, context=context)
        server = smtplib.SMTP(self.host, self.port, timeout=_MAIL_SECONDS)
        if self.host not in _LOOPBACK:
            try:
                # Where the server does not offer it, this fails, and nothing is sent readable.
                server.starttls(context=ssl.create_default_context())
            except (OSError, smtplib.SMTPException):
                server.close()
                raise
        return server


@dataclass(frozen=True)
class Webhook:
    """An address to which news is posted, signed. networks: addresses that may be reached beside this machine's."""

    url: str
    secret: str = field(repr=False)
    networks: tuple[_Network, ...] = ()

    def may_reach(self, address: str) -> bool:
        found = ipaddress.ip_address(address)
        return found.is_loopback or any(found in network for network in self.networks)

    def post(self, number: int, news: News, submission: int, at: datetime) -> None:
        """Post it, or raise OSError or HTTPException. number: of the message, the same where it is sent again.

        The name is looked up once and the connection goes to what was found, so that a name that changes its meaning
        in between leads nowhere else. No redirect is followed, and a slow answer is not waited for.
        """
        body = json.dumps({"id": number, "event": news, "submission": submission, "at": moment(at)}).encode()
        now = int(time.time())
        headers = {
            "Content-Type": "application/json",
            "Divulge-Signature": f"t={now},v1={_signature(self.secret, now, body)}",
        }
        parts = urlsplit(self.url)
        link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_POST_SECONDS)
        last = threading.Timer(_POST_SECONDS, lambda: _cut(link))
        last.daemon = True
        last.start()
        try:
            link.sock = self._connect(parts.hostname or "", parts.port, parts.scheme == "https")
            link.request("POST", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body, headers)
            answer = link.getresponse()
            if answer.status >= 300:
                raise http.client.HTTPException(f"status {answer.status}")
        finally:
            last.cancel()
            link.close()

    def _connect(self, host: str, port: int | None, is_secret: bool) -> socket.socket:
        wanted = port or (443 if is_secret else 80)
        found = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)
        for *_, place in found:
            address = str(place[0])
            if self.may_reach(address):
                made = socket.create_connection((address, wanted), timeout=_POST_SECONDS)
                if not is_secret:
                    return made
                return ssl.create_default_context().wrap_socket(made, server_hostname=host)
        raise OSError("the address is not one of those that may be reached")


def _signature(secret: str, at: int, body: bytes) -> str:
    """What proves that a message is from us, and from when: whoever takes it refuses old ones."""
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def _cut(link: http.client.HTTPConnection) -> None:
    held = link.sock
    if held is not None:
        with suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)


def _is_email(text: str) -> bool:
    """Whether a text can be an address of e-mail and nothing else: no second address, no line of a header."""
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None and ".." not in text


def check_email(text: str) -> str | None:
    """An address of e-mail that somebody typed; None where they typed none."""
    kept = text.strip()
    if kept and not _is_email(kept):
        raise SpecError("this is no address of e-mail.", where="e-mail", hint="For example rosa@example.org.")
    return kept or None


def read_mail(server: str | None, sender: str | None, environment: Mapping[str, str]) -> Mail | None:
    """A mail server as it is named on the command line; its password is in the environment."""
    if server is None:
        return None
    host, _, port = server.rpartition(":") if ":" in server else (server, "", "587")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise UsageError("a mail server is named as HOST or HOST:PORT.", where="--smtp")
    if sender is None or not _is_email(sender):
        raise UsageError(
            "whom e-mail is from must be said.", where="--mail-from", hint="For example divulge@example.org."
        )
    user, password = environment.get("DIVULGE_SMTP_USER"), environment.get("DIVULGE_SMTP_PASSWORD")
    return Mail(host, int(port), sender, user or None, password or None)


def read_webhook(url: str | None, allowed: Sequence[str], environment: Mapping[str, str]) -> Webhook | None:
    """An address for news as it is named on the command line; its secret is in the environment."""
    if url is None:
        return None
    parts = urlsplit(url)
    secret = environment.get("DIVULGE_WEBHOOK_SECRET", "")
    if len(secret) < _SHORTEST_SECRET:
        raise UsageError(
            f"news is signed with a secret of at least {_SHORTEST_SECRET} characters.",
            where="--webhook",
            hint="Set DIVULGE_WEBHOOK_SECRET in the environment.",
        )
    is_here = (parts.hostname or "") in _LOOPBACK
    if parts.hostname is None or parts.scheme not in ("http", "https") or (parts.scheme == "http" and not is_here):
        raise UsageError("the address begins with https://, or with http:// on this machine.", where="--webhook")
    try:
        networks = tuple(ipaddress.ip_network(text, strict=False) for text in allowed)
    except ValueError:
        raise UsageError(
            "this is no address of a network.", where="--webhook-allow", hint="For example 10.0.0.0/24."
        ) from None
    if not is_here and not networks:
        raise UsageError(
            "only addresses that are named are reached.",
            where="--webhook-allow",
            hint="Name the address of the machine that takes the news, for example 10.0.0.5.",
        )
    return Webhook(url, secret, networks)
