"""Who is called exposed by a full table, held against the truth at full size, pooled over all sizes.

A full table is its microdata. So everybody's true exposure is counted: their score in the table, less their score in
the table without them. No search, no split and no test is in it. `SIZES` in the environment ("2000:3": rows and seeds)
makes it shorter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.validation.known_outputs import FINER, UNSAFE, KnownOutput, Mask, assessed, people_of, sizes_of
from benchmarks.validation.results import keep
from divulge.kernels.arrays import Floats
from divulge.policy import Policy
from divulge.scenario.score import _windows
from divulge.table import Table

SIZES = sizes_of("1000:4 2000:20 10000:10 49900:1")
"""The extract has no more than 50,000 to draw from, some of them taken out."""

FIRST_SEED = 301
"""Seeds that nobody looked at before."""

CASES = (UNSAFE[0], UNSAFE[1], *FINER)

FALSE = 0.05
"""The share of those called exposed who may be so by chance, of all outputs and sizes together."""


def true_exposures(names: tuple[str, ...], table: Table) -> tuple[Floats, Mask]:
    """Everybody's largest exposure over all targets, and whose value is certain in a class of one or two."""
    n, policy = table.n_rows, Policy()
    largest, certain = np.zeros(n), np.zeros(n, dtype=bool)
    for target in names:
        _, people = np.unique(np.column_stack([table[k] for k in names if k != target]), axis=0, return_inverse=True)
        share = table.frequencies(target) / n
        low, high, _ = _windows(table.schema[target], share)
        own, width = table[target].astype(np.int64), len(share)
        codes = people.ravel() * width
        ordered = np.sort(codes + own)
        hits = np.searchsorted(ordered, codes + high[own], "right") - np.searchsorted(ordered, codes + low[own], "left")
        alike = np.bincount(people.ravel())[people.ravel()]
        known = np.array([share[a : b + 1].sum() for a, b in zip(low, high, strict=True)])[own]
        largest = np.maximum(largest, (hits + known) / (alike + 1) - (hits - 1 + known) / alike)
        certain |= (hits == alike) & (alike < policy.certain_class) & (known < 1 - 1e-9)
    return largest, certain


def check() -> list[str]:
    delta, lines = Policy().delta, []
    for case in CASES:
        for n_rows, n_seeds in SIZES:
            lines.append({"output": case.name, "data": case.data, "rows": n_rows, "seeds": n_seeds})
            seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
            lines[-1] |= _counted([_called_and_true(case, n_rows, seed) for seed in seeds])
    totals: dict[str, Any] = {"delta": delta}
    totals |= {
        what: sum(x[what] for x in lines) for what in ("truly exposed", "called exposed", "both", "called, not truly")
    }
    keep("true_exposure", lines, totals)
    assert totals["called, not truly"] <= FALSE * totals["called exposed"], totals
    return [", ".join(f"{k} {v}" for k, v in x.items()) for x in [*lines, totals]]


def _called_and_true(case: KnownOutput, n_rows: int, seed: int) -> tuple[Mask, Mask]:
    """Who is called exposed, and who is."""
    table, _ = people_of(case, n_rows, seed)
    largest, certain = true_exposures(tuple(case.outputs[0]["variables"]), table)
    return assessed(case, table, seed).exposed, (largest > Policy().delta) | certain


def _counted(found: list[tuple[Mask, Mask]]) -> dict[str, int]:
    called, true = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return {
        "truly exposed": int(true.sum()),
        "called exposed": int(called.sum()),
        "both": int((called & true).sum()),
        "called, not truly": int((called & ~true).sum()),
    }
