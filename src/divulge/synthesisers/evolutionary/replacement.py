"""Who lives on after a generation: the best of parents and children, or the children alone."""

from __future__ import annotations

from typing import Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers

Replacement = Literal["elitist", "generational"]


def survivors(replacement: Replacement, parents: Floats, children: Floats, size: int) -> Integers:
    """The places of those who live on, the fittest first, in the list of all parents followed by all children.

    elitist: the best of both, (μ + λ). generational: the children, whatever their parents were; the best of them where
    there is one more than the population has places.
    """
    if replacement == "elitist":
        return np.argsort(np.concatenate([parents, children]), kind="stable")[:size]
    return len(parents) + np.argsort(children, kind="stable")[:size]
