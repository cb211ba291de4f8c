"""How near synthetic data are to the original: overlap of confidence intervals, propensity scores, Hellinger distance.

These are no risks. They stand beside risks, since what protects by being wrong should be seen to be wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Mask
from divulge.kernels.pruning import leaves_as_rpart
from divulge.measures.attackers.features import for_linear, for_trees
from divulge.measures.attackers.logistic import fit_logistic
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, Interval, ratio
from divulge.measures.families.family import Family, Measure
from divulge.measures.intervals import normal, wilson
from divulge.scenario.coding import KeyCoding
from divulge.settings import Range
from divulge.table import Table
from divulge.table.align import stacked

_EMPTY = "The people or the synthetic data have no rows."


@dataclass(frozen=True)
class Utility(Family):
    """CI overlap of means and shares, pMSE with its ratio to a null, and Hellinger distance of two-way tables."""

    model: Annotated[
        Literal["logit", "cart"],
        "What tells original from synthetic rows: a logistic regression on main effects (`logit`), or a tree (`cart`).",
    ] = "logit"
    n_permutations: Annotated[int, "For the null of the tree; the regression's null is a formula.", Range(least=1)] = 20

    name: ClassVar[str] = "utility"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "CIO", "Mean overlap of the confidence intervals of means and shares.", "Karr et al. 2006", is_share=False
        ),
        Measure("pMSE", "How well a model tells original from synthetic rows.", "Woo et al. 2009", is_share=False),
        Measure("pMSE_ratio", "pMSE over what it is under correct synthesis.", "Snoke et al. 2018", is_share=False),
        Measure(
            "SPECKS",
            "How far apart a model's scores of original and synthetic rows are (Kolmogorov and Smirnov's distance).",
            "Bowen, Liu and Su 2021",
            is_share=False,
        ),
        Measure("Hellinger", "Mean Hellinger distance of the two-way tables.", "Kolb et al. 2024", is_share=False),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Over the keys and the target."""
        names = case.scenario.variables
        people, synthetic = case.people.select(names), case.synthetic.select(names)
        if not people.n_rows or not synthetic.n_rows:
            return {m.name: Estimate(m.name, math.nan, 0, 0, caveats=(_EMPTY,)) for m in self.measures}
        holdout = case.holdout.select(names) if case.holdout is not None and case.holdout.n_rows else None
        return {
            "CIO": _overlaps(people, synthetic),
            **self._propensity(people, synthetic, holdout, rng),
            "Hellinger": _distances(people, synthetic, holdout),
        }

    def _propensity(
        self, people: Table, synthetic: Table, holdout: Table | None, rng: np.random.Generator
    ) -> dict[str, Estimate]:
        seed = int(rng.integers(2**31 - 1))
        told = self._told(people, synthetic, seed)
        expected, null = self._null(told, seed, rng)
        value, apart, n = told.pmse, told.distance, told.rows.n_rows
        details: dict[str, Any] = {"model": self.model, "synthetic_share": synthetic.n_rows / n}
        if holdout is not None:
            # Two samples of one population: what pMSE is between data that differ by chance alone.
            beside = self._told(people, holdout, seed)
            details["holdout_pMSE"], details["holdout_SPECKS"] = beside.pmse, beside.distance
        undefined = "Nothing varies, so no model can tell the rows apart."
        return {
            "pMSE": Estimate("pMSE", value, value * n, n, baseline=expected, n=n, details=details),
            "pMSE_ratio": ratio(
                "pMSE_ratio", value * n, expected * n, undefined=undefined, baseline=1.0, n=n, details={"null": null}
            ),
            "SPECKS": Estimate(
                "SPECKS", apart, apart, 1, baseline=details.get("holdout_SPECKS"), n=n, details={"model": self.model}
            ),
        }

    def _told(self, a: Table, b: Table, seed: int) -> _Told:
        """How the model tells the rows of two files apart."""
        rows = stacked([a, b])
        is_b = np.arange(rows.n_rows) >= a.n_rows
        if self.model == "cart":
            return _Told(rows, is_b, _tree_scores(rows, is_b, seed), 0)
        fit = fit_logistic(for_linear(rows, rows.names).of(rows), is_b)
        return _Told(rows, is_b, fit.fitted, fit.rank)

    def _null(self, told: _Told, seed: int, rng: np.random.Generator) -> tuple[float, str]:
        """The expectation of pMSE under correct synthesis, and how it was found."""
        rows, share = told.rows, float(told.is_b.mean())
        if self.model == "logit":
            expected = (told.rank - 1) * (1 - share) ** 2 * share / rows.n_rows
            return expected, "correct synthesis, (k − 1)(1 − c)²c/N"
        shuffled = (rng.permutation(told.is_b) for _ in range(self.n_permutations))
        permuted = [_Told(rows, labels, _tree_scores(rows, labels, seed), 0).pmse for labels in shuffled]
        # Permuted labels make two independent samples, which differ twice as much as a draw from the fitted model.
        return float(np.mean(permuted)) / 2, f"half the mean over {self.n_permutations} permutations"


@dataclass(frozen=True, eq=False)
class _Told:
    """Rows of two files, which of them are the second's, and a model's score of each. rank: of the regression."""

    rows: Table
    is_b: Mask
    scores: Floats
    rank: int

    @property
    def pmse(self) -> float:
        """mean (p̂ − c)², with c the share of the second file's rows (Woo et al. 2009)."""
        return float(((self.scores - self.is_b.mean()) ** 2).mean())

    @property
    def distance(self) -> float:
        """The largest distance of both files' distributions of scores (Kolmogorov and Smirnov).

        Scores that differ by rounding alone are one score.
        """
        a, b = (np.sort(self.scores[mask].round(12)) for mask in (~self.is_b, self.is_b))
        places = np.union1d(a, b)
        far = np.searchsorted(a, places, side="right") / len(a) - np.searchsorted(b, places, side="right") / len(b)
        return float(np.abs(far).max())


def _interval_overlap(a: Interval, b: Interval) -> float:
    """How much of two intervals is common, as the mean share of either; 0 where they are apart (Karr et al. 2006).

    The formula itself goes below 0 for intervals that are apart; it is clipped here.
    """
    common = min(a.high, b.high) - max(a.low, b.low)
    if common < 0:
        return 0.0
    widths = [a.high - a.low, b.high - b.low]
    # An interval without width lies in the other (the overlap is 0 wide, and all of it) or is apart.
    return sum(common / w if w > 0 else 1.0 for w in widths) / 2


def _hellinger(p: NDArray[np.number], q: NDArray[np.number]) -> float:
    """√(1 − Σ √(pq)) of two sets of counts over the same cells, each made to sum to 1; NaN where one has none."""
    if not p.sum() or not q.sum():
        return math.nan
    alike = float(np.sqrt((p / p.sum()) * (q / q.sum())).sum())
    return math.sqrt(max(1.0 - alike, 0.0))


def _overlaps(people: Table, synthetic: Table) -> Estimate:
    """The mean over figures: the mean of a numeric variable, the share of each level that either table has."""
    by_variable: dict[str, float] = {}
    found: list[float] = []
    for variable in people.schema:
        here = []
        if variable.kind == "numeric":
            intervals = [_mean_interval(variable.numbers[t[variable.name]]) for t in (people, synthetic)]
            if intervals[0] is not None and intervals[1] is not None:
                here.append(_interval_overlap(intervals[0], intervals[1]))
        counts = [t.frequencies(variable.name) for t in (people, synthetic)]
        first = variable.n_values if variable.kind == "numeric" else 0
        for code in range(first, variable.n_codes):
            if counts[0][code] or counts[1][code]:
                a, b = (wilson(int(c[code]), t.n_rows) for c, t in zip(counts, (people, synthetic), strict=True))
                assert a is not None  # both tables have rows
                assert b is not None
                here.append(_interval_overlap(a, b))
        if here:
            by_variable[variable.name] = float(np.mean(here))
        found += here
    return ratio(
        "CIO", float(sum(found)), len(found), undefined=_EMPTY, n=len(found), details={"by_variable": by_variable}
    )


def _mean_interval(numbers: Floats) -> Interval | None:
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) < 2:
        return None
    return normal(float(numbers.mean()), float(numbers.std(ddof=1)) / math.sqrt(len(numbers)))


def _distances(people: Table, synthetic: Table, holdout: Table | None) -> Estimate:
    pairs = list(combinations(people.names, 2))
    each = {pair: _distance(people, synthetic, pair) for pair in pairs}
    reference = None if holdout is None else float(np.mean([_distance(people, holdout, pair) for pair in pairs]))
    return ratio(
        "Hellinger",
        float(sum(each.values())),
        len(pairs),
        undefined=_EMPTY,
        baseline=reference,
        n=people.n_rows + synthetic.n_rows,
        details={
            "one_way": {name: _distance(people, synthetic, (name,)) for name in people.names},
            "two_way": [{"variables": list(pair), "distance": d} for pair, d in each.items()],
            "all_variables": _distance(people, synthetic, people.names),
        },
        caveats=("Tables with many cells are some way apart by chance alone.",),
    )


def _distance(a: Table, b: Table, names: tuple[str, ...]) -> float:
    columns = [[t[n] for n in names] for t in (a, b)]
    coding = KeyCoding.fit(columns, [a.schema[n].n_codes for n in names], 1)
    codes = [coding.encode(c) for c in columns]
    cells, place = np.unique(np.concatenate(codes), return_inverse=True)
    counts = [np.bincount(p, minlength=len(cells)) for p in np.split(place, [len(codes[0])])]
    return _hellinger(counts[0], counts[1])


def _tree_scores(table: Table, is_b: Mask, seed: int) -> Floats:
    """The propensity of every row from a tree with synthpop's settings: leaves of at least 5 rows, hardly pruned."""
    from sklearn.tree import DecisionTreeClassifier  # takes a second to import: only where it is used

    y = is_b.astype(np.int64)
    columns = for_trees(table, table.names, y, 2).of(table)
    tree = DecisionTreeClassifier(min_samples_leaf=5, min_samples_split=15, random_state=seed).fit(columns, y)
    leaves = leaves_as_rpart(tree.tree_, 1e-8)
    return tree.tree_.value[leaves[tree.apply(columns)], 0, 1]
