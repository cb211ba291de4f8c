"""How the kernels of a search are compiled, and a clock that stands still meanwhile."""

from __future__ import annotations

import time

from numba import njit
from numba.core import event

borrowing = njit(cache=True, nogil=True, _nrt=False)
"""For functions that allocate no array and return none: all their arrays belong to the caller.

numba counts references to every array that a function takes or looks up in a tuple. That was a third of the time of a
search, and more with every named structure. Whoever only borrows need not count.
"""


class _Stopwatch(event.Listener):  # type: ignore[misc]  # numba has no types
    """Adds up the time that numba compiles; kernels that others call are compiled inside them."""

    def __init__(self) -> None:
        self.depth, self.since, self.seconds = 0, 0.0, 0.0

    def on_start(self, event: object) -> None:
        del event
        if self.depth == 0:
            self.since = time.perf_counter()
        self.depth += 1

    def on_end(self, event: object) -> None:
        del event
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.since


_compiling = _Stopwatch()
event.register("numba:compile", _compiling)


def working_time() -> float:
    """Seconds on a clock that stands still while kernels are compiled.

    A time limit is for work: the first search after an installation would spend it on compiling.
    """
    return time.perf_counter() - _compiling.seconds
