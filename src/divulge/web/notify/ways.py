"""Where news goes: a mail server and an address of a webhook, as an administrator has named them, and no other."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from divulge.errors import SpecError, UsageError

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST_SECRET = 16  # characters


@dataclass(frozen=True)
class Mail:
    """A mail server. Others than this machine's are spoken to over TLS alone (port 465, or STARTTLS)."""

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def is_here(self) -> bool:
        return self.host in _LOOPBACK


@dataclass(frozen=True)
class Webhook:
    """An address to which news is posted, signed. networks: addresses that may be reached beside this machine's."""

    url: str
    secret: str = field(repr=False)
    networks: tuple[_Network, ...] = ()

    def may_reach(self, address: str) -> bool:
        found = ipaddress.ip_address(address)
        return found.is_loopback or any(found in network for network in self.networks)


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
