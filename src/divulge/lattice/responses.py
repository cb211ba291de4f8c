"""Responses from coefficients: what an intruder who knows everybody's predictors can prove about their responses.

A response is *determined* when every response that refits to the printed figures has the same value for that person,
and the list of these is complete. Without that proof it is at most *agreed*: the same in every solution met so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.compiling import working_time
from divulge.lattice.hunt import Hunt
from divulge.lattice.reduced import reduce_sums
from divulge.lattice.released import Floats, Released
from divulge.lattice.sums import Ints, WantedSums

INSERTIONS = 4000
"""Deep insertions before the hunt: 60 people make some 2,000, in 40 ms, and the hunt has far fewer branches then."""

SLICE = 200_000
"""Nodes between two looks at the clock: about 20 ms."""

AT_ONCE = 256
"""Solutions that are refitted at a time."""

_UNEVEN = 1e-9
"""Of a step: values farther from its multiples have none, and sums of multiples would leave the truth out."""

ENOUGH = 512
"""Solutions after which single people are looked at instead of all solutions listed."""


@dataclass(frozen=True)
class Recovery:
    """What can be said of everybody's response."""

    values: Floats  # (people,) the response in the first solution met; NaN where there is none
    determined: NDArray[np.bool_]  # (people,) proved: no other value refits to the printed figures
    agreed: NDArray[np.bool_]  # (people,) the same in every solution met
    n_solutions: int
    is_complete: bool  # whether for everybody it is known if they are determined
    nodes: int
    seconds: float

    def sentence(self) -> str:
        """The finding in words."""
        n, proved, alike = len(self.values), int(self.determined.sum()), int(self.agreed.sum())
        if not self.n_solutions and self.is_complete:
            return "No responses of these people give the printed figures: predictors or figures are not theirs."
        if self.is_complete:
            return f"{proved} of {n} responses are determined by the printed figures."
        spent = f"within {self.seconds:.0f} s and {self.nodes:,} steps"
        if not self.n_solutions:
            return f"No responses were found {spent}; that is no proof of safety."
        return f"{proved} of {n} responses are determined; {alike - proved} more were recovered, not proved {spent}."


def recover(
    releases: Sequence[Released],
    values: NDArray[np.floating],
    n_people: int,
    known: NDArray[np.floating] | None = None,
    seconds: float = 10.0,
    clock: Callable[[], float] = working_time,
    step: float | None = None,
) -> Recovery:
    """Which responses, out of the possible `values`, refit to everything that was released.

    known (people,): responses that the intruder knows already, NaN for the others. The values are equally spaced, or
    become so by the smallest step between them; what is not among them is left out after the fact. Where there is no
    such step (logarithms), it is not known who is determined. step: any multiple of it between the least and the
    greatest value is possible as well; 0: anything between them is.
    """
    possible = np.unique(np.asarray(values, dtype=np.float64))
    return _Attack(tuple(releases), possible, n_people, known, seconds, clock, step).run()


class _Attack:
    def __init__(
        self,
        releases: tuple[Released, ...],
        values: Floats,
        n_people: int,
        known: NDArray[np.floating] | None,
        seconds: float,
        clock: Callable[[], float],
        step: float | None,
    ) -> None:
        self.releases, self.values = releases, values
        self.clock, self.began, self.seconds = clock, clock(), seconds
        self.step = step or _step(values)
        self.span = round((values[-1] - values[0]) / self.step) if len(values) > 1 else 0
        steps = (values - values[0]) / self.step
        self.is_even = step != 0.0 and bool((np.abs(steps - np.round(steps)) <= _UNEVEN).all())
        self.has_gaps = step is None and len(values) <= self.span
        given = np.full(n_people, np.nan) if known is None else np.asarray(known, dtype=np.float64)
        self.base = np.where(np.isnan(given), values[0], given)
        self.free = np.flatnonzero(np.isnan(given)) if self.span else np.arange(0)
        self.nodes = 0
        self.seen: dict[bytes, Floats] = {}
        self.solutions: list[Floats] = []

    def run(self) -> Recovery:
        sums = self._sums()
        likely = self._sums(is_bounded=False)
        # Where few digits make the bounded question much wider, solutions are met sooner in the likely one.
        if self.is_even and np.abs(likely.shifts).max(initial=0.0) > 1.5 * np.abs(sums.shifts).max(initial=0.0):
            self._hunt(likely, None)
        is_over = self.is_even and not self._is_hopeless() and self._hunt(sums, None)
        agreed = self._agreed()
        determined = agreed & is_over
        is_complete = is_over or self._is_hopeless()
        if not is_complete and self.solutions:
            is_complete = True
            for person in self.free[agreed[self.free]]:
                verdict = self._is_determined(int(person))
                determined[person] = bool(verdict)
                is_complete &= verdict is not None
            agreed = self._agreed()
        first = self.solutions[0] if self.solutions else np.full(len(self.base), np.nan)
        spent = self.clock() - self.began
        # Those known beforehand are no finding.
        mask = np.isin(np.arange(len(self.base)), self.free)
        found = (determined & mask & bool(self.solutions), agreed & mask)
        return Recovery(first, *found, len(self.solutions), is_complete, self.nodes, spent)

    def _sums(self, is_bounded: bool = True) -> WantedSums:
        shifts, aims = [], []
        place = np.full(len(self.base), -1)
        place[self.free] = np.arange(len(self.free))
        for release in self.releases:
            own, aim = release.says(self.values[0], self.step, is_bounded)
            offset = ((self.base[release.rows] - self.values[0]) / self.step).astype(np.longdouble)
            shift = np.zeros((len(self.free), own.shape[1]), dtype=np.longdouble)
            inside = place[release.rows] >= 0
            shift[place[release.rows][inside]] = own[inside]
            shifts.append(shift)
            aims.append(aim - offset @ own)
        spans = np.full(len(self.free), self.span, dtype=np.int64)
        return WantedSums(np.hstack(shifts), np.concatenate(aims), spans)

    def _hunt(self, sums: WantedSums, fixed: tuple[int, int] | None) -> bool:
        """Look for solutions; True where all were seen, False where it was stopped before."""
        if not len(sums.spans) or not np.isfinite(sums.shifts).all():
            return self._keep(np.zeros((1, 0), dtype=np.int64), fixed) if not len(sums.spans) else False
        reduced = reduce_sums(sums, insertions=INSERTIONS)
        hunt = Hunt(reduced, reduced.sums.aim)
        while not hunt.is_over:
            if self.clock() - self.began > self.seconds:
                return False
            before = hunt.nodes
            met = self._keep(hunt.go_on(SLICE, AT_ONCE), fixed)
            self.nodes += hunt.nodes - before
            if fixed is not None and met:
                return False
            if fixed is None and (self._is_hopeless() or len(self.solutions) >= ENOUGH):
                return False
        return True

    def _keep(self, numbers: Ints, fixed: tuple[int, int] | None) -> bool:
        """Keep those that refit as printed; whether there were any."""
        responses = np.tile(self.base, (len(numbers), 1))
        free = self.free if fixed is None else self.free[self.free != fixed[0]]
        responses[:, free] = self.values[0] + self.step * numbers
        if fixed is not None:
            responses[:, fixed[0]] = self.values[0] + self.step * fixed[1]
        fits = np.ones(len(responses), dtype=bool)
        if self.has_gaps:
            nearest = np.abs(responses[:, self.free, None] - self.values).min(axis=2, initial=np.inf)
            fits = (nearest <= 1e-6 * self.step).all(axis=1)  # whole numbers of steps: less is rounding
        for release in self.releases:
            fits[fits] = release.agrees(responses[fits])
        for solution in responses[fits]:
            self.seen.setdefault(solution.tobytes(), solution)
        self.solutions = list(self.seen.values())
        return bool(fits.any())

    def _is_determined(self, person: int) -> bool | None:
        """Whether no other value of one person refits; None where time was too short to know."""
        at = int(np.flatnonzero(self.free == person)[0])
        taken = round((self.solutions[0][person] - self.values[0]) / self.step)
        if any(s[person] != self.solutions[0][person] for s in self.solutions):
            return False
        sums = self._sums()
        every = np.round((self.values - self.values[0]) / self.step).astype(int).tolist()
        for other in every if self.has_gaps else range(self.span + 1):
            if other == taken:
                continue
            before = len(self.solutions)
            if not self._hunt(sums.fixed(at, other), (person, other)):
                return False if len(self.solutions) > before else None
        return True

    def _is_hopeless(self) -> bool:
        """Whether for everybody two values were met, so that nobody is determined."""
        return bool(self.solutions) and not self._agreed()[self.free].any()

    def _agreed(self) -> NDArray[np.bool_]:
        if not self.solutions:
            return np.zeros(len(self.base), dtype=bool)
        all_of_them = np.array(self.solutions)
        return (all_of_them == all_of_them[0]).all(axis=0)


def _step(values: Floats) -> float:
    """The largest step of which all distances between values are whole multiples, to nine digits."""
    if len(values) < 2:
        return 1.0
    whole = np.round((values - values[0]) * 1e9).astype(np.int64)
    return float(np.gcd.reduce(whole)) / 1e9
