"""What the figures of a linear model state of the spread of its response: in all, and around its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.behind import one_group
from divulge.outputs.released.precision import Released
from divulge.outputs.spreads import Spread
from divulge.outputs.stated import Stated
from divulge.table import Table

_BLOCK = 50_000
"""Rows of the design that are held at once."""


def spread_of_response(about: tuple[str, str], own: Floats, inside: Mask, error: float, table: Table) -> Spread:
    """Σ (y − ȳ)² of all people of a model or of an analysis of variance."""
    times = table.times
    mean = float(np.average(own[inside], weights=times[inside])) if inside.any() else 0.0
    behind = replace(one_group("test", inside), texts=(f"spread of {about[0]}",))
    return Spread(about, behind, own, np.where(inside, own - mean, 0.0), np.array([error]))


def model_spreads(stated: Stated, released: Released, table: Table, errors: str) -> Sequence[Spread]:
    """What is left by a linear model, and with what it explains how far responses lie apart: Σ (y − ŷ)², Σ (y − ȳ)².

    Standard errors, F, the likelihood and R² each give the one, and the predictors' second moments the other. stated:
    the normal equations, with the design. errors: by which estimator standard errors were computed.
    """
    rows, width = np.flatnonzero(stated.inside), len(stated.error)
    beta, half = released.values[:width], released.half[:width]
    if stated.link != "linear" or stated.is_weighted or len(rows) <= width:
        return ()
    times = table.times[rows]
    predicted, sums, crossed = np.empty(len(rows)), np.zeros(width), np.zeros(width)
    for at in range(0, len(rows), _BLOCK):
        block = slice(at, at + _BLOCK)
        design = stated.columns(rows[block])
        predicted[block] = design @ beta
        sums += times[block] @ design
        crossed += (times[block] * predicted[block]) @ design
    own = stated.own[rows]
    mean = float(np.average(own, weights=times))
    left, total = float(times @ (own - predicted) ** 2), float(times @ (own - mean) ** 2)
    # How precisely the coefficients give Σ (ŷ − ȳ)².
    explained = 2 * float(np.abs(crossed - mean * sums) @ half)
    by_left = _error_of_left(released, width, float(times.sum()), errors) * left
    of_explained = explained * total / (total - left) if total - left > 1e-12 * total else np.inf
    by_share = _error_of_share(released) * total + of_explained
    of_left, of_total = min(by_left, by_share + explained), min(by_left + explained, by_share)
    if not np.isfinite(of_left):
        return ()
    away = np.zeros(table.n_rows)
    away[rows] = own - predicted
    behind = replace(one_group("test", stated.inside), texts=(f"what the model leaves of {stated.about[0]}",))
    return (
        spread_of_response(stated.about, stated.own, stated.inside, of_total, table),
        Spread(stated.about, behind, stated.own, away, np.array([of_left]), is_left=True),
    )


def _error_of_left(released: Released, width: int, n: float, errors: str) -> float:
    """How precisely figures give Σ (y − ŷ)², as a share of it; infinite where none does.

    s² (X'X)⁻¹ has the squares of the standard errors; l = −n/2 (log (2π Σ/n) + 1), which AIC and BIC double.
    """
    found = [2 * h / n for _, h in _printed(released, "loglik")]
    found += [h / n for name in ("AIC", "BIC") for _, h in _printed(released, name)]
    found += [h / abs(f) for f, h in _printed(released, "F") if f]
    if errors == "model":
        if released.se is not None:
            se, half = released.se[:width], released.se_half[:width]
            found += (2 * half[se > 0] / se[se > 0]).tolist()
        for k in range(width):
            value, own = float(released.values[k]), float(released.half[k])
            for test, h in _printed(released, f"{released.labels[k]} (t)"):
                if value and test:
                    found.append(2 * (own / abs(value) + h / abs(test)))
    return min(found, default=np.inf)


def _error_of_share(released: Released) -> float:
    """How precisely R² gives Σ (y − ȳ)², as a share of it, where what is explained is known."""
    found = [h / abs(r) for name in ("r2", "adjusted r2") for r, h in _printed(released, name) if r]
    return min(found, default=np.inf)


def _printed(released: Released, label: str) -> list[tuple[float, float]]:
    """The figure with this label and half a unit of its last digit, where it is printed."""
    if label not in released.labels:
        return []
    at = released.labels.index(label)
    value, half = float(released.values[at]), float(released.half[at])
    return [(value, half)] if np.isfinite(value) and np.isfinite(half) else []
