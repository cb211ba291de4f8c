"""Log-linear risk: how many sample uniques are unique in the population too, and how often a match on a sample unique
is right, were the rows released as they are (Skinner and Holmes 1998; Skinner and Shlomo 2008).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range
from divulge.table import Table

_SOURCE = "Skinner and Shlomo 2008"
_MOST_CELLS = 4_000_000  # a table of all key combinations, for two-way terms: 32 MB
_NO_UNIQUES = "Nobody's keys are unique in the data."


@dataclass(frozen=True)
class LogLinear(Family):
    """Sample counts are Poisson with mean μ, fitted by a log-linear model; the population's have the mean μ/π.

    sdcMicro's modRisk (5.8.1) puts μ where μ/π belongs, so that it hardly depends on the sampling fraction.
    """

    sampling_fraction: Annotated[float, "The share π of the population in the data.", Range(above=0, below=1)] = 0.01
    terms: Annotated[
        Literal["main", "two-way"],
        "Main effects alone, which overstate the risk, or all pairs of keys too (small tables only).",
    ] = "main"

    name: ClassVar[str] = "log_linear"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "unique_in_population",
            "Of the people unique in the data, the expected share that is unique in the population.",
            _SOURCE,
            moves_with_size=True,
        ),
        Measure(
            "right_matches",
            "Of the matches on people unique in the data, the expected share that is right.",
            _SOURCE,
            moves_with_size=True,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Fit the model and look at the sample uniques; nothing here is random."""
        del rng
        names = [m.name for m in self.measures]
        keys, table = case.scenario.keys, case.people
        levels = _unique_levels(table, keys)
        if not levels.shape[1]:
            return {n: Estimate(n, math.nan, 0, 0, caveats=(_NO_UNIQUES,)) for n in names}
        sizes = [table.schema[k].n_codes for k in keys]
        if self.terms == "main":
            mu = _independent([table.frequencies(k) for k in keys], levels)
        elif math.prod(sizes) <= _MOST_CELLS:
            mu = _two_way(table, keys)[tuple(levels)]
        else:
            tall = f"{math.prod(sizes):,} key combinations are more than two-way terms can be fitted on; use main."
            return {n: Estimate(n, math.nan, caveats=(tall,)) for n in names}
        alone, right = _sample_unique_risks(mu / self.sampling_fraction, self.sampling_fraction)
        details = {"sampling_fraction": self.sampling_fraction, "terms": self.terms, "sample_uniques": len(mu)}
        return {
            name: mean(
                name,
                float(risk.sum()),
                float(risk @ risk),
                len(mu),
                0.0,
                _NO_UNIQUES,
                {**details, "expected": float(risk.sum())},
            )
            for name, risk in zip(names, (alone, right), strict=True)
        }


def _sample_unique_risks(population_mean: Floats, fraction: float) -> tuple[Floats, Floats]:
    """P(F = 1 | f = 1) = e^(−h) and E(1/F | f = 1) = (1 − e^(−h))/h, h = (1 − π)λ (Skinner and Shlomo 2008)."""
    h = (1 - fraction) * population_mean
    return np.exp(-h), np.divide(-np.expm1(-h), h, out=np.ones(len(h)), where=h > 0)


def _independent(margins: Sequence[Integers], levels: Integers) -> Floats:
    """The fitted means of main effects: n Π (margin/n), at some combinations of levels (one row of them a key)."""
    n = float(margins[0].sum())
    fitted = np.full(levels.shape[1], n)
    for counts, codes in zip(margins, levels, strict=True):
        fitted *= counts[codes] / n
    return fitted


def _two_way(table: Table, keys: Sequence[str], most: int = 200, tolerance: float = 1e-8) -> Floats:
    """The fitted means of all pairs of keys, over all combinations, by iterative proportional fitting.

    tolerance: how far a fitted pair of levels may be from its count, in people.
    """
    shape = tuple(table.schema[k].n_codes for k in keys)
    counts = np.zeros(shape)
    np.add.at(counts, tuple(table[k] for k in keys), 1.0)
    every = range(len(keys))
    others = [tuple(a for a in every if a not in pair) for pair in combinations(every, min(2, len(keys)))]
    wanted = [counts.sum(axis=o, keepdims=True) for o in others]
    fitted = np.full(shape, counts.sum() / counts.size)
    for _ in range(most):
        worst = 0.0
        for other, target in zip(others, wanted, strict=True):
            now = fitted.sum(axis=other, keepdims=True)
            worst = max(worst, float(np.abs(now - target).max()))
            fitted *= np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if worst < tolerance:
            break
    return fitted


def _unique_levels(table: Table, keys: Sequence[str]) -> Integers:
    """The key codes of the rows whose combination no other row has, one row of the array a key."""
    columns = [table[k] for k in keys]
    coding = KeyCoding.fit([columns], [table.schema[k].n_codes for k in keys], 1)
    found, times = np.unique(coding.encode(columns), return_counts=True)
    alone = found[times == 1]
    return np.array(coding.decode(alone), dtype=np.int64).reshape(len(keys), len(alone))
