"""Responses from coefficients by trying every response: the slow, obvious twin of `divulge.lattice.responses`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from divulge.lattice.released import Released


def every_solution(releases: Sequence[Released], values: np.ndarray, n: int) -> np.ndarray:
    """(solutions, people): all responses that refit to what was released."""
    responses = np.array(list(product(values, repeat=n)), dtype=float)
    fits = np.ones(len(responses), dtype=bool)
    for release in releases:
        fits[fits] = release.agrees(responses[fits])
    return responses[fits]
