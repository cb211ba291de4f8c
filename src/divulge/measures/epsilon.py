"""ε, audited: lower bounds on the ε of any claim of differential privacy, from the scores of people in and out.

Every bound speaks of one attack: a better one may show a larger ε, and 0 says that this attack found nothing.
Trying several thresholds is paid for by dividing the level among them (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command
from scipy.special import bdtrc, betaincinv, expit, log_ndtr, ndtri

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.one_run import excess

LEVEL = 0.05
"""How often a bound may be wrong."""

DELTA = 1e-6
"""The δ of (ε, δ)-differential privacy that claims are audited at, where nothing else is said."""

_LARGEST = 200.0  # an ε beyond this is no protection; searches end there


@dataclass(frozen=True, eq=False)
class Roc:
    """How many people in and out score at least each threshold: the corners of the concave hull, from none to all."""

    right: Integers
    wrong: Integers

    @classmethod
    def of(cls, inside: Floats, outside: Floats) -> Roc:
        """From the scores of both. Only thresholds on the hull can be best, whatever right and wrong guesses cost."""
        limits = np.union1d(inside, outside)[::-1]
        ins, outs = np.sort(inside), np.sort(outside)
        right = np.r_[0, len(ins) - np.searchsorted(ins, limits)]
        wrong = np.r_[0, len(outs) - np.searchsorted(outs, limits)]
        kept: list[int] = []
        for at in range(len(right)):
            while len(kept) > 1 and _turns_left(right, wrong, kept[-2], kept[-1], at):
                kept.pop()
            kept.append(at)
        return cls(right[kept], wrong[kept])

    @property
    def n_in(self) -> int:
        return int(self.right[-1])

    @property
    def n_out(self) -> int:
        return int(self.wrong[-1])

    def tpr_at(self, fpr: float) -> float:
        """The largest share of right accusations at this share of wrong ones, between corners by drawing lots."""
        return float(np.interp(fpr * self.n_out, *_steepest(self.wrong, self.right)) / self.n_in)

    def clopper_pearson(self, level: float = LEVEL, delta: float = DELTA) -> float:
        """max ln((TPR_low − δ)/FPR_high) over thresholds, each bound at level/2 (Nasr et al. 2021)."""
        share = level / len(self.right) / 2
        fnr, fpr = _upper(self.n_in - self.right, self.n_in, share), _upper(self.wrong, self.n_out, share)
        useful = 1 - fnr > delta
        if not useful.any():
            return 0.0
        return max(0.0, float((np.log(1 - fnr[useful] - delta) - np.log(fpr[useful])).max()))

    def gaussian(self, level: float = LEVEL, delta: float = DELTA) -> float:
        """The ε of the least μ-GDP that the error rates allow: μ ≥ Φ⁻¹(1 − FPR) − Φ⁻¹(FNR) (Nasr et al. 2023).

        It takes the mechanism to be Gaussian. Where it is not, the bound is one on μ and not on ε.
        """
        share = level / len(self.right) / 2
        fnr, fpr = _upper(self.n_in - self.right, self.n_in, share), _upper(self.wrong, self.n_out, share)
        useful = np.maximum(fnr, fpr) < 1 - delta
        if not useful.any():
            return 0.0
        return _gaussian_epsilon(max(0.0, float((-ndtri(fpr[useful]) - ndtri(fnr[useful])).max())), delta)

    def best_of_thresholds(self, bound: Callable[..., float], level: float = LEVEL, delta: float = DELTA) -> float:
        """The largest bound over the thresholds of a curve, the level divided among them; those above are accused."""
        share, m = level / len(self.right), self.n_in + self.n_out
        guesses = self.right + self.wrong
        order = np.argsort(_upper(self.wrong, np.maximum(guesses, 1), share), kind="stable")
        best = 0.0
        for at in order:
            n, v = int(guesses[at]), int(self.right[at])
            # A share of right guesses below what ε allows cannot refute it.
            if n and v / n > expit(best):
                best = bound(m, n, v, share, delta, best)
        return best


def _turns_left(right: Integers, wrong: Integers, a: int, b: int, c: int) -> bool:
    return bool((right[b] - right[a]) * (wrong[c] - wrong[b]) <= (right[c] - right[b]) * (wrong[b] - wrong[a]))


def _steepest(wrong: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Each number of wrong accusations once, with the most right ones."""
    last = np.r_[wrong[1:] != wrong[:-1], True]
    return wrong[last], right[last]


def _gaussian_epsilon(mu: float, delta: float) -> float:
    """The ε with δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (Dong, Roth and Su 2022)."""
    if mu <= 0:
        return 0.0

    def gap(eps: float) -> float:
        high, low = float(log_ndtr(-eps / mu + mu / 2)), eps + float(log_ndtr(-eps / mu - mu / 2))
        return (high + math.log1p(-math.exp(low - high)) if low < high else -math.inf) - math.log(delta)

    if gap(0.0) <= 0:
        return 0.0
    # Beyond μ²/2 + μ·10 the first term alone is below any δ that is used.
    top = mu * mu / 2 + 10 * mu + 1
    return float(scipy.optimize.brentq(lambda e: max(gap(e), -1e3), 0.0, top, xtol=1e-9))


def _one_run_p_value(m: int, guesses: int, right: int, eps: float, delta: float) -> float:
    """The chance of so many right guesses under (ε, δ)-DP (Steinke, Nasr and Jagielski 2023, theorem 5.2)."""
    q = float(expit(eps))
    beta = float(bdtrc(right - 1, guesses, q)) if right > 0 else 1.0
    if not delta or right <= 0:
        return beta
    i = np.arange(1, right + 1)
    at_least = np.where(right - i > 0, bdtrc(np.maximum(right - i - 1, 0), guesses, q), 1.0)
    alpha = float(((at_least - beta) / i).max())
    return min(1.0, beta + 2 * m * delta * max(alpha, 0.0))


def one_run(m: int, guesses: int, right: int, level: float, delta: float, least: float = 0.0) -> float:
    """The largest ε that so many right guesses refute; `least` where they refute no larger one."""
    return _largest(lambda eps: level - _one_run_p_value(m, guesses, right, eps, delta), least)


def one_run_gaussian(m: int, guesses: int, right: int, level: float, delta: float, least: float = 0.0) -> float:
    """The same for μ-GDP claims (Mahloujifar et al. 2024), as the ε of the largest μ refuted; about twice as tight.

    Like `gaussian`, it audits claims of Gaussian noise.
    """
    floor = _largest(lambda mu: _gaussian_epsilon(mu, delta) - least, 0.0, downwards=True) if least > 0 else 0.0
    mu = _largest(lambda x: excess(level, m, guesses, right, x), floor)
    return max(least, _gaussian_epsilon(mu, delta)) if mu > floor else least


def _upper(k: Integers, n: int | Integers, share: float) -> Floats:
    """The upper bound of a share (Clopper and Pearson 1934), wrong with at most the given probability."""
    k, n = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    return np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1e-300), 1 - share), 1.0)


def _largest(refutes: Callable[[float], float], low: float, downwards: bool = False) -> float:
    """The largest x at which `refutes` is above 0, sought upwards from `low`; the root where it rises instead."""
    sign = -1.0 if downwards else 1.0
    if sign * refutes(low) <= 0:
        return low
    high = max(1.0, 2 * low)
    while sign * refutes(high) > 0:
        low, high = high, 2 * high
        if high > _LARGEST:
            return low
    return float(scipy.optimize.brentq(refutes, low, high, xtol=1e-6))
