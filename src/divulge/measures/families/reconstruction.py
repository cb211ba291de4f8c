"""Reconstruction over replicates: patterns that recur are more likely true (Dick et al. 2023), but what recurs most is
what many people share (Sánchez et al. 2024), so multiplicity is shown beside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.figures import share
from divulge.measures.intervals import normal
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range
from divulge.table import Table

_DICK, _SANCHEZ = "Dick et al. 2023", "Sánchez et al. 2024"
_RANKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


@dataclass(frozen=True)
class Reconstruction(Family):
    """A pattern is a combination of keys and target. Patterns are ranked by in how many replicates they occur, then by
    how often; patterns that are equal in both share their ranks, so that no order of codes decides.
    """

    top: Annotated[
        int, "At which rank the headline is taken (or at the last one, where there are fewer patterns).", Range(least=1)
    ] = 100

    name: ClassVar[str] = "reconstruction"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("reconstruction", "Of the patterns that recur most, those that somebody has.", _DICK),
        Measure("reconstruction_unique", "Of these patterns, those that exactly one person has.", _SANCHEZ),
        Measure("reproduction", "The mean share of replicates that hold a person's pattern.", "Brenzel et al. 2024"),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Rank the patterns of all replicates and look them up among the people; nothing here is random."""
        del rng
        replicates = case.replicates or (case.synthetic,)
        tables = [case.people, *replicates, *([case.holdout] if case.holdout is not None else [])]
        codes = _coded(tables, case.scenario.variables)
        own, made = codes[0], codes[1 : 1 + len(replicates)]
        found = _patterns(made)
        held = _times(found.codes, codes[-1]) if case.holdout is not None else None
        people = _times(found.codes, own)
        order = np.lexsort((-found.total, -found.replicates))
        blocks = _blocks(found, order)
        present, unique = (_expected((people > 0)[order], blocks), _expected((people == 1)[order], blocks))
        caveats = ("There is one replicate, so nothing recurs.",) if len(replicates) == 1 else ()
        n, k = case.people.n_rows, len(found.codes)
        rank = min(self.top, k)
        missing = "There are no people." if not n else "The synthetic data have no rows." if not k else None
        if missing:
            names = [m.name for m in self.measures]
            return {name: Estimate(name, math.nan, 0, 0, caveats=(missing,)) for name in names}
        details: dict[str, Any] = {
            "replicates": len(replicates),
            "patterns": k,
            "rank": rank,
            "curve": _curve(order, blocks, people, held),
            **_sanchez(found, people, own),
        }
        top_present, top_unique = float(present[:rank].sum()), float(unique[:rank].sum())
        has, alone = float((people > 0).mean()), float((people == 1).mean())
        return {
            "reconstruction": share(
                "reconstruction", top_present, rank, "", baseline=has, details=details, caveats=caveats
            ),
            "reconstruction_unique": share(
                "reconstruction_unique", top_unique, rank, "", baseline=alone, caveats=caveats
            ),
            "reproduction": self._reproduction(case, _share_of_replicates(found, own, len(replicates)), own, caveats),
        }

    def _reproduction(self, case: Case, shares: Floats, own: Integers, caveats: tuple[str, ...]) -> Estimate:
        n, mean = len(shares), float(shares.mean())
        se = float(shares.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
        lone = shares[_alone(own)]
        return Estimate(
            "reproduction",
            mean,
            float(shares.sum()),
            n,
            interval=normal(mean, se),
            n=n,
            details={"of_unique_people": float(lone.mean()) if len(lone) else math.nan, "standard_error": se},
            caveats=caveats,
            scores=shares if case.with_scores else None,
        )


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The distinct patterns of all replicates, ascending: in how many replicates, and how often in all."""

    codes: Integers
    replicates: Integers
    total: Integers


def _coded(tables: list[Table], names: tuple[str, ...]) -> list[Integers]:
    """One integer a row, equal where all the variables are equal."""
    columns = [[t[n] for n in names] for t in tables]
    coding = KeyCoding.fit(columns, [tables[0].schema[n].n_codes for n in names], 1)
    return [coding.encode(c) for c in columns]


def _patterns(made: list[Integers]) -> _Patterns:
    each = [np.unique(c, return_counts=True) for c in made]
    codes, place = np.unique(np.concatenate([c for c, _ in each]), return_inverse=True)
    total = np.bincount(place, weights=np.concatenate([n for _, n in each]), minlength=len(codes))
    return _Patterns(codes, np.bincount(place, minlength=len(codes)), total.astype(np.int64))


def _times(patterns: Integers, codes: Integers) -> Integers:
    """How many rows have each pattern."""
    if not len(patterns):
        return np.zeros(0, dtype=np.int64)
    place = np.minimum(np.searchsorted(patterns, codes), len(patterns) - 1)
    return np.bincount(place[patterns[place] == codes], minlength=len(patterns))


def _blocks(found: _Patterns, order: Integers) -> Integers:
    """For every rank the number of its block of equally ranked patterns."""
    if not len(order):
        return order
    r, t = found.replicates[order], found.total[order]
    return np.concatenate([[0], np.cumsum((np.diff(r) != 0) | (np.diff(t) != 0))])


def _expected(ranked: NDArray[Any], blocks: Integers) -> Floats:
    """The mean of a figure within each block, at every rank of the block."""
    if not len(blocks):
        return np.zeros(0)
    sums = np.bincount(blocks, weights=ranked.astype(np.float64))
    return (sums / np.bincount(blocks))[blocks]


def _curve(order: Integers, blocks: Integers, people: Integers, held: Integers | None) -> list[dict[str, Any]]:
    """At each rank: the share of patterns up to it that the people (and the holdout) have, and how many have them."""
    ranks = [r for r in _RANKS if r < len(order)] + [len(order)]

    def along(figure: NDArray[Any]) -> Floats:
        return np.cumsum(_expected(figure[order], blocks))

    present, unique, times = along(people > 0), along(people == 1), along(people)
    theirs = along(held > 0) if held is not None else None
    rows = []
    for rank in ranks:
        row = {
            "rank": rank,
            "present": float(present[rank - 1] / rank),
            "unique": float(unique[rank - 1] / rank),
            "multiplicity": float(times[rank - 1] / present[rank - 1]) if present[rank - 1] else math.nan,
        }
        if theirs is not None:
            row["present_in_holdout"] = float(theirs[rank - 1] / rank)
        rows.append(row)
    return rows


def _sanchez(found: _Patterns, people: Integers, own: Integers) -> dict[str, float]:
    """What Sánchez et al. report against a reading of the rank as risk (figure 1, tables 1 to 3)."""
    n_own = len(np.unique(own))
    once = found.total == 1
    both = np.std(people) > 0 and np.std(found.total) > 0
    return {
        "multiplicity_correlation": float(np.corrcoef(people, found.total)[0, 1]) if both else math.nan,
        "unique_among_those_made_once": float((people[once] == 1).mean()) if once.any() else math.nan,
        "invented_to_real_patterns": float((people == 0).sum() / n_own),
        "missed_patterns": float(1 - (people > 0).sum() / n_own),
    }


def _share_of_replicates(found: _Patterns, own: Integers, n_replicates: int) -> Floats:
    place = np.minimum(np.searchsorted(found.codes, own), len(found.codes) - 1)
    return np.where(found.codes[place] == own, found.replicates[place] / n_replicates, 0.0)


def _alone(own: Integers) -> Mask:
    """Whose pattern nobody else among the people has."""
    _, place, counts = np.unique(own, return_inverse=True, return_counts=True)
    return counts[place] == 1
