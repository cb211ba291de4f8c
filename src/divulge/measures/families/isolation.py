"""Isolation gain: do descriptions read off the synthetic data pick out exactly one person, and more often than they
would among people who were not in the data (D'Acquisto, Cohen, Naldi and Nissim 2024)?
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.special import gammaln, ndtri

from divulge.kernels.arrays import Floats, Integers
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, Interval, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.intervals import ratio_standard_error, wilson

_SOURCE = "D'Acquisto et al. 2024"


@dataclass(frozen=True)
class Isolation(Family):
    """A description is a combination of key values; it isolates where exactly one person has it."""

    predicates: Annotated[
        Literal["unique", "all"],
        "The combinations that one synthetic row has (`unique`), or all that some synthetic row has (`all`).",
    ] = "unique"

    name: ClassVar[str] = "isolation"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("isolation", "Of the descriptions in the synthetic data, those that isolate one person.", _SOURCE),
        Measure("isolation_gain", "How many times as often as in a holdout of equal size.", _SOURCE, is_share=False),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Count the people behind every description; nothing here is random."""
        del rng
        found, times = np.unique(case.counts.key_codes(case.synthetic), return_counts=True)
        described = found[times == 1] if self.predicates == "unique" else found
        people = _counts(described, case.counts.key_codes(case.people))
        n, k = case.people.n_rows, len(described)
        hits = int((people == 1).sum())
        undefined = (
            "There are no people." if not n else f"The synthetic data have no {self.predicates} key combination."
        )
        base = expected_share(n, k)
        scores = None
        if case.with_scores:
            own = np.isin(case.counts.key_codes(case.people), described[people == 1])
            scores = own.astype(np.float64)
        return {
            "isolation": ratio(
                "isolation",
                hits if n else 0,
                k if n else 0,
                undefined=undefined,
                baseline=base,
                interval=wilson(hits, k) if n else None,
                n=n,
                details={"predicates": self.predicates, "isolated_share_of_people": hits / n if n else math.nan},
                scores=scores,
            ),
            "isolation_gain": self._gain(case, described, people),
        }

    def _gain(self, case: Case, described: Integers, people: Integers) -> Estimate:
        if case.holdout is None:
            return Estimate("isolation_gain", math.nan, caveats=("It needs a holdout.",))
        n, m = case.people.n_rows, case.holdout.n_rows
        size = min(n, m)
        inside = isolating(people, n, size)
        outside = isolating(_counts(described, case.counts.key_codes(case.holdout)), m, size)
        a, b = float(inside.sum()), float(outside.sum())
        se = ratio_standard_error(
            len(described), float(inside @ inside), float(inside @ outside), float(outside @ outside), a, b
        )
        interval = None
        if a > 0 and b > 0 and math.isfinite(se):
            # A ratio of counts is skew; its logarithm is less so.
            reach = math.exp(float(ndtri(0.975)) * se * b / a)
            interval = Interval(a / b / reach, a / b * reach, "log-normal")
        return ratio(
            "isolation_gain",
            a,
            b,
            undefined="No description isolates anybody in the holdout.",
            baseline=1.0,
            interval=interval,
            n=size,
            details={"size": size},
            caveats=() if n == m else (f"Counted as in random halves of {size:,} people, since the sizes differ.",),
        )


def expected_share(n_people: int, n_guesses: int) -> float:
    """What share of n_guesses descriptions isolates if they are chosen best without any release (theorems 1 and 2).

    (1 − 1/n)^(n−1), about 1/e, for up to n guesses; n(1 − 1/k)^(n−1)/k for k > n.
    """
    if not n_people or not n_guesses:
        return math.nan
    if n_guesses <= n_people:
        return (1 - 1 / n_people) ** (n_people - 1)
    return n_people / n_guesses * (1 - 1 / n_guesses) ** (n_people - 1)


def isolating(counts: Integers, n_people: int, size: int) -> Floats:
    """For every description the chance that a random `size` of the people hold exactly one of the `counts` it fits.

    h · C(N − h, m − 1)/C(N, m) (hypergeometric); 0 or 1 where the size is everybody.
    """
    if size == n_people:
        return (counts == 1).astype(np.float64)
    h = counts.astype(np.float64)
    possible = (counts > 0) & (n_people - counts >= size - 1) & (size > 0)
    chance = np.zeros(len(counts))
    h = h[possible]
    chance[possible] = np.exp(
        np.log(h) + _choose(n_people - h, size - 1) - float(_choose(np.array(float(n_people)), size))
    )
    return chance


def _choose(n: Floats, k: int) -> Floats:
    """The logarithm of n over k."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _counts(described: Integers, codes: Integers) -> Integers:
    """How many rows have each of the (ascending) codes."""
    if not len(described):
        return np.zeros(0, dtype=np.int64)
    place = np.minimum(np.searchsorted(described, codes), len(described) - 1)
    return np.bincount(place[described[place] == codes], minlength=len(described))
