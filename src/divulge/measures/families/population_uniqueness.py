"""Population uniqueness: of all people of the population, how many would be unique on the keys, by published models
of how class sizes grow from a sample to the population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command
from scipy.special import digamma, gammaln

from divulge.kernels.arrays import Floats, Integers
from divulge.measures.case import Case
from divulge.measures.counting.classes import NO_PEOPLE, classes_of
from divulge.measures.estimate import Estimate, Interval
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.settings import Range


@dataclass(frozen=True)
class _Sizes:
    """How many classes of people there are of each size."""

    size: Floats
    classes: Floats

    @classmethod
    def of(cls, counts: Integers) -> _Sizes:
        size, classes = np.unique(counts[counts > 0], return_counts=True)
        return cls(size.astype(np.float64), classes.astype(np.float64))

    @property
    def n(self) -> float:
        """How many people."""
        return float(self.size @ self.classes)

    @property
    def u(self) -> float:
        """How many classes."""
        return float(self.classes.sum())

    def exactly(self, size: int) -> float:
        """How many classes have this size."""
        return float(self.classes[self.size == size].sum())


@dataclass(frozen=True)
class PopulationUniqueness(Family):
    """The people are taken as a simple random sample of a population of n/sampling_fraction."""

    sampling_fraction: Annotated[float, "The share of the population in the data.", Range(above=0, below=1)] = 0.01
    replicates: Annotated[int, "Resamples of the classes for the intervals; 0: no intervals.", Range(least=0)] = 50

    name: ClassVar[str] = "population_uniqueness"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "sample_uniqueness", "People whose keys nobody else in the data has.", "Skinner 1992", moves_with_size=True
        ),
        Measure(
            "uniqueness_pitman",
            "The share of the population that is unique on the keys, by Pitman's model.",
            "Pitman 1996; Hoshino 2001",
            moves_with_size=True,
        ),
        Measure(
            "uniqueness_zayatz",
            "The same by Zayatz's estimator.",
            "Zayatz 1991",
            moves_with_size=True,
        ),
        Measure(
            "uniqueness_negative_binomial",
            "The same by the slide negative binomial model.",
            "Chen and Keller-McNulty 1998",
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Three estimates from the sizes of the classes; the generator resamples classes for their intervals."""
        people = classes_of(case).people
        counts = people[people > 0]
        sizes = _Sizes.of(counts)
        found = {"sample_uniqueness": share("sample_uniqueness", sizes.exactly(1), int(sizes.n), NO_PEOPLE)}
        models = {
            "uniqueness_pitman": _pitman,
            "uniqueness_zayatz": _zayatz,
            "uniqueness_negative_binomial": _negative_binomial,
        }
        resampled = [
            _Sizes.of(rng.choice(counts, len(counts))) for _ in range(self.replicates if len(counts) > 1 else 0)
        ]
        for name, model in models.items():
            value = model(sizes, self.sampling_fraction)
            draws = [v for s in resampled if not math.isnan(v := model(s, self.sampling_fraction))]
            interval = None
            if not math.isnan(value) and len(draws) > 1:
                low, high = np.quantile(draws, [0.025, 0.975])
                interval = Interval(float(low), float(high), "bootstrap")
            found[name] = Estimate(
                name,
                value,
                interval=interval,
                n=int(sizes.n),
                details={"sampling_fraction": self.sampling_fraction, "classes": int(sizes.u)},
                caveats=() if not math.isnan(value) else ("The model has no solution for these class sizes.",),
            )
        return found


def _zayatz(sizes: _Sizes, fraction: float) -> float:
    """(c₁/n) · P(population unique | sample unique), class sizes of the population taken as those of the sample.

    A class of i among N people has exactly one sampled with the hypergeometric probability (Zayatz 1991).
    """
    n, ones = sizes.n, sizes.exactly(1)
    if not n:
        return math.nan
    population = round(n / fraction)
    alone = np.exp(
        np.log(sizes.size) + _log_choose(population - sizes.size, n - 1) - _log_choose(np.array([float(population)]), n)
    )
    alone[population - sizes.size < n - 1] = 0.0
    chances = sizes.classes / sizes.u * alone
    return ones / n * float(chances[sizes.size == 1].sum() / chances.sum()) if ones else 0.0


def _pitman(sizes: _Sizes, fraction: float) -> float:
    """Γ(θ + 1)/Γ(θ + α) N^(α − 1), with θ and α of greatest likelihood (Hoshino 2001).

    The likelihood of α has its greatest θ where Σ 1/(θ + iα) = Σ 1/(θ + j); what is left is one equation in α.
    """
    n, u = sizes.n, sizes.u
    if not 1 < u < n:
        return math.nan

    def theta(alpha: float) -> float:
        def score(log_theta: float) -> float:
            t = math.exp(log_theta)
            return float((digamma(u + t / alpha) - digamma(1 + t / alpha)) / alpha - (digamma(n + t) - digamma(1 + t)))

        low, high = -30.0, 30.0
        if score(low) * score(high) > 0:
            return math.nan
        return math.exp(float(scipy.optimize.brentq(score, low, high, xtol=1e-12)))

    def slope(alpha: float) -> float:
        t = theta(alpha)
        if math.isnan(t):
            return math.nan
        first = ((u - 1) - t / alpha * (digamma(u + t / alpha) - digamma(1 + t / alpha))) / alpha
        return float(first - sizes.classes @ (digamma(sizes.size - alpha) - digamma(1 - alpha)))

    grid = np.linspace(0.005, 0.995, 100)
    scores = np.array([slope(a) for a in grid])
    falls = np.flatnonzero((scores[:-1] > 0) & (scores[1:] <= 0))
    if not len(falls):
        return math.nan
    alpha = float(scipy.optimize.brentq(slope, grid[falls[0]], grid[falls[0] + 1], xtol=1e-12))
    t = theta(alpha)
    return min(1.0, math.exp(gammaln(t + 1) - gammaln(t + alpha) + (alpha - 1) * math.log(n / fraction)))


def _negative_binomial(sizes: _Sizes, fraction: float) -> float:
    """K β^α/N: class sizes less 1 are negative binomial (α, β) over K classes (Chen and Keller-McNulty 1998).

    K is Shlosser's estimate (Haas and Stokes 1998), which is too small where most classes are missed: uniqueness
    is then overstated.
    """
    n, ones, twos = sizes.n, sizes.exactly(1), sizes.exactly(2)
    if not ones or not twos:
        return math.nan
    f, i, c = fraction, sizes.size, sizes.classes
    first = (i * f**2 * (1 - f**2) ** (i - 1)) @ c / (((1 - f) ** i * ((1 + f) ** i - 1)) @ c)
    second = ((1 - f) ** i @ c) / ((i * f * (1 - f) ** (i - 1)) @ c)
    k = float(sizes.u + ones * first * second**2)
    return min(1.0, _slide_uniques(k, f, ones, twos) * f / n)


def _slide_uniques(k: float, f: float, ones: float, twos: float) -> float:
    """K β^α, α and β such that a sample of the share f has the given expected numbers of classes of one and of two."""

    def gaps(x: Floats) -> Floats:
        # A search may try anything; beyond e³⁰ nothing changes but the size of the numbers.
        a, b = math.exp(min(x[0], 30.0)), 1 / (1 + math.exp(min(-x[1], 30.0)))
        d = (1 - f) * (1 - b)
        power = (b / (1 - d)) ** a
        one = k * f * power * (a * d / (1 - d) + 1)
        two = k * a * power * f**2 * (1 - b) / (2 * (1 - d) ** 2) * (2 - (1 - a) * d)
        return np.array([one / ones - 1, two / twos - 1])

    starts = [(a, b) for a in (-3.0, 0.0) for b in (-6.0, -2.0)]
    fits = [scipy.optimize.least_squares(gaps, start, xtol=1e-14, ftol=1e-14, gtol=1e-14) for start in starts]
    best = min(fits, key=lambda fit: float(fit.cost))
    if best.cost > 1e-8:  # two equations that are both met to four digits
        return math.nan
    return float(k * (1 + math.exp(-best.x[1])) ** -math.exp(best.x[0]))


def _log_choose(n: Floats, k: float) -> Floats:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0.0) + 1)
