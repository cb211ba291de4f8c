"""How the service runs: whom it trusts, how large a file it takes, how long a log-in lasts."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from divulge.errors import UsageError
from divulge.web.archives import Limits
from divulge.web.notify.ways import Mail, Webhook
from divulge.web.oidc import Provider

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Deployment:
    """Everything that a deployment may choose.

    secure: whether cookies go over TLS alone; False only for plain HTTP on loopback.
    host_names: what the Host header may say; empty: anything. Loopback alone keeps out pages that rebind their name.
    proxies: whose statements about addresses and people are believed. user_header: the header in which they name a
    person.
    """

    secure: bool = False
    host_names: frozenset[str] = LOOPBACK_NAMES
    proxies: tuple[_Network, ...] = ()
    user_header: str | None = None
    form_bytes: int = 1_000_000
    """An ordinary form: a comment of a million characters is no comment."""
    upload_bytes: int = 200_000_000
    """A file with a submission. Outputs are small; whoever sends more has sent the data."""
    limits: Limits = field(default_factory=Limits)
    idle_seconds: int = 3600
    absolute_seconds: int = 12 * 3600
    """A working day; then one logs in again."""
    progress_seconds: float = 1.0
    """Between two looks at a running job for a browser that watches it."""
    address: str | None = None
    """Where browsers find the service, for links in letters: https://divulge.example."""
    mail: Mail | None = None
    webhook: Webhook | None = None
    provider: Provider | None = None
    """Where people of the organisation log in; `address` must be known then."""

    def trusts(self, address: str) -> bool:
        """Whether a request from this address comes from a proxy of ours."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.proxies)


def parse_networks(texts: list[str]) -> tuple[_Network, ...]:
    """Addresses and networks as people write them: 10.0.0.5, 10.0.0.0/24, ::1."""
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            raise UsageError(
                f"{text!r} is no address of a proxy.", where="--proxy", hint="For example 127.0.0.1 or 10.0.0.0/24."
            ) from None
    return tuple(found)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
