"""Which numbers of people a printed mean or share leaves possible: of whole numbers, 11.25 is the mean of 4, 8, 12 …"""

from __future__ import annotations

import numpy as np

from divulge.kernels.arrays import Integers

MOST_SIZES = 1_000_000
"""Sizes that are tried; a group that may be larger is not looked at."""


def possible_sizes(low: float, high: float, fewest: int, most: int, step: float = 1.0, origin: float = 0.0) -> Integers:
    """The sizes n from fewest to most for which n values of origin + step · k have a mean from low to high.

    Σ k lies between n (low − origin)/step and n (high − origin)/step: at least one whole number must.
    """
    if most - fewest >= MOST_SIZES:
        raise ValueError("too many sizes to try")  # callers ask about small groups; this is a mistake of ours
    n = np.arange(max(fewest, 1), most + 1, dtype=np.int64)
    # Beyond the printed interval by a few units of the last place of a float, as sums depend on their order.
    slack = 1e-9 * (1.0 + np.abs(n * high / step))
    first = np.ceil(n * ((low - origin) / step) - slack)
    return n[first <= np.floor(n * ((high - origin) / step) + slack)]
