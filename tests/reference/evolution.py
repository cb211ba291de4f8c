"""The evolutionary search done plainly, as the authors' program is described to do it: data frames, dummies, refits.

Written from the paper and from descriptions of the operators. Slow on purpose: it is what ours is compared with.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import statsmodels.api as sm

Marginals = Mapping[str, tuple[Sequence[object], Sequence[float]]]
"""For each variable its possible values and their shares."""


def individual(marginals: Marginals, n_rows: int, rng: random.Random, uniform: bool = False) -> pd.DataFrame:
    """Every column drawn independently."""
    return pd.DataFrame(
        {
            name: rng.choices(values, None if uniform else shares, k=n_rows)
            for name, (values, shares) in marginals.items()
        }
    )


def crossover(
    first: pd.DataFrame, second: pd.DataFrame, share: float, row_share: float, rng: random.Random
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two children: the chosen rows of one parent, then the other rows of the other."""
    if rng.random() >= share:
        return first.copy(), second.copy()
    chosen = np.array([rng.random() < row_share for _ in range(len(first))])
    return (
        pd.concat([first[chosen], second[~chosen]], ignore_index=True),
        pd.concat([second[chosen], first[~chosen]], ignore_index=True),
    )


def mutation(child: pd.DataFrame, marginals: Marginals, rate: float, rng: random.Random) -> pd.DataFrame:
    """Every cell, row by row, redrawn from its marginal with a small probability."""

    def mutated(row: pd.Series) -> list[object]:
        return [
            rng.choices(*marginals[name])[0] if rng.random() <= rate else value
            for name, value in zip(row.index, row.to_numpy(), strict=True)
        ]

    rows = child.apply(mutated, axis=1, result_type="expand")
    rows.columns = child.columns
    return rows


def coefficients(
    data: pd.DataFrame, response: str, numeric: Sequence[str], references: Mapping[str, object]
) -> dict[str, float]:
    """Logistic regression on dummies of every level but the reference, by statsmodels."""
    columns = [data[list(numeric)].astype(float)]
    for name, reference in references.items():
        columns.append(pd.get_dummies(data[name], prefix=name, dtype=float).drop(columns=f"{name}_{reference}"))
    design = sm.add_constant(pd.concat(columns, axis=1))
    fit = sm.Logit(data[response].astype(float), design).fit(disp=0)
    return dict(zip(design.columns, fit.params, strict=True))


def mean_squared_error(found: Mapping[str, float], released: Mapping[str, float]) -> float:
    """The fitness of one output; a coefficient that is missing is left out, as NaN is in pandas."""
    errors = [found[name] - value for name, value in released.items() if name in found]
    return float(np.mean(np.square(errors)))


def tournament(scores: Sequence[float], rng: random.Random) -> tuple[int, int]:
    """Two different winners of meetings of two; in a population of more than two."""

    def winner() -> int:
        a, b = rng.sample(range(len(scores)), 2)
        return b if scores[b] < scores[a] else a

    first = winner()
    second = winner()
    while second == first:
        second = winner()
    return first, second
