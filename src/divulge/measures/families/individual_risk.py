"""Individual risk: how likely a sampled person is re-identified from their keys, were the rows released as they are
(Benedetti and Franconi 1998; Franconi and Polettini 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.special import hyp2f1

from divulge.errors import unknown_variable
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.measures.case import Case
from divulge.measures.counting.classes import NO_PEOPLE
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import mean, share
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range
from divulge.table import Table

_SOURCE = "Franconi and Polettini 2004"


@dataclass(frozen=True)
class IndividualRisk(Family):
    """f rows have the keys; F people are estimated to have them, given f, by a negative binomial law with p = f/F̂.

    The risk is E(1/F | f). sdcMicro's `exact` sums an alternating series for f > 2; the hypergeometric function is the
    same sum without cancellation.
    """

    weight: Annotated[str | None, "The column of sampling weights; absent: all are 1/sampling_fraction."] = None
    sampling_fraction: Annotated[float, "The share of the population in the data.", Range(above=0, most=1)] = 0.01
    missing: Annotated[
        Literal["level", "wildcard"],
        "Whether a missing key agrees with missing alone (`level`), or with everything (`wildcard`, as in sdcMicro).",
    ] = "level"
    threshold: Annotated[float, "A higher risk counts as high.", Range(above=0, below=1)] = 0.1

    name: ClassVar[str] = "individual_risk"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "individual_risk",
            "The mean chance that a person's row would be re-identified from their keys.",
            _SOURCE,
            moves_with_size=True,
        ),
        Measure("individual_risk_above", "People for whom it is above the threshold.", _SOURCE, moves_with_size=True),
    )

    def extra_columns(self) -> tuple[str, ...]:
        """The sampling weights, where they are named."""
        return () if self.weight is None else (self.weight,)

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The risk of every row; nothing here is random."""
        del rng
        risks = self._risks(case.people, case.scenario.keys)
        n = case.people.n_rows
        high = int((risks > self.threshold).sum())
        return {
            "individual_risk": mean(
                "individual_risk",
                float(risks.sum()),
                float(risks @ risks),
                n,
                0.0,
                NO_PEOPLE,
                {"expected_reidentifications": float(risks.sum()), "missing": self.missing},
                scores=risks if case.with_scores else None,
            ),
            "individual_risk_above": share(
                "individual_risk_above", high, n, NO_PEOPLE, details={"threshold": self.threshold}
            ),
        }

    def _risks(self, table: Table, keys: tuple[str, ...]) -> Floats:
        if not table.n_rows:
            return np.zeros(0)
        if self.weight is None:
            weights = np.full(table.n_rows, 1 / self.sampling_fraction)
        elif self.weight in table.schema and table.schema[self.weight].kind == "numeric":
            weights = np.nan_to_num(table.schema[self.weight].numbers[table[self.weight]], nan=1.0)
        else:
            raise unknown_variable(self.weight, table.names, where="individual_risk.weight")
        count = _wildcard_counts if self.missing == "wildcard" else _level_counts
        f, total = count(table, keys, weights)
        return _individual_risks(f.astype(np.float64), total)


def _individual_risks(f: Floats, population: Floats) -> Floats:
    """E(1/F | f) with p = f/F̂: p^f/f · ₂F₁(f, f; f + 1; 1 − p) (Franconi and Polettini 2004); 1/f where F̂ = f.

    By Euler's transformation it is p/f · ₂F₁(1, 1; f + 1; 1 − p), whose series converges for every p.
    """
    p = np.clip(f / np.maximum(population, f), 0.0, 1.0)
    pairs, place = np.unique(np.column_stack([f, p]), axis=0, return_inverse=True)
    return (pairs[:, 1] / pairs[:, 0] * hyp2f1(1.0, 1.0, pairs[:, 0] + 1, 1 - pairs[:, 1]))[place.ravel()]


def _level_counts(table: Table, keys: Sequence[str], weights: Floats) -> tuple[Integers, Floats]:
    """For every row how many rows have its keys, and their weights together; missing is a level of its own."""
    return _matches(table, keys, weights, np.zeros(table.n_rows, dtype=np.int64), np.zeros(1, dtype=np.int64))


def _wildcard_counts(table: Table, keys: Sequence[str], weights: Floats) -> tuple[Integers, Floats]:
    """How many rows agree with each row on its keys, and their weights; a missing value agrees with every value.

    So sdcMicro counts them (Templ, Kowarik and Meindl 2015).

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
