"""What every test shares: no network but loopback, and no colours or widths taken from the terminal."""

from __future__ import annotations

import os
import socket

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
    connect = socket.socket.connect

    def loopback_only(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and host not in _LOOPBACK:
            raise AssertionError(f"a test tried to reach {host}: nothing is fetched at run time")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", loopback_only)
    monkeypatch.setenv("NO_COLOR", "1")
