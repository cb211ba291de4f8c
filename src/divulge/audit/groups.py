"""Small groups whose size, mean, spread, median and extremes are printed: how many samples agree with all of them; and
counts that a mean gives away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from divulge.audit.report import Cell, Proved, Status
from divulge.audit.same_people import Group, Interval
from divulge.audit.samples import Known
from divulge.contributions.sizes import possible_sizes
from divulge.outputs.lowering.sizes import possible_step, spacing
from divulge.rules import Severity
from divulge.table import Schema

if TYPE_CHECKING:
    from divulge.audit.run import Submission

LARGEST = 15
"""Groups of more people have more samples than can be gone through."""

FEW = 5
"""So many samples or fewer are told; with more of them nothing much is given away."""

WIDEST = 1_000
"""Counts that may be so many numbers or more are not asked about: a mean leaves many of them."""


def few_samples(given: Submission, groups: list[Group]) -> tuple[Proved, ...]:
    """Groups of which few samples agree with everything printed about them."""
    found = []
    for group in groups:
        if group.n is None or not 1 < group.n <= LARGEST:
            continue
        for name, figures in group.printed.items():
            if "mean" not in figures or len(figures) < 2 or name not in group.where:
                continue
            variable = given.schema[name]
            sd, median, least, greatest = (figures.get(s) for s in ("sd", "median", "least", "greatest"))
            values = variable.numbers[: variable.n_values]
            known = Known(group.n, figures["mean"], sd, median, least, greatest, values=tuple(values.tolist()))
            step = None if given.table is None else possible_step(given.table, name)
            if step is not None:
                # Data of few people do not show all possible values, but they show that none is below 0.
                least = least or ((0.0, np.inf) if values.min(initial=0.0) >= 0.0 else None)
                known = replace(known, least=least, values=None, origin=float(values.min(initial=0.0)), step=step)
            samples = known.possible() if step != 0.0 else None
            if samples is not None and samples.is_complete and 0 < len(samples.samples) <= FEW:
                found.append(_told(*group.where[name], group.n, len(samples.samples), len(samples.shared)))
    return tuple(found)


def counts_from_means(cells: Sequence[Cell], given: Submission, groups: list[Group]) -> list[Cell]:
    """Cells with the counts that means of the same people leave: of whole numbers 11.25 is the mean of 8, not of 9.

    Handbook on SDC 2025, section 5.7. cells: withheld or changed figures, with what else is known of them.
    """
    place = {(c.output, c.label): k for k, c in enumerate(cells)}
    made = list(cells)
    for group in groups:
        means = [(name, f["mean"]) for name, f in group.printed.items() if "mean" in f]
        for output, figure in group.counts if means else ():
            released = given.released[output]
            k = place.get((output, released.labels[figure]))
            if k is None:
                continue
            # What was only seen of a cell does not bound it; and what follows in whole numbers has no proof yet.
            known = made[k]
            if not known.is_sharp or (known.status is not Status.PROTECTED and not known.chain):
                known = replace(known, low=float(released.low[figure]), high=float(released.high[figure]))
            if known.high - known.low < WIDEST:
                made[k] = _with_means(made[k], known, means, given.schema)
    return made


def _with_means(cell: Cell, known: Cell, means: list[tuple[str, Interval]], schema: Schema) -> Cell:
    """A count, with what the means of some variables leave of what is known of it."""
    fewest, most = int(np.ceil(known.low - 1e-6)), int(np.floor(known.high + 1e-6))
    left = np.arange(max(fewest, 1), most + 1)
    for name, mean in means:
        values = schema[name].numbers[: schema[name].n_values]
        step = spacing(values)
        if step is not None:
            left = np.intersect1d(left, possible_sizes(*mean, fewest, most, step, float(values.min())))
    if not len(left) or (left[0] <= max(fewest, 1) and left[-1] >= most):
        return cell
    names = " and ".join(dict.fromkeys(name for name, _ in means))
    chain = f"of {fewest} to {most} people {_few(left.tolist())} can have the printed mean of {names}"
    low, high = (cell.low, cell.high) if cell.is_sharp else (known.low, known.high)
    return replace(cell, low=max(low, float(left[0])), high=min(high, float(left[-1])), chain=chain, is_sharp=True)


def _few(sizes: list[int]) -> str:
    if len(sizes) == 1:
        return f"only {sizes[0]}"
    return f"only {', '.join(map(str, sizes[:4]))}" + (" …" if len(sizes) > 4 else "")


def _told(output: int, label: str, n: int, n_samples: int, n_shared: int) -> Proved:
    """How many samples there are and how many values they share; the values themselves are nobody's business here."""
    if n_samples == 1:
        sentence = f"The figures of {label!r} leave one sample of {n} people: all their values follow."
        return Proved("few samples", Severity.REFUSE, (output,), (label,), sentence, n)
    sentence = f"The figures of {label!r} leave {n_samples} samples of {n} people, which share {n_shared} values."
    return Proved("few samples", Severity.REVIEW, (output,), (label,), sentence, n)
