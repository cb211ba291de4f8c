"""What every test shares: no network but loopback, and no colours or widths taken from the terminal."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.extras import chromium, why_missing
from tests.support.postgres import Cluster

# Deterministic and few here; the long generative run is in `make validate`.
settings.register_profile(
    "ci", max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that runs against PostgreSQL or in a browser needs it, without a mark of its own."""
    for item in items:
        call = getattr(item, "callspec", None)
        if call is not None and any(isinstance(v, str) and v == "postgresql" for v in call.params.values()):
            item.add_marker(pytest.mark.needs("postgresql"))
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs("chromium"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    why = why_missing(name for mark in item.iter_markers("needs") for name in mark.args)
    if why is not None:
        pytest.skip(why)


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


# Of one module: while it is open, no other test of the process could start a loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium that asks nobody for anything."""
    from playwright.sync_api import sync_playwright

    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-gpu"]
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium(), args=[*quiet, "--no-first-run"])
        yield made
        made.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server of this run's own, started when the first test asks for it."""
    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ledgers to copy, which is quicker than making each anew; see tests/support/ledgers.py."""
    from tests.support.ledgers import Templates

    return Templates(tmp_path_factory.mktemp("ledgers"))


def server_of(request: pytest.FixtureRequest) -> Cluster | None:
    """PostgreSQL, where the parameter of a fixture asks for it."""
    return request.getfixturevalue("postgres") if request.param == "postgresql" else None


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, templates: Any, tmp_path: Path) -> Iterator[Any]:
    """An empty ledger, once in SQLite and once in PostgreSQL."""
    from divulge.ledger.database import open_ledger

    opened = open_ledger(templates.copy("empty", server_of(request)), store=tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, templates: Any, tmp_path: Path) -> Iterator[Any]:
    """A ledger with people, a project and data, once in SQLite and once in PostgreSQL."""
    from tests.support.ledgers import open_world

    found = open_world(templates.copy("world", server_of(request)), tmp_path / "store")
    yield found
    found.ledger.close()


@pytest.fixture
def small_world(templates: Any, tmp_path: Path) -> Iterator[Any]:
    """The same in SQLite alone, for what does not depend on the database."""
    from tests.support.ledgers import open_world

    found = open_world(templates.copy("world", None), tmp_path / "store")
    yield found
    found.ledger.close()
