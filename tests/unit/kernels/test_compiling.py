"""A time limit is for work, not for compiling."""

from __future__ import annotations

import time

from numba import njit

from divulge.kernels.compiling import working_time


def test_clock_stands_still_while_a_kernel_is_compiled() -> None:
    def inner(x):  # type: ignore[no-untyped-def]
        return x * 2.5

    called = njit(inner)

    @njit
    def kernel(n):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(n):
            total += called(i)
        return total

    before, working = time.perf_counter(), working_time()
    assert kernel(3) == 7.5
    took, worked = time.perf_counter() - before, working_time() - working
    assert took > 0.02  # two functions take numba some tenths of a second
    assert worked < took / 2
    before, working = time.perf_counter(), working_time()
    time.sleep(0.05)
    assert working_time() - working >= 0.05
    assert working_time() - working <= time.perf_counter() - before
