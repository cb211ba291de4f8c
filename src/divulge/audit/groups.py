"""Small groups whose size, mean, spread, median and extremes are printed: how many samples agree with all of them.

Figures of different outputs are put together where they are about the same rows, whatever these are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from divulge.audit.report import Proved
from divulge.audit.samples import Interval, Known, find_samples
from divulge.rules import Severity

if TYPE_CHECKING:
    from divulge.audit.run import Submission

LARGEST = 15
"""Groups of more people have more samples than can be gone through."""

FEW = 5
"""So many samples or fewer are told; with more of them nothing much is given away."""

_MOMENTS = {"mean": "mean", "sd": "sd", "minimum": "least", "maximum": "greatest"}


def few_samples(given: Submission) -> tuple[Proved, ...]:
    """Groups of which few samples agree with everything printed about them. Only the data say who is in a group."""
    if given.table is None:
        return ()
    keys = np.random.default_rng(0).integers(1, 2**62, given.table.n_rows)  # any seed: names of sets of rows
    printed: dict[tuple[str, int], dict[str, Interval]] = {}
    where: dict[tuple[str, int], tuple[int, str, int]] = {}
    for i, (output, released) in enumerate(zip(given.outputs, given.released, strict=True)):
        for behind in output.behind(given.table):
            statistic = "median" if behind.quantile == 0.5 else _MOMENTS.get(behind.what)
            if statistic is None or behind.variable is None or output.weights is not None:
                continue
            inside = behind.group >= 0
            n = np.bincount(behind.group[inside], minlength=behind.n_groups)
            name = np.zeros(behind.n_groups, dtype=np.int64)
            np.bitwise_xor.at(name, behind.group[inside], keys[inside])
            for g in np.flatnonzero((n > 1) & (n <= LARGEST)).tolist():
                figure = int(behind.figures[g])
                if not np.isfinite(released.values[figure]):
                    continue
                key = (behind.variable, int(name[g]))
                printed.setdefault(key, {})[statistic] = released.low[figure], released.high[figure]
                where.setdefault(key, (i, released.labels[figure], int(n[g])))
    found = []
    for key, figures in printed.items():
        output_number, label, n_people = where[key]
        if "mean" not in figures or len(figures) < 2:
            continue
        variable = given.schema[key[0]]
        values = tuple(variable.numbers[: variable.n_values].tolist())
        known = Known(
            n_people,
            figures["mean"],
            figures.get("sd"),
            figures.get("median"),
            figures.get("least"),
            figures.get("greatest"),
            values=values,
        )
        samples = find_samples(known)
        if samples.is_complete and 0 < len(samples.samples) <= FEW:
            found.append(_told(output_number, label, n_people, len(samples.samples), len(samples.shared)))
    return tuple(found)


def _told(output: int, label: str, n: int, n_samples: int, n_shared: int) -> Proved:
    """How many samples there are and how many values they share; the values themselves are nobody's business here."""
    if n_samples == 1:
        sentence = f"The figures of {label!r} leave one sample of {n} people: all their values follow."
        return Proved("few samples", Severity.REFUSE, (output,), (label,), sentence, n)
    sentence = f"The figures of {label!r} leave {n_samples} samples of {n} people, which share {n_shared} values."
    return Proved("few samples", Severity.REVIEW, (output,), (label,), sentence, n)
