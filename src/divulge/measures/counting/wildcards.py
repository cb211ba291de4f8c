"""How many rows agree with each row on its keys where missing agrees with everything, as sdcMicro counts them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.scenario.coding import KeyCoding
from divulge.table import Table


def level_counts(table: Table, keys: Sequence[str], weights: Floats) -> tuple[Integers, Floats]:
    """For every row how many rows have its keys, and their weights together; missing is a level of its own."""
    return _matches(table, keys, weights, np.zeros(table.n_rows, dtype=np.int64), np.zeros(1, dtype=np.int64))


def wildcard_counts(table: Table, keys: Sequence[str], weights: Floats) -> tuple[Integers, Floats]:
    """The same where a missing value agrees with every value (Templ, Kowarik and Meindl 2015).

    Rows are taken by which keys they lack. Two such groups agree on the keys that neither lacks, so the work grows with
    the square of the number of groups, which is small, and not with that of rows.
    """
    lacks = np.zeros(table.n_rows, dtype=np.int64)
    for j, key in enumerate(keys):
        lacks |= np.int64(1 << j) * table.schema[key].is_missing[table[key]]
    return _matches(table, keys, weights, lacks, np.unique(lacks))


def _matches(
    table: Table, keys: Sequence[str], weights: Floats, lacks: Integers, patterns: Integers
) -> tuple[Integers, Floats]:
    counts, sums = np.zeros(table.n_rows, dtype=np.int64), np.zeros(table.n_rows)
    members = [lacks == p for p in patterns]
    for mine, here in zip(patterns, members, strict=True):
        for other, there in zip(patterns, members, strict=True):
            common = [k for j, k in enumerate(keys) if not (mine | other) >> j & 1]
            found = _agreeing(table, common, here, there, weights)
            counts[here] += found[0]
            sums[here] += found[1]
    return counts, sums


def _agreeing(table: Table, common: Sequence[str], here: Mask, there: Mask, weights: Floats) -> tuple[Integers, Floats]:
    """For every row `here` the rows `there` with the same values of the common keys: how many, and their weights."""
    if not common:
        return np.full(int(here.sum()), int(there.sum())), np.full(int(here.sum()), float(weights[there].sum()))
    columns = [[table[k][rows] for k in common] for rows in (here, there)]
    coding = KeyCoding.fit(columns, [table.schema[k].n_codes for k in common], 1)
    mine, theirs = coding.encode(columns[0]), coding.encode(columns[1])
    values, place = np.unique(theirs, return_inverse=True)
    n = np.bincount(place, minlength=len(values))
    total = np.bincount(place, weights=weights[there], minlength=len(values))
    at = np.minimum(np.searchsorted(values, mine), len(values) - 1)
    hit = values[at] == mine
    return np.where(hit, n[at], 0), np.where(hit, total[at], 0.0)
