"""Downstream: how well a model that was trained on synthetic rows does its work on people whom nobody has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.measures.attackers.models import ATTACKERS, Task
from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family, Measure
from divulge.measures.intervals import normal
from divulge.settings import Range
from divulge.table import Table

_SOURCE = "Esteban, Hyland and Rätsch 2017 (train on synthetic, test on real)"
_FEW = "It needs a holdout, people and synthetic rows of at least 20 known targets each."
_CONSTANT = "The target of the holdout does not vary, so there is nothing to predict."
_FEWEST = 20


@dataclass(frozen=True)
class Downstream(Family):
    """One model learns the target from the keys in the synthetic rows, another in the original ones.

    Both are asked about the holdout. The score is the share of right classes, or the share of variance explained.
    """

    model: Annotated[Literal["cart", "rf", "gbm", "l1"], "The model, by the name that RAPID gives it."] = "cart"
    most: Annotated[int, "More rows than this are sampled, of each file.", Range(least=_FEWEST)] = 100_000

    name: ClassVar[str] = "downstream"
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure(
            "downstream",
            "How well a model that learnt from synthetic rows predicts the holdout; baseline: from original rows.",
            _SOURCE,
            of="synthetic",
            is_share=False,
        ),
        Measure(
            "downstream_loss",
            "What is lost in prediction by training on synthetic instead of original rows.",
            _SOURCE,
            of="synthetic",
            is_share=False,
        ),
    )

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """Two fits; the generator samples rows and seeds both alike."""
        seed = int(rng.integers(2**31 - 1))
        files = [case.synthetic, case.people, case.holdout]
        known = [None if t is None else self._known(t, case.scenario.target, rng) for t in files]
        synthetic, people, holdout = known
        if synthetic is None or people is None or holdout is None or min(t.n_rows for t in known if t) < _FEWEST:
            return self._undefined(_FEW)
        truth, n_classes = _answers(holdout, case.scenario.target)
        if not np.ptp(truth):
            return self._undefined(_CONSTANT)
        made, own = (self._credit(t, holdout, truth, n_classes, case, seed) for t in (synthetic, people))
        value, best = float(made.mean()), float(own.mean())
        error = float((own - made).std(ddof=1)) / math.sqrt(len(made))
        details = {"model": self.model, "score": "right classes" if n_classes else "variance explained"}
        n = len(made)
        return {
            "downstream": Estimate("downstream", value, baseline=best, n=n, details=details),
            "downstream_loss": Estimate(
                "downstream_loss", best - value, interval=normal(best - value, error), n=n, details=details
            ),
        }

    def _undefined(self, why: str) -> dict[str, Estimate]:
        return {m.name: Estimate(m.name, math.nan, caveats=(why,)) for m in self.measures}

    def _known(self, table: Table, target: str, rng: np.random.Generator) -> Table:
        """Rows whose target is not missing, sampled where they are many."""
        rows = np.flatnonzero(table[target] < table.schema[target].n_values)
        return table.take(np.sort(rng.permutation(rows)[: self.most]))

    def _credit(self, train: Table, holdout: Table, truth: Floats, n_classes: int, case: Case, seed: int) -> Floats:
        """What each person of the holdout adds to the score: 1 for a right class; for a number 1 less its squared
        error in units of the variance."""
        model = next(maker for maker in ATTACKERS if maker.name == self.model)()
        y, _ = _answers(train, case.scenario.target)
        task = Task(train, case.scenario.keys, y.astype(np.int64) if n_classes else y, n_classes)
        said = model.fit(task, seed, 1)(holdout).values
        if n_classes:
            return (said.argmax(axis=1) == truth).astype(np.float64)
        return 1 - (said - truth) ** 2 / truth.var()


def _answers(table: Table, target: str) -> tuple[Floats, int]:
    """The target as class codes and how many classes there are, or as numbers and 0."""
    variable = table.schema[target]
    if variable.kind == "numeric":
        return variable.numbers[table[target]], 0
    return table[target].astype(np.float64), variable.n_values
