"""Rows that start from released means and standard deviations of groups: values drawn group by group.

Of all distributions with a group's mean and standard deviation the one of most entropy given the marginal,
w(v) · exp(t · v + u · v²), with weights w that all groups share (Csiszár 1975); weights and tilts are found in turn, as
raking does (Deming & Stephan 1940). Single moves from the marginal to there would take most of a search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.objective.objective import Objective
from divulge.outputs.lowering.rows import Groups

_MOST_CELLS = 400_000
"""Groups times values, at most: some milliseconds a turn."""

_TURNS, _TURNS_ALONE = 40, 20
"""Turns of weights and tilts, and then of tilts alone: figures count more than the marginal."""

_LONGEST_STEP = 8.0
"""By how much tilts may grow in one turn, where the values lie between −1 and 1, beside their own size."""


@dataclass(frozen=True, eq=False)
class _Wanted:
    """The mean (NaN: not released) and the standard deviation of each group of one variable."""

    by: tuple[str, ...]
    mean: Floats
    sd: Floats


def draw_groups(objective: Objective, codes: Codes, fixed: set[str], rng: np.random.Generator) -> None:
    """Draw numeric variables whose means by groups were released. fixed: variables that are as they should be."""
    schema = objective.schema
    done = set(fixed)
    for name in schema.names:
        wanted = _wanted(objective, name) if schema[name].kind == "numeric" and name not in done else None
        if wanted is None or name in wanted.by:
            continue
        groups = Groups.of(schema, wanted.by).numbers(objective.seen(codes))
        _draw(objective, codes, name, wanted, groups, rng)
        done |= {name, *wanted.by}


def _wanted(objective: Objective, name: str) -> _Wanted | None:
    """What was released of a variable by one set of groups: its means, and standard deviations where there are any."""
    found: dict[str, tuple[tuple[str, ...], Floats]] = {}
    for target in objective.targets:
        if target.output.where is not None or target.output.weights is not None:
            continue
        for what in ("mean", "sd"):
            at = target.output.found_at(what, name, objective.schema)
            if at is not None and (what == "mean" or found.get("mean", at)[0] == at[0]):
                found.setdefault(what, (at[0], target.released.values[at[1]]))
    if "mean" not in found:
        return None
    by, mean = found["mean"]
    sd = found.get("sd")
    return _Wanted(by, mean, sd[1] if sd is not None and sd[0] == by else np.full(len(mean), np.nan))


def _draw(
    objective: Objective, codes: Codes, name: str, wanted: _Wanted, groups: Integers, rng: np.random.Generator
) -> None:
    variable, marginal = objective.schema[name], np.asarray(objective.marginals[name])
    column = codes[:, objective.schema.position(name)]
    usable = np.flatnonzero((marginal > 0) & ~variable.is_missing)
    values = variable.numbers[usable]
    # Whoever has no value keeps none: how many these are the marginal says.
    given = (groups >= 0) & ~variable.is_missing[column]
    n = np.bincount(groups[given], minlength=len(wanted.mean)).astype(float)
    drawn = np.flatnonzero((n > 0) & np.isfinite(wanted.mean))
    if not len(drawn) or len(values) < 2 or len(drawn) * len(values) > _MOST_CELLS:
        return
    middle, half = (values.min() + values.max()) / 2, (values.max() - values.min()) / 2
    size = n[drawn]
    mean = (wanted.mean[drawn] - middle) / half
    second = (wanted.sd[drawn] / half) ** 2 * (size - 1) / size + mean**2
    chances = _chances((values - middle) / half, marginal[usable] / marginal[usable].sum(), mean, second, size)
    for chance, group in zip(chances, drawn, strict=True):
        rows = rng.permutation(np.flatnonzero(given & (groups == group)))
        # Evenly over the distribution: rare values far out have as many rows as they should, and not none.
        even = (np.arange(len(rows)) + 0.5) / len(rows)
        column[rows] = usable[np.minimum(np.searchsorted(np.cumsum(chance), even), len(usable) - 1)]


def _chances(values: Floats, share: Floats, mean: Floats, second: Floats, rows: Floats) -> Floats:
    """(groups, values): the chance of each value. second: of squares, NaN where it is free."""
    has_second = np.isfinite(second)
    alone = (mean <= values.min()) | (mean >= values.max()) | (has_second & (second - mean**2 <= 1e-12))
    powers = np.stack([values, values**2])
    weight, tilt = np.log(np.maximum(share, 1e-12)), np.zeros((len(mean), 2))
    aim = np.stack([mean, np.where(has_second, second, 0.0)], axis=1)
    for turn in range(_TURNS + _TURNS_ALONE):
        chances = _tilted(values, weight, tilt, alone, mean)
        tilt += _step(chances, powers, aim, has_second, tilt)
        if turn < _TURNS:
            found = rows @ chances / rows.sum()
            weight += np.clip(np.log(np.maximum(share, 1e-12) / np.maximum(found, 1e-12)), -1.0, 1.0)
    return _tilted(values, weight, tilt, alone, mean)


def _step(chances: Floats, powers: Floats, aim: Floats, has_second: Mask, tilt: Floats) -> Floats:
    """Newton's step of the tilts of each group, no longer than is safe."""
    now = chances @ powers.T
    cross = np.einsum("gv,iv,jv->gij", chances, powers, powers) - now[:, :, None] * now[:, None, :]
    cross[~has_second, 0, 1] = cross[~has_second, 1, 0] = 0.0
    cross[~has_second, 1, 1] = 1.0
    cross += 1e-9 * np.eye(2)
    off = np.where(has_second[:, None] | np.array([True, False]), aim - now, 0.0)
    step = np.linalg.solve(cross, off[:, :, None])[:, :, 0]
    longest = _LONGEST_STEP + np.abs(tilt)
    return np.asarray(step * np.minimum(1.0, (longest / np.maximum(np.abs(step), 1e-12)).min(axis=1, keepdims=True)))


def _tilted(values: Floats, weight: Floats, tilt: Floats, alone: Mask, mean: Floats) -> Floats:
    exponents = weight + tilt[:, :1] * values + tilt[:, 1:] * values**2
    chances = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    # A group of equal values has the nearest one alone.
    for group in np.flatnonzero(alone):
        chances[group] = 0.0
        chances[group, np.argmin(np.abs(values - mean[group]))] = 1.0
    return np.asarray(chances)
