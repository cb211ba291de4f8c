"""The mean of a response as a function of its predictor, and how widely responses lie around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from divulge.kernels.arrays import Floats

_MOST = 30.0
"""Predictors beyond this are certainty, or more than anybody has."""


class MeanCurve(NamedTuple):
    """mean, slope: of η. variance: of a mean μ, but for a factor that the data give where `is_dispersed`.

    McCullagh & Nelder 1989, 2.2. is_chance: the response is 0 or 1.
    """

    mean: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    variance: Callable[[Floats], Floats]
    is_dispersed: bool = False
    is_chance: bool = False

    def weight(self, eta: Floats) -> Floats:
        """The expected −∂²l/∂η² of a row, up to the factor."""
        return np.asarray(self.slope(eta) ** 2 / np.maximum(self.variance(self.mean(eta)), 1e-300))


def _exp(eta: Floats) -> Floats:
    return np.asarray(np.exp(np.clip(eta, -_MOST, _MOST)))


def _clipped(chance: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    return lambda eta: np.clip(chance(np.clip(eta, -_MOST, _MOST)), 1e-12, 1.0 - 1e-12)


def _chance(mean: Callable[[Floats], Floats], slope: Callable[[Floats], Floats]) -> MeanCurve:
    return MeanCurve(_clipped(mean), slope, lambda mu: mu * (1.0 - mu), is_chance=True)


IDENTITY = MeanCurve(lambda eta: eta, np.ones_like, np.ones_like, is_dispersed=True)
LOGIT = _chance(expit, lambda eta: expit(eta) * expit(-eta))
PROBIT = _chance(ndtr, lambda eta: np.exp(-0.5 * np.clip(eta, -_MOST, _MOST) ** 2) / np.sqrt(2.0 * np.pi))
CLOGLOG = _chance(lambda eta: -np.expm1(-_exp(eta)), lambda eta: _exp(eta) * np.exp(-_exp(eta)))
COUNTS = MeanCurve(_exp, _exp, lambda mu: mu)


def overdispersed(alpha: float) -> MeanCurve:
    """Counts with the variance μ + αμ² (Lawless 1987)."""
    return MeanCurve(_exp, _exp, lambda mu: mu + alpha * mu**2)
