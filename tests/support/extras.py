"""What a machine may lack: programs and libraries that some tests drive. Such tests are skipped with a sentence.

`DIVULGE_TESTS_WITHOUT="chromium postgresql"` hides extras that are there, so that the tests can be run as on a machine
that has none; `none` of them are hidden by default, and `all` hides every one.
"""

from __future__ import annotations

import ctypes.util
import os
import shutil
from collections.abc import Callable, Iterable

from tests.support.postgres import binaries

EXTRAS: dict[str, tuple[Callable[[], bool], str]] = {
    "chromium": (lambda: chromium() is not None, "Chromium is not installed, and a browser test drives it."),
    "postgresql": (lambda: binaries() is not None, "PostgreSQL is not installed, and the test needs a server."),
    "pango": (lambda: ctypes.util.find_library("pangoft2-1.0") is not None, "Pango is not installed, which draws PDF."),
    "r": (lambda: shutil.which("Rscript") is not None, "R is not installed."),
}
"""By name: whether it is there, and the sentence where it is not."""


def chromium() -> str | None:
    """The path of the browser."""
    return shutil.which("chromium")


def hidden() -> frozenset[str]:
    """The extras that this run does without."""
    named = os.environ.get("DIVULGE_TESTS_WITHOUT", "").split()
    return frozenset(EXTRAS) if "all" in named else frozenset(named)


def why_missing(names: Iterable[str]) -> str | None:
    """The sentence of the first extra that is missing or hidden; None where all are there."""
    for name in names:
        is_there, sentence = EXTRAS[name]
        if name in hidden() or not is_there():
            return sentence + " (.ci/run installs it)"
    return None
