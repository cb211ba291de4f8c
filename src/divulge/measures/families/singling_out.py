"""Singling out: do descriptions that fit one synthetic row alone fit one person alone (Giomi et al. 2023)?

Such a description is a predicate of few conditions: a rare value, an extreme, or three columns of a synthetic row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from divulge.kernels.arrays import Integers, Mask
from divulge.kernels.predicates import count_fitting
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.families.isolation import expected_share, isolating
from divulge.measures.figures import share
from divulge.settings import Range
from divulge.table import Table

_SOURCE = "Giomi et al. 2023 (anonymeter)"
_NONE = "No description fits exactly one synthetic row, or there are no people."


@dataclass(frozen=True, eq=False)
class _Predicates:
    """One row a predicate, one column a condition: the column, and the least and the greatest code that fit."""

    places: Integers
    low: Integers
    high: Integers

    def take(self, rows: Integers | Mask) -> _Predicates:
        """Some of them."""
        return _Predicates(self.places[rows], self.low[rows], self.high[rows])

    def fitting(self, table: Table) -> Integers:
        """How many rows of the table fit each."""
        if not len(self.places) or not table.n_rows:
            return np.zeros(len(self.places), dtype=np.int64)
        return count_fitting(np.array(table.columns, dtype=np.int32), self.places, self.low, self.high)


@dataclass(frozen=True)
class SinglingOut(Family):
    """Where people and holdout are not equally many, both are counted as in random samples of the smaller size."""

    attacks: Annotated[int, "How many descriptions of either sort are tried.", Range(least=1)] = 2000
    conditions: Annotated[int, "How many columns a description of several columns has.", Range(least=2)] = 3

    name: ClassVar[str] = "singling_out"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("singling_out_univariate", "Rare values and extremes that fit exactly one person.", _SOURCE),
        Measure("singling_out_multivariate", "Descriptions by several columns that fit exactly one person.", _SOURCE),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Make descriptions from the synthetic rows, count the people whom they fit; the generator draws them."""
        names = case.scenario.variables
        synthetic, people = case.synthetic.select(names), case.people.select(names)
        made = {
            "singling_out_univariate": _univariate(synthetic, self.attacks, rng),
            "singling_out_multivariate": _multivariate(synthetic, self.conditions, self.attacks, rng),
        }
        return {name: self._figure(name, case, tried, people) for name, tried in made.items()}

    def _figure(self, name: str, case: Case, tried: _Predicates, people: Table) -> Estimate:
        size, n = min(t.n_rows for t in case.population), people.n_rows
        if not len(tried.places) or not size:
            return Estimate(name, math.nan, 0, 0, caveats=(_NONE,))
        hits = float(isolating(tried.fitting(people), n, size).sum())
        # Without any release a guess of the best weight singles out with about 1/e (Cohen and Nissim 2020).
        return share(name, hits, len(tried.places), _NONE, baseline=expected_share(size, 1), details={"people": size})


def _univariate(table: Table, most: int, rng: np.random.Generator) -> _Predicates:
    """Values that one row has, and the least or the greatest number where one row has it."""
    found: list[tuple[int, int, int]] = []
    for at, variable in enumerate(table.schema):
        counts = table.frequencies(variable.name)
        found += [(at, code, code) for code in np.flatnonzero(counts == 1).tolist()]
        numbers = np.flatnonzero(counts[: variable.n_values]) if variable.kind == "numeric" else np.zeros(0, np.int64)
        if len(numbers) and counts[numbers[0]] == 1:
            found.append((at, 0, int(numbers[0])))
        if len(numbers) and counts[numbers[-1]] == 1:
            found.append((at, int(numbers[-1]), variable.n_values - 1))
    chosen = np.array(found, dtype=np.int64).reshape(-1, 3)[np.sort(rng.permutation(len(found))[:most])]
    return _Predicates(*(np.ascontiguousarray(chosen[:, [j]]) for j in range(3)))


def _multivariate(table: Table, conditions: int, most: int, rng: np.random.Generator) -> _Predicates:
    """Random columns of random rows, numbers as `at least` above the median, else `at most`; those that fit one row.

    Draws five for every one that is wanted; where fewer fit one row, fewer are tried.
    """
    width, n = len(table.names), table.n_rows
    conditions = min(conditions, width)
    empty = np.zeros((0, conditions), dtype=np.int64)
    if not n or not width:
        return _Predicates(empty, empty, empty)
    rows = rng.integers(0, n, 5 * most)
    places = np.sort(rng.permuted(np.tile(np.arange(width), (len(rows), 1)), axis=1)[:, :conditions], axis=1)
    codes = np.array(table.columns, dtype=np.int64)[places, rows[:, None]]
    low, high = codes.copy(), codes.copy()
    for at, variable in enumerate(table.schema):
        counts = table.frequencies(variable.name)[: variable.n_values]
        if variable.kind != "numeric" or not counts.any():
            continue
        median = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
        here = (places == at) & (codes < variable.n_values)
        above = here & (codes > median)
        high[above] = variable.n_values - 1
        low[here & ~above] = 0
    _, first = np.unique(np.hstack([places, low, high]), axis=0, return_index=True)
    tried = _Predicates(places, low, high).take(np.sort(first))
    # Counting stops once enough fit one row: in blocks, as many descriptions fit many rows.
    kept: list[_Predicates] = []
    total = 0
    for start in range(0, len(tried.places), most):
        block = tried.take(np.arange(start, min(start + most, len(tried.places))))
        kept.append(block.take(block.fitting(table) == 1))
        total += len(kept[-1].places)
        if total >= most:
            break
    joined = (np.concatenate([getattr(k, part) for k in kept])[:most] for part in ("places", "low", "high"))
    return _Predicates(*joined)
