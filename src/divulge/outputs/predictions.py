"""What a released regression says of the people it was fitted to: with each of them, and without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.mean_curves import MeanCurve

_NEARLY = 1 - 1e-9
"""Leverage above this is 1 but for rounding: without the person nothing is known of them."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The response of each person by a regression. rows: who they are; own: what they have.

    with_them: the predictor x'b at the printed coefficients; leverage: how far each decides their own (0 to 1).
    names: the variables that an intruder must know to predict; response: the variable that they learn.
    curve: the mean that follows. spread: what its standard deviation is multiplied by. estimated: the variance of x'b
    beside that of a person, which is the leverage without weights: a survey weight makes nobody's value surer.
    """

    response: str
    names: tuple[str, ...]
    rows: Integers
    own: Floats
    with_them: Floats
    leverage: Floats
    curve: MeanCurve
    spread: Floats
    estimated: Floats

    def scores(self, tolerance: Floats) -> tuple[Floats, Floats]:
        """The chance of a right guess with each of them in the data and without. tolerance: how near is right.

        Without them by one step from the estimates (Pregibon 1981), which is exact for a linear regression: what they
        have lies e / (1 − h) from what is predicted, with the variance s² / (1 − h), or, with q estimated,
        s² (1 + (q − h²) / (1 − h)²); with them e and s² (1 − h) (Cook & Weisberg 1982).
        """
        rest = np.maximum(1.0 - np.minimum(self.leverage, _NEARLY), 1 - _NEARLY)
        mean, slope = self.curve.mean(self.with_them), self.curve.slope(self.with_them)
        slope = np.where(np.abs(slope) > 1e-300, slope, 1e-300)
        unsure = np.maximum(self.estimated - (1.0 - rest) ** 2, 0.0) / rest**2
        with np.errstate(all="ignore"):
            without = self.curve.mean(self.with_them - self.leverage * (self.own - mean) / slope / rest)
            if self.curve.is_chance:
                return np.where(self.own > 0, mean, 1 - mean), np.where(self.own > 0, without, 1 - without)
            spreads = [self.spread * np.sqrt(self.curve.variance(m)) for m in (mean, without)]
            return (
                _within(self.own - mean, tolerance, spreads[0] * np.sqrt(rest)),
                _within(self.own - without, tolerance, spreads[1] * np.sqrt(1.0 + unsure)),
            )


def _within(error: Floats, tolerance: Floats, spread: Floats) -> Floats:
    """The probability that a normal number around the prediction is within the tolerance of what they have."""
    spread = np.maximum(spread, 1e-300)
    # Where there is no mean at all, nothing is predicted.
    return np.nan_to_num(ndtr((error + tolerance) / spread) - ndtr((error - tolerance) / spread))
