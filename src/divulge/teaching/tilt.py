"""Where a search starts for a number whose frequencies nobody gives: what its published means and medians say of it.

Of all distributions over its possible values, the one with the greatest entropy that has the mean and the median is
taken (Jaynes 1957): ∝ exp(λx) below and above the median, half of the rows on each side. So a wage that may be
anything up to 3,000 does not start at 1,500 when the published mean is 590.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import brentq

from divulge.kernels.arrays import Floats
from divulge.objective import Target
from divulge.objective.knowledge import Knowledge
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.outputs.lowering.rows import Groups
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
            share[: variable.n_values] = bent(variable.numbers[: variable.n_values], mean, median)
            marginals[variable.name] = share
    return Knowledge(marginals, knowledge.sources)


def bent(values: Floats, mean: float | None, median: float | None) -> Floats:
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
    counts = _counts(schema, targets)
    found: dict[type, float] = {}
    for target in targets:
        output, released = target.output, target.released
        if not isinstance(output, Means | Position) or name not in output.variables or output.where or output.weights:
            continue
        if isinstance(output, Position) and 0.5 not in output.quantiles:
            continue
        groups = Groups.of(schema, output.by).n_groups
        statistics = 1 if isinstance(output, Means) else len(output.quantiles) + output.iqr
        at = output.variables.index(name) * statistics
        at += 0 if isinstance(output, Means) else output.quantiles.index(0.5)
        values = released.centre[at * groups : (at + 1) * groups]
        weights = counts.get(output.by[0]) if len(output.by) == 1 else None
        known = released.is_given[at * groups : (at + 1) * groups]
        weight = np.where(known, np.ones(groups) if weights is None else weights, 0.0)
        if weight.sum() > 0:
            found.setdefault(type(output), float(values @ weight / weight.sum()))
    return found.get(Means), found.get(Position)


def _counts(schema: Schema, targets: Sequence[Target]) -> Mapping[str, Floats]:
    """Published frequencies of single variables, by name."""
    found: dict[str, Floats] = {}
    for target in targets:
        output = target.output
        if isinstance(output, Frequencies) and output.where is None and output.missing == "exclude":
            start = 0
            for name in output.variables:
                n = schema[name].n_values
                found[name] = np.maximum(target.released.centre[start : start + n], 0.0)
                start += n
    return found
