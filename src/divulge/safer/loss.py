"""What a safer output has lost, in the terms of the trade, and in bits as the common scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.outputs import Figures, Output, Released
from divulge.table import Table


@dataclass(frozen=True)
class Loss:
    """information: the share of the bits that is lost, between 0 and 1. changed, figures: how many figures are not
    printed as before, of how many. withheld, withheld_value: number and sum of the withheld ones. mean_absolute,
    mean_relative: change of the figures that are still there. hellinger: 1 − HD/√(Σ f) of counts (Langsrud & Heldal
    2018), where every cell is still there. false_zeros: counts that are printed as 0. overlap: mean overlap of 95 %
    intervals of estimates (Karr et al. 2006). signs: estimates that changed their sign."""

    information: float
    bits_before: float
    bits_after: float
    changed: int
    figures: int
    withheld: int
    withheld_value: float
    mean_absolute: float
    mean_relative: float
    hellinger: float | None = None
    false_zeros: int = 0
    overlap: float | None = None
    signs: int = 0

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def find_loss(output: Output, released: Released, safer: Output, printed: Released, table: Table) -> Loss:
    """What is lost between an output as it was to be released and a safer one."""
    before, after = output.evaluate(table), safer.evaluate(table)
    place = {label: i for i, label in enumerate(printed.labels)}
    shared = [(i, place[label]) for i, label in enumerate(released.labels) if label in place]
    off = _differences(released, printed, shared)
    bits = [_bits(output, before, released, table), _bits(safer, after, printed, table, off)]
    old = np.array([released.values[i] for i, _ in shared], dtype=float)
    new = np.array([printed.values[j] for _, j in shared], dtype=float)
    hidden = np.isnan(new) & ~np.isnan(old)
    both = np.isfinite(old) & np.isfinite(new)
    units = np.array([released.half[i] == printed.half[j] for i, j in shared], dtype=bool)
    change = np.abs(new[both] - old[both])
    # Of merged cells the few that keep their name say nothing of the table.
    has_all = len(shared) == len(released.labels)
    is_counts = output.growth == "extensive" and output.has_threshold
    # An estimate with a digit less is printed otherwise, even where the digit was a zero.
    same = both & (old == new) & (units | is_counts)
    return Loss(
        information=float(np.clip(1.0 - bits[1] / bits[0], 0.0, 1.0)) if bits[0] > 0 else 0.0,
        bits_before=bits[0],
        bits_after=bits[1],
        changed=int(np.isfinite(released.values).sum() - same.sum()),
        figures=len(released.labels),
        withheld=int(hidden.sum()),
        withheld_value=float(np.nansum(np.where(hidden, old, 0.0))),
        mean_absolute=float(change.mean()) if len(change) else 0.0,
        mean_relative=float((change / np.maximum(np.abs(old[both]), 1e-12))[old[both] != 0].mean())
        if (old[both] != 0).any()
        else 0.0,
        hellinger=_hellinger(old[both], new[both]) if is_counts and both.any() and has_all else None,
        false_zeros=int(((new == 0) & (old > 0)).sum()) if is_counts else 0,
        overlap=_overlap(before, after),
        signs=0 if is_counts else int((np.sign(old[both]) * np.sign(new[both]) < 0).sum()),
    )


def _differences(released: Released, printed: Released, shared: Sequence[tuple[int, int]]) -> Floats:
    """By how much each safer figure is off the one that it stands for: that of its name, else that of its place."""
    if not shared and len(released.labels) == len(printed.labels):
        shared = [(i, i) for i in range(len(released.labels))]
    found = np.zeros(len(printed.labels))
    for i, j in shared:
        found[j] = abs(float(printed.values[j]) - float(released.values[i]))
    return np.nan_to_num(found, nan=0.0)


def _hellinger(old: Floats, new: Floats) -> float:
    distance = np.sqrt(0.5 * ((np.sqrt(old) - np.sqrt(np.maximum(new, 0.0))) ** 2).sum())
    return float(1.0 - distance / np.sqrt(max(float(old.sum()), 1e-12)))


def _overlap(before: Figures, after: Figures) -> float | None:
    """Mean share that 95 % intervals of the same estimates have in common."""
    if before.se is None or after.se is None:
        return None
    place = {label: i for i, label in enumerate(after.labels)}
    found = []
    for i, label in enumerate(before.labels):
        j = place.get(label)
        if j is None or not np.isfinite([before.se[i], after.se[j], before.values[i], after.values[j]]).all():
            continue
        ends = [
            (v - 1.96 * s, v + 1.96 * s) for v, s in ((before.values[i], before.se[i]), (after.values[j], after.se[j]))
        ]
        common = min(e[1] for e in ends) - max(e[0] for e in ends)
        widths = [e[1] - e[0] for e in ends]
        if min(widths) > 0:
            found.append(max(0.0, 0.5 * (common / widths[0] + common / widths[1])))
    return float(np.mean(found)) if found else None


def _bits(output: Output, figures: Figures, released: Released, table: Table, off: Floats | None = None) -> float:
    """Counts: what a person's cell tells, in bits (Shannon 1948), less where a count is withheld or not exact.

    Others: how many values of the last printed digit a figure's own size leaves, as bits, over the figures. A figure
    that is off by more than that tells as much as one that is printed so coarsely.
    """
    given = np.isfinite(released.values)
    if output.growth == "extensive" and output.has_threshold:
        sums = output.sums(table.schema)
        n_cells = len(figures.values) if sums is None else sums.shape[1]
        counts = np.nan_to_num(figures.values[:n_cells])
        share = counts / max(float(counts.sum()), 1.0)
        wide = np.where(given, (released.high - released.low) / 2, np.inf)[:n_cells]
        exact = np.clip(1.0 - np.where(wide <= 0.5, 0.0, wide) / np.maximum(counts, 1.0), 0.0, 1.0)
        tells = np.where(share > 0, -share * np.log2(np.where(share > 0, share, 1.0)), 0.0)
        return float((tells * exact)[counts > 0].sum())
    size = np.abs(np.where(given, released.values, 0.0))
    unit = np.maximum(released.half, 1e-300) if off is None else np.maximum(np.maximum(released.half, 1e-300), off)
    return float(np.log2(1.0 + size / unit)[given].sum())
