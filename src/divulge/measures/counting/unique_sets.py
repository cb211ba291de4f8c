"""Minimal sample uniques (MSUs): the smallest sets of keys on which a row is unique, and the scores made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels import counting, uniques
from divulge.kernels.arrays import Floats, Integers, Integers32
from divulge.scenario.coding import KeyCoding
from divulge.table import Table

_MOST_KEYS = 20  # 2²⁰ sets of keys is what a search can look through; (M − k)! stays exact in a float far beyond


@dataclass(frozen=True, eq=False)
class UniqueSets:
    """The minimal sample uniques (MSUs) of a table on some keys.

    rows, sets: one entry an MSU: the distinct key combination it belongs to (ascending), the keys as a bit mask.
    of_row: for every row of the table its distinct key combination. counts: how many rows have each of these.
    levels: the key codes of each distinct combination, one row of the array a key.
    """

    keys: tuple[str, ...]
    rows: Integers
    sets: Integers
    of_row: Integers
    counts: Integers32
    levels: Integers32

    @property
    def sizes(self) -> Integers:
        """How many keys each MSU has."""
        return np.bitwise_count(self.sets).astype(np.int64)

    def suda_scores(self) -> Floats:
        """Σ (M − k)! over a row's MSUs of k among M keys (Elliot, Manning and Ford 2002); 0 for a row without."""
        totals = np.bincount(self.rows, weights=_weights(self), minlength=len(self.counts))
        return np.asarray(totals, dtype=np.float64)[self.of_row]

    def by_variable(self) -> dict[str, float]:
        """For every key, the share of all scores from MSUs with that key; they sum to more than 1. NaN without MSUs."""
        weights = _weights(self)
        total = float(weights.sum())
        return {
            key: float(weights[self.sets >> j & 1 == 1].sum()) / total if total else math.nan
            for j, key in enumerate(self.keys)
        }


def unique_sets(table: Table, keys: Sequence[str], largest: int = 0) -> UniqueSets:
    """All MSUs of a table on some keys, exactly. Missing values never form one."""
    if len(keys) > _MOST_KEYS:
        raise MeasureError(
            f"{len(keys)} keys have {2 ** len(keys):,} subsets; at most {_MOST_KEYS} keys can be searched.",
            where="keys",
            hint="Choose the keys that an intruder may know.",
        )
    variables = [table.schema[k] for k in keys]
    columns = [table[k] for k in keys]
    coding = KeyCoding.fit([columns], [v.n_codes for v in variables], 1)
    codes = coding.encode(columns)
    distinct, counts = counting.distinct(codes.copy(), coding.radix)
    levels = np.array(coding.decode(distinct), dtype=np.int32).reshape(len(keys), len(distinct))
    rows, sets = uniques.unique_sets(
        levels,
        np.array([v.n_values for v in variables], dtype=np.int64),
        np.array([v.n_codes for v in variables], dtype=np.int64),
        counts,
        largest or len(keys),
    )
    return UniqueSets(tuple(keys), rows, sets, np.searchsorted(distinct, codes), counts, levels)


def _weights(found: UniqueSets) -> Floats:
    """(M − k)! for every MSU: the number of paths through the larger sets that it makes unique."""
    m = len(found.keys)
    factorials = np.array([float(math.factorial(m - k)) for k in range(m + 1)])
    return factorials[found.sizes]
