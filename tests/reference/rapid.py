"""RAPID's scores, shares, bootstrap and null as loops over people: slow, obvious twins of measures/gains.py."""

from __future__ import annotations

import math
from collections.abc import Sequence


def gains(probabilities: Sequence[Sequence[float]], truth: Sequence[int]) -> list[float]:
    """(g − b)/(1 − b) of every person; NaN where everybody has the class."""
    found = []
    for row, own in zip(probabilities, truth, strict=True):
        b = sum(1 for t in truth if t == own) / len(truth)
        found.append(math.nan if b == 1 else (row[own] - b) / (1 - b))
    return found


def errors(predicted: Sequence[float], truth: Sequence[float], kind: str) -> list[float]:
    """The error of every person; NaN where it is divided by 0."""
    mean = sum(truth) / len(truth)
    deviation = math.sqrt(sum((t - mean) ** 2 for t in truth) / len(truth))
    found = []
    for guess, own in zip(predicted, truth, strict=True):
        scale = {"relative": abs(own), "absolute": 1.0, "normalised": deviation}[kind]
        found.append(abs(own - guess) / scale if scale > 0 else math.nan)
    return found


def share(scores: Sequence[float], threshold: float, above: bool) -> float:
    """How many of those with a score are at risk."""
    known = [s for s in scores if not math.isnan(s)]
    hits = [s for s in known if (s > threshold if above else s < threshold)]
    return len(hits) / len(known) if known else math.nan
