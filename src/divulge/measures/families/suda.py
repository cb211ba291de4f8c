"""Special uniques: how many, and how small, are the sets of keys on which a person is unique.

Scores as in Elliot, Manning and Ford (2002) with sdcMicro's original weights; nothing synthetic is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels import counting, uniques
from divulge.kernels.arrays import Floats, Integers, Integers32
from divulge.measures.case import Case
from divulge.measures.counting.coding import KeyCoding
from divulge.measures.estimate import Estimate, ratio
from divulge.measures.families.family import Measure
from divulge.measures.intervals import wilson
from divulge.table import Table

MOST_KEYS = 20
"""2²⁰ sets of keys is what a search can look through; (M − k)! stays exact in a float far beyond."""


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


@dataclass(frozen=True)
class Suda:
    """SUDA scores of the people on the keys.

    sampling_fraction: the share of the population that is in the data, for DIS-SUDA.
    largest: the most keys that an MSU may have; 0 is no limit.
    """

    sampling_fraction: float = 0.01
    largest: int = 0

    name: ClassVar[str] = "suda"
    is_default: ClassVar[bool] = False
    pools: ClassVar[bool] = False
    columns: ClassVar[Literal["scenario", "common"]] = "scenario"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "MSU", "People with a set of keys on which they are unique.", "Elliot et al. 2002", moves_with_size=True
        ),
        Measure(
            "SUDA",
            "Mean SUDA score: small unique sets of keys weigh most.",
            "Elliot et al. 2002",
            is_share=False,
            moves_with_size=True,
        ),
        Measure(
            "DIS_SUDA",
            "Mean DIS-SUDA: how likely a match on a unique person is right.",
            "Elliot et al. 2002",
            moves_with_size=True,
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.sampling_fraction < 1:
            raise MeasureError(
                f"a sampling fraction between 0 and 1 is needed, {self.sampling_fraction} is given.",
                where="sampling_fraction",
            )
        if self.largest < 0:
            raise MeasureError(f"an MSU of {self.largest} keys is not possible.", where="largest")

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The shares and means over the people, with the scores of every row; nothing here is random."""
        del rng
        found = unique_sets(case.people, case.scenario.keys, self.largest)
        n = case.people.n_rows
        scores = suda_scores(found)
        dis = dis_suda(found, scores, self.sampling_fraction)
        has = int((scores > 0).sum())
        sizes = np.bincount(found.sizes, minlength=len(found.keys) + 1)[1:]
        nobody = "There are no people to attack."
        details: dict[str, Any] = {
            "largest": float(scores.max(initial=0)),
            "sets_by_size": {str(k + 1): int(sizes[k]) for k in range(len(sizes))},
            "by_variable": by_variable(found),
        }
        return {
            "MSU": ratio("MSU", has, n, undefined=nobody, n=n, interval=wilson(has, n)),
            "SUDA": ratio("SUDA", float(scores.sum()), n, undefined=nobody, n=n, details=details, scores=scores),
            "DIS_SUDA": ratio(
                "DIS_SUDA",
                float(dis.sum()),
                n,
                undefined=nobody,
                n=n,
                details={"largest": float(dis.max(initial=0)), "sampling_fraction": self.sampling_fraction},
                scores=dis,
            ),
        }


def unique_sets(table: Table, keys: Sequence[str], largest: int = 0) -> UniqueSets:
    """All MSUs of a table on some keys, exactly. Missing values never form one."""
    if len(keys) > MOST_KEYS:
        raise MeasureError(
            f"{len(keys)} keys have {2 ** len(keys):,} subsets; at most {MOST_KEYS} keys can be searched.",
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


def suda_scores(found: UniqueSets) -> Floats:
    """Σ (M − k)! over a row's MSUs of k among M keys (Elliot, Manning and Ford 2002); 0 for a row without."""
    totals = np.bincount(found.rows, weights=_weights(found), minlength=len(found.counts))
    return np.asarray(totals, dtype=np.float64)[found.of_row]


def contributions(found: UniqueSets) -> Floats:
    """For every row and key, the share of the row's score from MSUs with that key; rows sum to more than 1."""
    weights, n = _weights(found), len(found.counts)
    total = np.bincount(found.rows, weights=weights, minlength=n)
    share = np.zeros((n, len(found.keys)))
    for j in range(len(found.keys)):
        has = found.sets >> j & 1 == 1
        share[:, j] = np.bincount(found.rows[has], weights=weights[has], minlength=n)
    np.divide(share, total[:, None], out=share, where=total[:, None] > 0)
    return share[found.of_row]


def by_variable(found: UniqueSets) -> dict[str, float]:
    """For every key, the share of all scores from MSUs with that key; they sum to more than 1. NaN without MSUs."""
    weights = _weights(found)
    total = float(weights.sum())
    return {
        key: float(weights[found.sets >> j & 1 == 1].sum()) / total if total else math.nan
        for j, key in enumerate(found.keys)
    }


def dis_suda(found: UniqueSets, scores: Floats, sampling_fraction: float) -> Floats:
    """1/(1 + [P(1−f)/f] / (score^Q · A)) with A = Σ score^−Q over scores above 0 and Q = 1 + (8 − M)/20.

    P is the number of rows in pairs with equal keys (Elliot 2000; Elliot, Manning and Ford 2002; sdcMicro).
    """
    q = 1 + (8 - len(found.keys)) / 20
    pairs = 2.0 * int((found.counts == 2).sum())
    odds = pairs * (1 - sampling_fraction) / sampling_fraction
    out = np.zeros(len(scores))
    has = scores > 0
    a = float((scores[has] ** -q).sum())
    out[has] = 1 / (1 + odds / (scores[has] ** q * a))
    return out
