"""Survival curves and life tables of one group, from how many leave at each time, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats

NOBODY = 1e-3
"""Less at risk than that is nobody: differences take some 1e-5 off or on, and a person has a weight far above it."""

_NONE_LEFT = 1e-12
"""The share that survives a time at which everybody at risk has the event: the derivative of 0 · x is not lost."""


def kaplan_meier(values: Floats, events: Floats, censored: Floats, shown: Floats) -> dict[str, Floats]:
    """Figures at the shown times from events and censored at each value (Kaplan & Meier 1958)."""
    at_risk = _at_risk(events + censored)
    hazard = np.divide(events, at_risk, out=np.zeros_like(events), where=at_risk > NOBODY)
    first, is_value = _values_at(values, shown)
    alive = np.append(at_risk, 0.0)[first]
    now = np.where(is_value, np.append(hazard, 0.0)[first], 0.0)
    return {
        "survival": _at(np.cumprod(1.0 - hazard), values, shown, 1.0),
        "at risk": alive,
        "events": np.diff(_at(np.cumsum(events), values, shown), prepend=0.0),
        "censored": np.diff(_at(np.cumsum(censored), values, shown), prepend=0.0),
        "hazard": np.where(alive > NOBODY, now, np.nan),
        "cumulative hazard": _at(np.cumsum(hazard), values, shown),
    }


def kaplan_meier_derivatives(values: Floats, events: Floats, censored: Floats, shown: Floats) -> dict[str, Floats]:
    """The same figures' derivatives, (times, values, 2): by the censored and by the events at each value.

    With n_i = Σ_{u ≥ i} (e_u + c_u) and h_i = e_i / n_i, whoever leaves at u is at risk at every i ≤ u, so that
    ∂h_i/∂c_u = −e_i / n_i² there, and an event at u adds 1 / n_u to h_u. Survival is Π (1 − h_i).
    """
    at_risk = _at_risk(events + censored)
    share = np.divide(1.0, at_risk, out=np.zeros_like(at_risk), where=at_risk > NOBODY)
    hazard = events * share
    left: Floats = np.maximum(1.0 - hazard, _NONE_LEFT)
    place = np.arange(len(values))
    until = np.searchsorted(values, shown, side="right")
    first, is_value = _values_at(values, shown)
    before = place < until[:, None]
    later = (place >= first[:, None]).astype(np.float64)
    between = before & (place >= np.concatenate([[0], until[:-1]])[:, None])
    survival = _at(np.cumprod(left), values, shown, 1.0)[:, None]
    here = np.append(hazard * share, 0.0)[first] * is_value
    at_it = (place == first[:, None]) * is_value[:, None]
    nothing, between_them = np.zeros(before.shape), between.astype(np.float64)
    of_survival = survival * _so_far(hazard * share / left, until)
    of_hazard = -here[:, None] * later
    of_sum = -_so_far(hazard * share, until)
    return {
        "survival": _both(of_survival, of_survival - survival * before * (share / left)),
        "at risk": _both(later, later),
        "events": _both(nothing, between_them),
        "censored": _both(between_them, nothing),
        "hazard": _both(of_hazard, of_hazard + at_it * share),
        "cumulative hazard": _both(of_sum, of_sum + before * share),
    }


def life_table(breaks: Floats, events: Floats, censored: Floats) -> dict[str, Floats]:
    """Figures of the intervals [b, next b) (Cutler & Ederer 1958).

    events, censored: in each interval, after those before the first break and before those from the last one on.
    """
    died, left, exits = events[1:-1], censored[1:-1], events + censored
    entered = _at_risk(exits)[1:-1]
    exposed = entered - left / 2
    chance = np.divide(died, exposed, out=np.zeros_like(died), where=exposed > NOBODY)
    with np.errstate(divide="ignore", invalid="ignore"):
        hazard = died / (np.diff(breaks) * (exposed - died / 2))
    return {
        "survival": np.cumprod(1.0 - chance),
        "at risk": entered,
        "events": died,
        "censored": left,
        "hazard": np.where(exposed > NOBODY, hazard, np.nan),
        "cumulative hazard": np.cumsum(chance),
    }


def _at_risk(exits: Floats) -> Floats:
    """Whoever leaves at a time or later is at risk at it."""
    return np.asarray(np.cumsum(exits[::-1])[::-1])


def _values_at(values: Floats, shown: Floats) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The first value at or after each shown time, and whether it is that very time."""
    first = np.searchsorted(values, shown, side="left")
    return first, np.append(values, np.nan)[first] == shown


def _at(steps: NDArray[np.floating[Any]], values: Floats, shown: Floats, start: float = 0.0) -> Floats:
    """A step function of the values at the shown times; `start` before the first value."""
    return np.concatenate([[start], steps])[np.searchsorted(values, shown, side="right")]


def _so_far(steps: Floats, until: NDArray[np.intp]) -> Floats:
    """(times, values): the sum of the steps up to the value, or up to the time where that comes first."""
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(sums[np.minimum(np.arange(1, len(steps) + 1), until[:, None])])


def _both(by_censored: Floats, by_events: Floats) -> Floats:
    return np.stack([by_censored, by_events], axis=-1)
