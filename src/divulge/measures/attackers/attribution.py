"""Which levels of the keys go with being at risk: a logistic regression of the flag (Templ et al., section 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Integers, Mask
from divulge.measures.attackers.logistic import fit_logistic
from divulge.table import Table, Variable

_SMALLEST = 10
"""Levels with fewer people are put together: a coefficient of theirs would say nothing, and might say who."""

_MOST = 30  # no more levels of a key than these, the most frequent ones, are told apart: nobody reads more
_QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
_OTHER = "other"


def attribution(people: Table, keys: Sequence[str], flags: Mask) -> list[dict[str, Any]]:
    """One row for each level of each key: people, how many are at risk, coefficient and standard error.

    The most frequent level of a key is its reference (coefficient 0). Numeric keys go in quarters of the people. The
    coefficients are log odds ratios with the other keys held fixed; they describe and do not explain.
    """
    groups = [(name, *_levels(people.schema[name], people[name])) for name in keys]
    columns, owners = [], []
    for position, (_, codes, names) in enumerate(groups):
        reference = int(np.argmax(np.bincount(codes, minlength=len(names)))) if len(codes) else 0
        for level in range(len(names)):
            if level != reference:
                columns.append((codes == level).astype(np.float64))
                owners.append((position, level))
    estimated = {}
    if columns and flags.any() and not flags.all():
        fit = fit_logistic(np.column_stack(columns), flags)
        for owner, beta, se in zip(owners, fit.coefficients[1:], fit.standard_errors[1:], strict=True):
            estimated[owner] = (float(beta), float(se))
    rows = []
    for position, (name, codes, names) in enumerate(groups):
        counts = np.bincount(codes, minlength=len(names))
        hit = np.bincount(codes, weights=flags, minlength=len(names))
        for level, shown in enumerate(names):
            is_reference = (position, level) not in owners
            beta, se = (0.0, None) if is_reference else estimated.get((position, level), (float("nan"), None))
            rows.append(
                {
                    "key": name,
                    "level": shown,
                    "n": int(counts[level]),
                    "at_risk": int(hit[level]),
                    "share": float(hit[level] / counts[level]) if counts[level] else float("nan"),
                    "coefficient": beta,
                    "standard_error": se,
                    "is_reference": is_reference,
                    # Nobody or everybody at risk: the coefficient is large because the likelihood has no maximum.
                    "is_separated": bool(counts[level] and hit[level] in (0, counts[level])),
                }
            )
    return rows


def _levels(variable: Variable, codes: NDArray[np.integer]) -> tuple[Integers, list[str]]:
    """The level of every row (0, 1, …) and the names of the levels that occur."""
    shown: list[str]
    if variable.kind == "numeric":
        numbers = variable.numbers[codes]
        known = np.isfinite(numbers)
        # Named by their place, not by their bounds: a bound is somebody's value.
        cuts = np.quantile(numbers[known], [0.25, 0.5, 0.75]) if known.any() else np.zeros(3)
        level = np.where(known, np.searchsorted(cuts, np.nan_to_num(numbers), side="left"), 4)
        shown = [*_QUARTERS, "missing"]
    else:
        level, shown = codes.astype(np.int64), variable.display
    counts = np.bincount(level, minlength=len(shown))
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    rare = (counts > 0) & ((counts < _SMALLEST) | (rank >= _MOST))
    names = [shown[i] for i in np.flatnonzero((counts > 0) & ~rare)]
    place = np.full(len(shown), len(names), dtype=np.int64)
    place[(counts > 0) & ~rare] = np.arange(len(names))
    return place[level], [*names, _OTHER] if rare.any() else names
