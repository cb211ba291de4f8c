"""How risky is a way to make synthetic data, apart from one draw of it (Templ et al., section 2.5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from divulge.errors import MeasureError
from divulge.kernels.arrays import Integers
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate, Interval
from divulge.measures.families.rapid import Rapid
from divulge.scenario import Scenario
from divulge.table import Table

_Synthesise = Callable[[Table, int | None, np.random.Generator], Table]
"""Original rows, how many synthetic rows (None: as many), randomness → synthetic rows: any comparator's method."""


def cross_validated(
    synthesise: _Synthesise,
    original: Table,
    scenario: Scenario,
    rng: np.random.Generator,
    n_folds: int = 5,
    family: Rapid | None = None,
    measure: str = "RAPID",
) -> Estimate:
    """The mean of a RAPID over folds: synthesise from the others, attack the people of the fold.

    Folds are stratified by a categorical target. The interval is Student's over folds; folds share most of their
    training rows, so it is somewhat too narrow (Bengio and Grandvalet 2004). People attacked were not in the data
    synthesised from: this is what anybody would suffer, not what those in the data suffer more.
    """
    if n_folds < 2 or n_folds > original.n_rows:
        raise MeasureError(
            f"between 2 folds and one for each of the {original.n_rows} people are needed; {n_folds} are given.",
            where="n_folds",
        )
    family = replace(family or Rapid(), n_resamples=0, n_permutations=0)
    if measure not in family.names():
        raise MeasureError(f"{measure!r} is none of {', '.join(family.names())}.", where="measure")
    fold = _folds(original, scenario.target, n_folds, rng)
    found = []
    for k in range(n_folds):
        synthetic = synthesise(original.take(fold != k), None, rng)
        found.append(family.estimate(Case(original.take(fold == k), synthetic, scenario), rng)[measure])
    values = np.array([e.value for e in found])
    mean = float(values.mean())
    spread = float(values.std(ddof=1)) / math.sqrt(n_folds)
    half = float(stdtrit(n_folds - 1, 0.975)) * spread
    caveats = {c for e in found for c in e.caveats}
    return Estimate(
        f"{measure}_cv",
        mean,
        sum(e.numerator or 0.0 for e in found),
        sum(e.denominator or 0.0 for e in found),
        baseline=found[0].baseline,
        # A share stays a share: Student's interval does not know that.
        interval=None if math.isnan(mean) else Interval(max(0.0, mean - half), min(1.0, mean + half), "student"),
        n=original.n_rows,
        details={"folds": values.tolist(), "standard_error": spread},
        caveats=tuple(sorted(caveats)),
    )


def _folds(original: Table, target: str, n_folds: int, rng: np.random.Generator) -> Integers:
    """The fold of every row: sizes differ by at most one, and so does every class's number in the folds."""
    shuffled = rng.permutation(original.n_rows)
    if original.schema[target].kind == "categorical":
        shuffled = shuffled[np.argsort(original[target][shuffled], kind="stable")]
    fold = np.empty(original.n_rows, dtype=np.int64)
    fold[shuffled] = np.arange(original.n_rows) % n_folds
    return fold
