"""The slow, obvious twin of an assessment of one table: embed, look everybody up, halves, exposure, permutation test.

Plain numpy and nothing of Divulge. A table is embedded by listing its cells as often as they count: there is no other
way to have the same counts. `people` is an array of whole numbers, one row a person; the last column is the target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]


def embed(people: Codes) -> Codes:
    """Synthetic rows with the same table: every combination of values, as often as it counts."""
    cells, counts = np.unique(people, axis=0, return_counts=True)
    return np.repeat(cells, counts, axis=0)


def score(person: Codes, synthetic: Codes, share: float) -> float:
    """The chance that the look-up gives the person's target: rows with their keys, and what was known before."""
    same_keys = synthetic[(synthetic[:, :-1] == person[:-1]).all(axis=1)]
    hits = int((same_keys[:, -1] == person[-1]).sum())
    return (hits + share) / (len(same_keys) + 1)


def shares(people: Codes) -> Numbers:
    """The granted share of everybody's target, from all people."""
    return np.array([(people[:, -1] == person[-1]).mean() for person in people])


def exposures_in_whole(people: Codes) -> Numbers:
    """The score with everybody in, less the score with one person left out, for each person."""
    granted, whole = shares(people), embed(people)
    found = np.zeros(len(people))
    for i, person in enumerate(people):
        without = embed(np.delete(people, i, axis=0))
        found[i] = score(person, whole, granted[i]) - score(person, without, granted[i])
    return found


def certain(people: Codes, fewer_than: int) -> NDArray[np.bool_]:
    """Whose class is smaller than this and has one value only."""
    found = np.zeros(len(people), dtype=bool)
    for i, person in enumerate(people):
        alike = people[(people[:, :-1] == person[:-1]).all(axis=1)]
        found[i] = len(alike) < fewer_than and len(set(alike[:, -1].tolist())) == 1
    return found & (shares(people) < 1)


def contrasts_in_halves(people: Codes, n_splits: int, seed: int) -> tuple[Numbers, NDArray[np.bool_]]:
    """(scores, inside) of everybody in random halves: (people, splits) each."""
    rng, n = np.random.default_rng(seed), len(people)
    granted = shares(people)
    scores, inside = np.zeros((n, n_splits)), np.zeros((n, n_splits), dtype=bool)
    for s in range(n_splits):
        inside[rng.permutation(n)[: n // 2], s] = True
        synthetic = embed(people[inside[:, s]])
        scores[:, s] = [score(person, synthetic, g) for person, g in zip(people, granted, strict=True)]
    return scores, inside


def exposures_in_halves(scores: Numbers, inside: NDArray[np.bool_]) -> Numbers:
    """Mean score when in, less mean score when out."""
    return np.array([s[i].mean() - s[~i].mean() for s, i in zip(scores, inside, strict=True)])


def permutation_p(scores: Numbers, inside: NDArray[np.bool_], n_draws: int, seed: int) -> float:
    """Of one person: how often shuffled labels give so large a difference."""
    rng = np.random.default_rng(seed)
    observed = scores[inside].mean() - scores[~inside].mean()
    drawn = 0
    for _ in range(n_draws):
        label = rng.permutation(inside)
        drawn += scores[label].mean() - scores[~label].mean() >= observed - 1e-12  # rounding
    return (drawn + 1) / (n_draws + 1)
