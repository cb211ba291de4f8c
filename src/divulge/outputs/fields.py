"""Which field of a spec an error is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from divulge.errors import DivulgeError


@contextmanager
def in_field(path: str) -> Iterator[None]:
    """Put `path` in front of where an error happened: `outputs[2]` and `formula` become `outputs[2].formula`."""
    try:
        yield
    except DivulgeError as error:
        error.under(path)
        raise
