"""One service for the tests that only look, and a new one for those that change what others would see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.service import Service, build


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = build(tmp_path)
    yield made
    made.close()
