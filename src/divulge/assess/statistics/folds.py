"""Tables of folds: a row a fold, with means and standard deviations (Elliot et al., Table 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.assess.splits.measures import Figure
from divulge.assess.splits.split import SplitResult


@dataclass(frozen=True)
class FoldRow:
    """A row of a table like the paper's Table 5: a fold, or the mean or the standard deviation of those above it."""

    label: str
    original: float
    holdout: float
    difference: float


def fold_tables(results: Sequence[SplitResult], scenario: int) -> dict[str, tuple[FoldRow, ...]]:
    """For each measure a row a fold, then their mean and standard deviation; folds of folds after the folds, with their
    own. The paper's standard deviations divide by the number of folds, and so do these."""
    parts = dict.fromkeys(r.split.part for r in results)
    names = dict.fromkeys(n for r in results for n in _all_measures(r, scenario))
    tables: dict[str, tuple[FoldRow, ...]] = {}
    for name in names:
        rows: list[FoldRow] = []
        for part in parts:
            found = [(r.split.label, _all_measures(r, scenario)[name]) for r in results if r.split.part == part]
            figures = np.array([[f.original, f.holdout, f.original - f.holdout] for _, f in found])
            rows += [FoldRow(label, *map(float, row)) for (label, _), row in zip(found, figures, strict=True)]
            rows.append(FoldRow("Mean", *map(float, figures.mean(axis=0))))
            rows.append(FoldRow("Standard deviation", *map(float, figures.std(axis=0))))
        tables[name] = tuple(rows)
    return tables


def _all_measures(result: SplitResult, scenario: int) -> Mapping[str, Figure]:
    return {**result.measures[scenario], **(result.sweep[scenario] if result.sweep else {})}
