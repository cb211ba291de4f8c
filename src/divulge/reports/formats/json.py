"""The record itself: for scripts, and to be read again by `divulge report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from divulge.record import dumps


@dataclass(frozen=True)
class Json:
    """The record, unchanged."""

    format: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"

    def render(self, record: Mapping[str, Any]) -> str:
        return dumps(record)
