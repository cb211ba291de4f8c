"""A new service for every test that asks for one: in SQLite, or in both databases where these may differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import server_of
from tests.support.service import Service, build


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = build(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    """Once in SQLite and once in PostgreSQL."""
    made = build(tmp_path, server=server_of(request))
    yield made
    made.close()
