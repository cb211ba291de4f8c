"""Scores of people over splits as one wishes, in the form in which an assessment keeps them."""

from __future__ import annotations

import numpy as np

from divulge.assess.statistics.exposure import ScoreSums
from divulge.designs import RepeatedHalves
from divulge.scenario import Lookup, Matches, Scenario
from divulge.table import Schema, Table, Variable


def sums_of(scores: np.ndarray, inside: np.ndarray) -> ScoreSums:
    """Sums over splits of given scores (rows, splits): each row its own cell, scores as counts of a thousand."""
    n = len(scores)
    variables = (Variable("key", "categorical", np.arange(n)), Variable("target", "categorical", np.arange(2)))
    columns = (np.arange(n), np.append(np.zeros(n - 1), 1))
    people = Table(Schema(variables), tuple(c.astype(np.uint32) for c in columns))
    lookup = Lookup.of(Scenario(("key",), "target"), people, {"key": np.ones(n) / n, "target": np.zeros(2)})
    sums = ScoreSums(lookup)
    certain = np.zeros(n, dtype=bool)
    for s in range(scores.shape[1]):
        # 999 rows and the one of the prior make shares of a thousand.
        near = np.round(scores[:, s] * 1000).astype(np.int32)
        sums.add(Matches(near, np.full(n, 999, np.int32), certain), inside[:, s])
    return sums


def labels_of(n: int, splits: int, seed: int = 1) -> np.ndarray:
    """Who is in, of n people over so many halves."""
    return np.array([s.rows()[0] for s in RepeatedHalves(splits_wanted=splits).splits(n, seed)]).T
