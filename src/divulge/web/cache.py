"""A few results that are dear to make and never change, the latest used ones, for all threads."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LatestUsed(Generic[K, V]):
    """At most `most` results by their key; the one longest unused makes way."""

    def __init__(self, most: int) -> None:
        self._most, self._held, self._lock = most, OrderedDict[K, V](), Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._held[key] = value
            while len(self._held) > self._most:
                self._held.popitem(last=False)
