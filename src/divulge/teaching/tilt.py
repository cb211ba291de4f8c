"""Where a search starts for a number whose frequencies nobody gives: what its published means and medians say of it.

Of all distributions over its possible values, the one with the greatest entropy that has the mean and the median is
taken (Jaynes 1957): ∝ exp(λx) below and above the median, half of the rows on each side. So a wage that may be
anything up to 3,000 does not start at 1,500 when the published mean is 590.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from divulge.kernels.arrays import Floats
from divulge.objective import Target
from divulge.outputs.behind import What
from divulge.scenario import Knowledge
from divulge.table import Schema

STEEPEST = 200.0
"""The largest |λ| times the range of the values: then nearly all rows have one value."""


def tilted(knowledge: Knowledge, schema: Schema, targets: Sequence[Target]) -> Knowledge:
    """The same knowledge, with the distribution of numbers that were taken as uniform bent to what is published."""
    marginals: dict[str, Floats] = dict(knowledge.marginals)
    for variable in schema:
        if variable.kind != "numeric" or knowledge.sources[variable.name] != "uniform":
            continue
        mean, median = _published(variable.name, schema, targets)
        if mean is not None or median is not None:
            share = np.zeros(variable.n_codes)
            share[: variable.n_values] = _bent(variable.numbers[: variable.n_values], mean, median)
            marginals[variable.name] = share
    return Knowledge(marginals, knowledge.sources)


def _bent(values: Floats, mean: float | None, median: float | None) -> Floats:
    """Probabilities of the values, with this mean as nearly as can be, and half of them up to the median."""
    low = np.ones(len(values), dtype=bool) if median is None else values <= median
    sides = [side for side in (low, ~low) if side.any()]
    span = max(float(values[-1] - values[0]), 1e-300)

    def shares(steepness: float) -> Floats:
        found = np.zeros(len(values))
        for side in sides:
            weight = np.exp(steepness * (values[side] - values[side][0 if steepness <= 0 else -1]) / span)
            found[side] = weight / weight.sum() / len(sides)
        return found

    def error(steepness: float) -> float:
        return float(shares(steepness) @ values) - (mean or 0.0)

    if mean is None:
        return shares(0.0)
    if error(-STEEPEST) >= 0:
        return shares(-STEEPEST)
    if error(STEEPEST) <= 0:
        return shares(STEEPEST)
    return shares(brentq(error, -STEEPEST, STEEPEST))


def _published(name: str, schema: Schema, targets: Sequence[Target]) -> tuple[float | None, float | None]:
    """The mean and the median of all rows, as far as published figures of groups tell them."""
    return _middle("mean", name, schema, targets), _middle("quantile", name, schema, targets)


def _middle(what: What, name: str, schema: Schema, targets: Sequence[Target]) -> float | None:
    """The first published mean or median of a variable; of groups, their mean weighted by published counts."""
    for target in targets:
        output, released = target.output, target.released
        found = output.found_at(what, name, schema)
        if found is None or output.where or output.weights:
            continue
        by, figures = found
        counts = _counts(by[0], schema, targets) if len(by) == 1 else None
        weight = np.where(released.is_given[figures], np.ones(len(figures)) if counts is None else counts, 0.0)
        if weight.sum() > 0:
            return float(released.centre[figures] @ weight / weight.sum())
    return None


def _counts(name: str, schema: Schema, targets: Sequence[Target]) -> Floats | None:
    """Published frequencies of a variable."""
    for target in reversed(targets):
        found = target.output.found_at("count", name, schema)
        if found is not None and target.output.where is None:
            return np.maximum(target.released.centre[found[1]], 0.0)
    return None
