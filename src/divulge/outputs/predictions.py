"""What a released regression says of the people it was fitted to: with each of them, and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, ndtr

from divulge.kernels.arrays import Floats, Integers

_NEARLY = 1 - 1e-9
"""Leverage above this is 1 but for rounding: without the person nothing is known of them."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The response of each person by a regression. rows: who they are; own: what they have.

    with_them: the predictor x'b at the printed coefficients; leverage: how far each decides their own (0 to 1).
    names: the variables that an intruder must know to predict; response: the variable that they learn.
    """

    response: str
    names: tuple[str, ...]
    rows: Integers
    own: Floats
    with_them: Floats
    leverage: Floats

    def scores(self, tolerance: Floats) -> tuple[Floats, Floats]:
        """The chance of a right guess with each of them in the data and without. tolerance: how near is right."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class NumberPredictions(Predictions):
    """Of a linear regression. spread: standard deviation of each person's error.

    With them, what they have less what is predicted has the variance s² (1 − h); without them s² / (1 − h), around
    what is predicted without them: y − e / (1 − h) (Cook & Weisberg 1982).
    """

    spread: Floats

    def scores(self, tolerance: Floats) -> tuple[Floats, Floats]:
        rest = np.maximum(1.0 - np.minimum(self.leverage, _NEARLY), 1 - _NEARLY)
        error = self.own - self.with_them
        spread = np.maximum(self.spread, 1e-300)
        return (
            _within(error, tolerance, spread * np.sqrt(rest)),
            _within(error / rest, tolerance, spread / np.sqrt(rest)),
        )


@dataclass(frozen=True, eq=False)
class ChancePredictions(Predictions):
    """Of a logistic regression: own is 0 or 1. Without them by one step from the estimates (Pregibon 1981)."""

    most: ClassVar[float] = 30.0
    """Log odds beyond this are certainty."""

    def scores(self, tolerance: Floats) -> tuple[Floats, Floats]:
        del tolerance
        eta = np.clip(self.with_them, -self.most, self.most)
        chance = expit(eta)
        rest = np.maximum(1.0 - np.minimum(self.leverage, _NEARLY), 1 - _NEARLY)
        step = self.leverage / np.maximum(chance * (1 - chance), 1e-300) * (self.own - chance) / rest
        without = expit(np.clip(eta - step, -self.most, self.most))
        return np.where(self.own > 0, chance, 1 - chance), np.where(self.own > 0, without, 1 - without)


def _within(error: Floats, tolerance: Floats, spread: Floats) -> Floats:
    """The probability that a normal number around the prediction is within the tolerance of what they have."""
    found: Floats = ndtr((error + tolerance) / spread) - ndtr((error - tolerance) / spread)
    return found
