"""Attacks on powers, weights and many digits, a few lines each, that anybody can run: no part of Divulge is in them.

As in `attacks`: each is given the data frame and says of how many people it gives something away.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from scipy.special import ndtr

from benchmarks.validation.foreign_data.attacks import NEAR, Attack, Frame


def power_mean(value: str, power: int) -> Attack:
    """The mean m of a high power of n people: whoever has the second largest takes theirs away from n m; of what is
    left the root is nearly the largest."""

    def attack(frame: Frame) -> int:
        x = frame[value].dropna().to_numpy(float)
        left = len(x) * (x**power).mean() - np.sort(x)[-2] ** power
        return int(abs(left ** (1 / power) - x.max()) <= NEAR * x.max())

    return attack


def mean_that_one_makes(value: str) -> Attack:
    """The mean that a model without predictors states, times how many there are, is nearly the largest."""

    def attack(frame: Frame) -> int:
        x = np.sort(frame[value].dropna().to_numpy(float))
        return int(abs(len(x) * x.mean() - x[-2] - x[-1]) <= NEAR * x[-1])

    return attack


def difference_of_two(value: str, first: str, second: str) -> Attack:
    """Two means that each leave another person out: their sums differ by what one has more than the other, so that each
    of the two learns what the other has."""

    def attack(frame: Frame) -> int:
        one, other = frame.query(first)[value], frame.query(second)[value]
        told = len(one) * round(one.mean(), 2) - len(other) * round(other.mean(), 2)
        true = frame.drop(one.index)[value].sum() - frame.drop(other.index)[value].sum()
        left_out = {*frame.index} - ({*one.index} & {*other.index})
        return 2 * int(len(left_out) == 2 and abs(told + true) <= NEAR * frame[value].std())

    return attack


def told_apart(value: str, low: float, high: float) -> Attack:
    """Two histograms with borders that differ: the difference of two bars counts those in between."""
    return lambda frame: n if (n := int(frame[value].between(low, high, inclusive="left").sum())) < 3 else 0


def binary_digits(value: str, weight: str) -> Attack:
    """A total of 0 and 1 weighted by powers of two: its binary digits are everybody's values."""

    def attack(frame: Frame) -> int:
        known = frame[frame[weight] > 0].sort_values(weight)
        total = int((known[value] * known[weight]).sum())
        told = [(total >> k) & 1 for k in range(len(known))]
        return sum(a == b for a, b in zip(told, known[value], strict=True))

    return attack


def weighted_to_one(response: str, predictor: str, weight: str) -> Attack:
    """A regression weighted by a million for one person: what it predicts of them is what they have."""

    def attack(frame: Frame) -> int:
        design = np.column_stack([np.ones(len(frame)), frame[predictor]])
        root = np.sqrt(frame[weight].to_numpy(float))
        b = np.linalg.lstsq(design * root[:, None], frame[response] * root, rcond=None)[0].round(4)
        one = int(frame[weight].argmax())
        return int(abs(design[one] @ b - frame[response].iloc[one]) < 0.01 * frame[response].std())

    return attack


def probit_tried(response: str, predictor: str, where: str, decimals: int) -> Attack:
    """All 2ⁿ responses of n people: the score at the printed coefficients is nearly zero for one of them alone."""

    def attack(frame: Frame) -> int:
        few = frame.query(where)
        x = np.column_stack([np.ones(len(few)), few[predictor]])
        y = few[response].to_numpy(float)
        every = (np.arange(2 ** len(y))[:, None] >> np.arange(len(y)) & 1).astype(float)
        b = _probit(x, y).round(decimals)
        p, density = ndtr(x @ b), np.exp(-((x @ b) ** 2) / 2) / np.sqrt(2 * np.pi)
        slope = density / (p * (1 - p))
        # One Newton step from the printed coefficients goes where responses that fit have theirs.
        information = (x * (density * slope)[:, None]).T @ x
        steps = np.linalg.solve(information, ((every - p) * slope @ x).T).T
        fits = every[np.abs(steps).max(axis=1) < 10.0**-decimals]
        return int((fits == y).all(axis=0).sum()) if len(fits) else 0

    return attack


def _probit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    b = np.zeros(x.shape[1])
    for _ in range(50):  # Fisher's steps, far more than they need
        p, density = ndtr(x @ b), np.exp(-((x @ b) ** 2) / 2) / np.sqrt(2 * np.pi)
        slope = density / (p * (1 - p))
        b = b + np.linalg.solve((x * (density * slope)[:, None]).T @ x, (y - p) * slope @ x)
    return b


def moments_tried(value: str, where: str, decimals: int) -> Attack:
    """All samples of so many people out of the values that occur: one alone has the printed mean and moments."""

    def attack(frame: Frame) -> int:
        own = np.sort(frame.query(where)[value].to_numpy(float))
        values = np.sort(frame[value].unique())
        samples = np.array(list(combinations_with_replacement(values, len(own))))
        away = samples - samples.mean(axis=1, keepdims=True)
        moments = np.column_stack([samples.mean(axis=1), *((away**k).mean(axis=1) for k in (2, 3, 4))])
        mine = (samples == own).all(axis=1)
        fits = (np.abs(moments - moments[mine]) < 10.0**-decimals).all(axis=1)
        return len(own) if fits.sum() == 1 else 0

    return attack
