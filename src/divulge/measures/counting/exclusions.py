"""What a custodian takes out of the attribute measures, because everybody knows it anyway (Raab 2024, section 4).

Exclusions zero cells of the attribute measures. They leave the number of people and the identity measures alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.errors import MeasureError
from divulge.kernels.arrays import Mask
from divulge.measures.counting.cells import NONE_EXCLUDED, Cells
from divulge.table import Schema

_REASONS = ("target level", "missing target", "missing key", "pair", "denominator limit")
"""Why a cell is left out, in the order in which exclusions are applied and counted."""


@dataclass(frozen=True)
class Exclusions:
    """Which cells do not count.

    target_levels: (variable, level). missing: variables whose missing values do not count.
    pairs: (key, its level, target, its level). denominator_limit: cells with a larger count do not count; 0 is none.
    A level is given by its value or its label; None, or an empty text, is the missing value.
    """

    target_levels: tuple[tuple[str, str | None], ...] = ()
    missing: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str | None, str, str | None], ...] = ()
    denominator_limit: int = 0

    def __post_init__(self) -> None:
        if self.denominator_limit < 0:
            raise MeasureError(
                f"a denominator limit of at least 1 is needed, {self.denominator_limit} is given.",
                where="denominator limit",
            )

    def __bool__(self) -> bool:
        return bool(self.target_levels or self.missing or self.pairs or self.denominator_limit)

    def check(self, schema: Schema, keys: tuple[str, ...], targets: tuple[str, ...]) -> None:
        """Raise where an exclusion names a variable or level that the data or the scenario do not have."""
        for variable, level in self.target_levels:
            _known(variable, targets, "a target", "target level")
            _code(schema, variable, level)
        for variable in self.missing:
            _known(variable, (*keys, *targets), "a key or a target", "missing values")
        for key, level, target, target_level in self.pairs:
            _known(key, keys, "a key", "pair")
            _known(target, targets, "a target", "pair")
            _code(schema, key, level)
            _code(schema, target, target_level)

    def reasons(self, cells: Cells, schema: Schema, target: str) -> list[Mask]:
        """For each of the first four REASONS, which cells it takes out (empty where none)."""
        levels = [_code(schema, v, level) for v, level in self.target_levels if v == target]
        found = [np.isin(cells.target, levels) if levels else NONE_EXCLUDED]
        missing = schema[target].is_missing[cells.target] if target in self.missing else NONE_EXCLUDED
        # As synthpop: where none of the people lack the target, there is nothing that everybody knows about its lack.
        found.append(missing if (cells.d[missing] if missing.size else missing).any() else NONE_EXCLUDED)
        keys = [k for k in cells.keys if k in self.missing and schema[k].missing]
        out = NONE_EXCLUDED
        if keys:
            out = np.logical_or.reduce([schema[k].is_missing[cells.levels[k]] for k in keys])[cells.group]
        found.append(out)
        pairs = [
            (cells.levels[key] == _code(schema, key, level))[cells.group]
            & (cells.target == _code(schema, target, target_level))
            for key, level, variable, target_level in self.pairs
            if variable == target and key in cells.keys
        ]
        found.append(np.logical_or.reduce(pairs) if pairs else NONE_EXCLUDED)
        return found

    def kept(self, cells: Cells, schema: Schema, target: str) -> Mask:
        """For every cell whether it counts; empty where all do. The denominator limit is applied elsewhere."""
        masks = [m for m in self.reasons(cells, schema, target) if m.size]
        return ~np.logical_or.reduce(masks) if masks else NONE_EXCLUDED

    def counts(self, cells: Cells, schema: Schema, target: str) -> dict[str, dict[str, int]]:
        """How many rows each exclusion takes out of each figure, one after the other, and how many remain."""
        steps = []
        left = np.ones(len(cells.codes), dtype=np.bool_)
        for mask in self.reasons(cells, schema, target):
            left = left & ~mask if mask.size else left
            steps.append((left, 0))
        steps.append((left, self.denominator_limit))
        table: dict[str, dict[str, int]] = {}
        before = _rows(cells, np.ones_like(left), 0)
        for reason, (mask, limit) in zip(_REASONS, steps, strict=True):
            after = _rows(cells, mask, limit)
            table[reason] = {k: before[k] - after[k] for k in after}
            before = after
        return {**table, "remaining": before}


NO_EXCLUSIONS = Exclusions()


def _rows(cells: Cells, kept: Mask, limit: int) -> dict[str, int]:
    sums = cells.sums(kept, limit)
    d, s = (counts[kept & ((counts <= limit) if limit else True)] for counts in (cells.d, cells.s))
    named = {k: int(getattr(sums, k)) for k in ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")}
    return {"original": int(d.sum()), "synthetic": int(s.sum()), **named}


def _known(variable: str, known: tuple[str, ...], what: str, where: str) -> None:
    if variable not in known:
        raise MeasureError(
            f"{variable!r} is not {what}.", where=f"exclusion: {where}", hint=f"Choose from: {', '.join(known)}."
        )


def _code(schema: Schema, variable: str, level: str | None) -> int:
    code = schema[variable].code(level)
    if code is None and level == "":
        code = schema[variable].code(None)
    if code is None:
        # Levels are not listed: what a variable's values are may itself be confidential.
        raise MeasureError(
            f"{variable!r} has no {'missing value' if level in (None, '') else f'level {level!r}'} in these tables.",
            where="exclusion",
            hint="Write the level as in the data; for grouped variables, as the groups are named.",
        )
    return code
