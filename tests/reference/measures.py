"""The measures that count, as slowly and plainly as their definitions read: people and synthetic rows are lists of
(key combination, target) pairs, and every sum goes over rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

Row = tuple[tuple[Any, ...], Any]


def share(row: Row, among: Sequence[Row]) -> float | None:
    """The share of the row's target among the rows with its keys; None where there are none."""
    same = [t for q, t in among if q == row[0]]
    return same.count(row[1]) / len(same) if same else None


def is_determined(keys: tuple[Any, ...], among: Sequence[Row]) -> bool:
    """Whether some rows have these keys and all of them the same target."""
    return len({t for q, t in among if q == keys}) == 1


def n_with_keys(keys: tuple[Any, ...], among: Sequence[Row]) -> int:
    return sum(q == keys for q, _ in among)


def over(a: float, b: float) -> float:
    return a / b if b else math.nan


def figures(
    people: Sequence[Row],
    synthetic: Sequence[Row],
    is_out: Callable[[Row], bool] = lambda row: False,
    limit: int = 0,
    tau: float = 1.0,
) -> dict[str, float]:
    """Every counted figure by its name. is_out: rows of excluded cells; limit: the denominator limit, 0 for none."""

    def counts(row: Row, among: Sequence[Row]) -> bool:
        return not is_out(row) and (not limit or among.count(row) <= limit)

    d, s = len(people), len(synthetic)
    d_in = [r for r in people if counts(r, people)]
    s_in = [r for r in synthetic if counts(r, synthetic)]
    matched = [r for r in d_in if n_with_keys(r[0], synthetic)]
    told = [r for r in d_in if is_determined(r[0], synthetic)]
    right = [r for r in told if r in synthetic]
    reached = [r for r in d_in if any((share(x, synthetic) or 0) >= tau - 1e-12 for x in synthetic if x[0] == r[0])]
    reached_right = [r for r in reached if (share(r, synthetic) or 0) >= tau - 1e-12]
    sure = [r for r in s_in if (share(r, synthetic) or 0) >= tau - 1e-12]
    sure_matched = [r for r in sure if n_with_keys(r[0], people)]
    dcap = sum(share(r, synthetic) or 0 for r in d_in)
    record = sum(share(r, people) or 0 for r in sure_matched)
    targets = [t for _, t in people]
    keys_told = {r[0] for r in s_in if is_determined(r[0], synthetic)}
    return {
        "UiO": over(sum(n_with_keys(r[0], people) == 1 for r in people), d),
        "UiS": over(sum(n_with_keys(r[0], synthetic) == 1 for r in synthetic), s),
        "UiOiS": over(sum(n_with_keys(q, people) == 1 and n_with_keys(q, synthetic) > 0 for q, _ in people), d),
        "repU": over(sum(n_with_keys(q, people) == 1 and n_with_keys(q, synthetic) == 1 for q, _ in people), d),
        "Dorig": over(sum(is_determined(r[0], people) for r in d_in), d),
        "Dsyn": over(sum(is_determined(r[0], synthetic) for r in s_in), s),
        "iS": over(len(matched), d),
        "DiS": over(len(told), d),
        "DiSCO": over(len(right), d),
        "DiSDiO": over(sum(is_determined(r[0], people) for r in right), d),
        "max_denom": max((people.count(r) for r in right), default=0),
        "mean_denom": over(len(right), len(set(right))),
        "baseCAPd": over(sum(over(targets.count(t), d) for t in targets), d),
        "CAPd": over(sum(share(r, people) or 0 for r in d_in), d),
        "CAPs": over(sum(share(r, synthetic) or 0 for r in s_in), s),
        "DCAP": over(dcap, d),
        "DCAP_matched": over(dcap, len(matched)),
        "TCAP": over(len(reached_right), len(reached)),
        "TCAP_matched": over(len(reached_right), len(matched)),
        "TCAP_zero": over(len(reached_right), d),
        "TCAP_record": over(record, len(sure_matched)),
        "TCAP_record_zero": over(record, len(sure)),
        "WEAP": over(sum(share(r, synthetic) or 0 for r in s_in), s),
        "TCAP_ratio": over(
            sum({t for q, t in people if q == k} == {t for q, t in synthetic if q == k} for k in keys_told),
            len(keys_told),
        ),
    }


def group_disclosure(people: Sequence[Row], synthetic: Sequence[Row], naive: float) -> tuple[float, float]:
    """Precision and recall of disclosive cells, target values with a frequency of `naive` or more left out."""
    targets = [t for _, t in people]
    frequent = {t for t in set(targets) if targets.count(t) >= naive * len(targets)}

    def disclosive(rows: Sequence[Row]) -> set[Row]:
        return {r for r in rows if is_determined(r[0], rows) and r[1] not in frequent}

    common = disclosive(people) & disclosive(synthetic)
    return over(len(common), len(disclosive(synthetic))), over(len(common), len(disclosive(people)))


def minimal_uniques(rows: Sequence[tuple[Any, ...]], missing: Any = None) -> list[set[frozenset[int]]]:
    """For every row, the sets of columns on which it is unique while it is not on any smaller set of them."""
    n_columns = len(rows[0]) if rows else 0
    found = []
    for row in rows:
        sets: set[frozenset[int]] = set()
        for size in range(1, n_columns + 1):
            for columns in combinations(range(n_columns), size):
                if any(row[j] is missing for j in columns) or any(s < set(columns) for s in sets):
                    continue
                if sum(all(other[j] == row[j] for j in columns) for other in rows) == 1:
                    sets.add(frozenset(columns))
        found.append(sets)
    return found


def suda(rows: Sequence[tuple[Any, ...]], missing: Any = None) -> list[int]:
    """Σ (M − k)! over every row's minimal uniques."""
    m = len(rows[0]) if rows else 0
    return [sum(math.factorial(m - len(s)) for s in sets) for sets in minimal_uniques(rows, missing)]


def msu_overlap(people: Sequence[tuple[Any, ...]], synthetic: Sequence[tuple[Any, ...]]) -> tuple[float, float]:
    """Rows of each file with a minimal unique that the other file has too, over its rows with any."""

    def named(rows: Sequence[tuple[Any, ...]]) -> list[set[tuple[tuple[int, Any], ...]]]:
        return [
            {tuple(sorted((j, row[j]) for j in s)) for s in sets}
            for row, sets in zip(rows, minimal_uniques(rows), strict=True)
        ]

    of_people, of_synthetic = named(people), named(synthetic)
    all_people: set[Any] = set().union(*of_people)
    all_synthetic: set[Any] = set().union(*of_synthetic)
    return (
        over(sum(bool(s & all_people) for s in of_synthetic), sum(bool(s) for s in of_synthetic)),
        over(sum(bool(s & all_synthetic) for s in of_people), sum(bool(s) for s in of_people)),
    )


def two_way(
    people: Sequence[Row], synthetic: Sequence[Row], rows: int, share: float
) -> dict[tuple[int, Any, Any], int]:
    """Rows of large DiSCO cells by (key, its level, target) where the target is likelier than `share` at that level."""
    right = [r for r in people if is_determined(r[0], synthetic) and r in synthetic and people.count(r) > rows]
    found: dict[tuple[int, Any, Any], int] = {}
    for j in range(len(people[0][0])):
        for level, target in {(q[j], t) for q, t in right}:
            there = [t for q, t in people if q[j] == level]
            if there.count(target) > share * len(there):
                found[j, level, target] = sum((q[j], t) == (level, target) for q, t in right)
    return found
