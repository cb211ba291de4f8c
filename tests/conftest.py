"""What every test shares: no network but loopback, and no colours or widths taken from the terminal."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Deterministic and few here; the long generative run is in `make validate`.
settings.register_profile(
    "ci", max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(host: object) -> None:
        if host is not None and host not in _LOOPBACK:
            raise AssertionError(f"a test tried to reach {host}: nothing is fetched at run time")

    def guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
        def loopback_only(self: socket.socket, address: object) -> Any:
            check(address[0] if isinstance(address, tuple) else None)
            return connect(self, address)

        return loopback_only

    def local_names_only(host: Any, *rest: Any, **named: Any) -> Any:
        check(host)
        return getaddrinfo(host, *rest, **named)

    getaddrinfo = socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    # Looking up a name already leaves the machine.
    monkeypatch.setattr(socket, "getaddrinfo", local_names_only)
    monkeypatch.setenv("NO_COLOR", "1")
