"""How many digits may be printed before anybody's response is determined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.compiling import working_time
from divulge.lattice.released import Released, printed
from divulge.lattice.responses import Recovery, recover

MOST_PEOPLE = 60
"""People up to which the attack ends in seconds; with more, coefficients hold too few bits to determine anybody."""


@dataclass(frozen=True)
class _Turning:
    """What was found at each number of significant digits, from one upwards."""

    found: dict[int, Recovery]

    @property
    def most(self) -> int | None:
        """The most digits with which, and with fewer, nobody is determined, and that is known; None: not even one."""
        safe = None
        for digits, recovery in sorted(self.found.items()):
            if not recovery.is_complete or recovery.determined.any():
                break
            safe = digits
        return safe

    def sentence(self) -> str:
        """What to do, in words."""
        if self.most == max(self.found):
            return f"With {self.most} digits, as printed, nobody's response is determined."
        if self.most is not None:
            return f"Print no more than {self.most} significant digit{'s' * (self.most > 1)}."
        first = self.found[min(self.found)]
        if not first.is_complete:
            return "Whether any number of digits is safe could not be told in the time allowed."
        return "Even one significant digit determines somebody's response."


def _coarser(release: Released, digits: int) -> Released:
    """The same figures printed with fewer significant digits; those that have no more already stay as they are."""
    low, high = printed((release.low + release.high) / 2, digits)
    keep = high - low <= release.high - release.low
    return replace(release, low=np.where(keep, release.low, low), high=np.where(keep, release.high, high))


def turning_digits(
    releases: Sequence[Released],
    most: int,
    values: NDArray[np.floating],
    n_people: int,
    known: NDArray[np.floating] | None = None,
    seconds: float = 10.0,
    clock: Callable[[], float] = working_time,
    step: float | None = None,
) -> _Turning:
    """Attack the figures with one digit, with two, and so on up to `most`; end where somebody is determined.

    seconds: for all attacks together. step: of the values, as for `recover`.
    """
    began = clock()
    found: dict[int, Recovery] = {}
    for digits in range(1, most + 1):
        own = [_coarser(release, digits) for release in releases]
        left = seconds - (clock() - began)
        found[digits] = recover(own, values, n_people, known, left, clock, step)
        if found[digits].determined.any() or left <= 0:
            break
    return _Turning(found)
