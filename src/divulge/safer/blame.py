"""Blame: which figures and which levels give the exposed away. Never a row, and no group that is too small to name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.behind import Behind


@dataclass(frozen=True, eq=False)
class Blame:
    """figures: how many of those at risk stand behind each figure. levels: (variable, level, at risk, people)."""

    figures: Floats
    levels: tuple[tuple[str, str, int, int], ...]

    def as_json(self, case: Case, smallest_group: int) -> dict[str, Any]:
        """Shares of those at risk by figure, in the order of the figures, and by level. Small groups are not told."""
        total = float(self.figures.max(initial=0.0))
        people = figure_sizes(case)
        told = np.where(people >= smallest_group, self.figures, np.nan)
        return {
            "figures": [None if np.isnan(b) else float(b > 0) * float(b) / max(total, 1.0) for b in told.tolist()],
            "levels": [
                {"variable": name, "level": level, "exposed": n, "people": size}
                for name, level, n, size in self.levels
                if size >= smallest_group and n >= 1
            ],
        }


def find_blame(case: Case, at_risk: Mask, named: Sequence[str] = ()) -> Blame:
    """Who is at risk, by the figures they stand behind. named: figures that a rule or the audit names anyhow."""
    found = np.zeros(len(case.labels))
    finest = _finest(case.behind)
    for behind in finest:
        inside = at_risk & (behind.group >= 0)
        counts = np.bincount(behind.group[inside], minlength=behind.n_groups)
        own = behind.figures >= 0
        np.maximum.at(found, behind.figures[own], counts[own])
    wanted = set(named)
    found = np.where([label in wanted for label in case.labels], np.maximum(found, 1.0), found)
    levels: dict[tuple[str, int], tuple[str, str, int, int]] = {}
    for name in dict.fromkeys(n for b in finest for n in b.names) or case.output.own_variables():
        variable = case.table.schema[name]
        people = np.bincount(case.table[name], minlength=variable.n_codes)
        exposed = np.bincount(case.table[name][at_risk], minlength=variable.n_codes)
        for code in np.flatnonzero(exposed[: variable.n_values]).tolist():
            levels[name, code] = name, variable.display[code], int(exposed[code]), int(people[code])
    ranked = sorted(levels.values(), key=lambda level: -level[2] / level[3])
    return Blame(found, tuple(ranked))


def figure_sizes(case: Case) -> Floats:
    """How many people stand behind each figure; those with no group of their own are behind everybody's."""
    found = np.full(len(case.labels), float(case.table.n_rows))
    for behind in case.behind:
        own = behind.figures >= 0
        found[behind.figures[own]] = case.rows(behind)[own]
    return found


def _finest(every: Sequence[Behind]) -> list[Behind]:
    """Groups that no others cut finer: a table without its margins. Of models the terms."""
    named = [b for b in every if b.names and (b.figures >= 0).any()]
    kept = [b for b in named if not any(set(b.names) < set(other.names) for other in named)]
    return kept or [b for b in every if (b.figures >= 0).any()]
