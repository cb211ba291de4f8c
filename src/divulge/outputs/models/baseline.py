"""The baseline of a Cox model: the cumulative hazard Λ (Breslow 1974; with Efron's ties, Efron 1977) of somebody whose
covariates are zero, or as they are on average, at some times and in each stratum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.models.hazards import Partial, Spells

At = Literal["zero", "means", "numbers"]


@dataclass(frozen=True, eq=False)
class Baseline:
    """What is shown: the last time up to each that is shown (−1: none), by number, in how many strata, for whom.

    Figures are ordered by stratum, then by time. is_survival: e^−Λ instead of Λ.
    """

    last: Integers
    n_strata: int
    is_survival: bool
    at: At

    @property
    def n(self) -> int:
        return len(self.last) * self.n_strata

    def figures(self, spells: Spells, beta: Floats, strata: Integers) -> Floats:
        """The figures of a table. strata: the number of each stratum at hand among all; NaN for others."""
        hazards = np.full((self.n_strata, len(self.last)), np.nan)
        if self.n and len(spells.x) and np.isfinite(beta).all():
            with np.errstate(all="ignore"):
                hazards[strata] = self._until(spells.partial(beta).hazard) * np.exp(self._covariates(spells) @ beta)
        return np.exp(-hazards.ravel()) if self.is_survival else hazards.ravel()

    def _covariates(self, spells: Spells) -> Floats:
        """Whom the baseline is of. R leaves columns that hold nothing but −1, 0 and 1 at zero."""
        if self.at == "zero":
            return np.zeros(spells.x.shape[1])
        mean = np.average(spells.x, axis=0, weights=spells.weight)
        is_number = ~np.isin(spells.x, (-1.0, 0.0, 1.0)).all(axis=0)
        return mean if self.at == "means" else np.where(is_number, mean, 0.0)

    def _until(self, steps: Floats) -> Floats:
        """Σ of (strata, times, …) up to each time that is shown: (strata, shown, …)."""
        sums = np.cumsum(steps, axis=1)[:, np.maximum(self.last, 0)]
        return np.where((self.last >= 0).reshape(1, -1, *(1,) * (steps.ndim - 2)), sums, 0.0)

    def by_coefficients(self, spells: Spells, beta: Floats, found: Partial) -> Floats:
        """∂Λ/∂β, (strata at hand, shown, columns)."""
        who = self._covariates(spells)
        slopes = self._until(found.hazard)[..., None] * who - self._until(found.moment)
        return np.asarray(slopes * np.exp(who @ beta))

    def by_risk(self, spells: Spells, beta: Floats, bend: Floats) -> Floats:
        """−∂Λ/∂ Σe^η of those who leave at each time, (strata at hand, times, shown)."""
        capped = np.minimum(np.arange(bend.shape[1])[:, None], self.last)
        sums = np.cumsum(bend, axis=1)[:, np.maximum(capped, 0)]
        return np.asarray(np.where(capped >= 0, sums, 0.0) * np.exp(self._covariates(spells) @ beta))

    def at_times(self, spells: Spells, beta: Floats, steps: Floats) -> Floats:
        """What a step at each time adds to Λ, (strata at hand, times, shown)."""
        counts = np.arange(steps.shape[1])[:, None] <= self.last
        return np.asarray(steps[..., None] * counts * np.exp(self._covariates(spells) @ beta))

    def by_hazards(self, figures: Floats) -> Floats:
        """∂ figure / ∂Λ at figures."""
        return -figures if self.is_survival else np.ones(len(figures))

    def errors(self, figures: Floats, events: float) -> Floats:
        """About how large their standard errors are: Λ is known to one part in √events."""
        figures = np.maximum(figures, np.finfo(float).tiny)
        hazards = -np.log(np.minimum(figures, 1.0)) if self.is_survival else figures
        return np.abs(self.by_hazards(figures)) * hazards / np.sqrt(events)
