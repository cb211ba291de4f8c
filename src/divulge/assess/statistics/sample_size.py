"""How many of many people are searched for, so that the marginal risk is known as precisely as the policy asks."""

from __future__ import annotations

from math import ceil

import numpy as np

from divulge.policy import Policy

_PER_FIGURE = 400
"""People for every figure: a model with p parameters learns of the order p/n about those it was fitted to, and that
alone is then a quarter of what may be released (0.02) at half size."""

_MOST = 250_000
"""People in a sample at most: so many are searched for in minutes."""


def people_wanted(policy: Policy, n_figures: int) -> int:
    """How many people are drawn: chance then adds no more than a quarter of the widest interval to either side."""
    precise = ceil((1.96 * 0.5 / (policy.widest_interval / 4)) ** 2)
    return min(max(precise, _PER_FIGURE * n_figures), _MOST)


def precision_of(n_people: int) -> float:
    """How far a mean exposure may be off by the choice of so many people: 1.96 · ½ / √m.

    Exposures lie between −1 and 1, half of them above and half below at the most: their standard deviation is at most
    a half wherever few people are exposed.
    """
    return float(1.96 * 0.5 / np.sqrt(max(n_people, 1)))
