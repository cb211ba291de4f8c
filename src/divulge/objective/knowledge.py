"""What the intruder is granted beside the outputs, where the outputs themselves tell a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from divulge.kernels.arrays import Floats
from divulge.objective.objective import Target
from divulge.scenario import Knowledge, Knows
from divulge.table import Schema


def granted(
    schema: Schema, targets: Sequence[Target], knows: Knows, frequencies: Mapping[str, Floats] | None = None
) -> Knowledge:
    """The marginals that a scenario grants. frequencies: counts for every code, computed by whoever holds the data."""
    return Knowledge.of(schema, knows, frequencies, _released_counts(schema, targets))


def _released_counts(schema: Schema, targets: Sequence[Target]) -> dict[str, Floats]:
    """Counts of single variables that the outputs themselves release, for all rows."""
    found: dict[str, Floats] = {}
    for target in targets:
        if not target.output.can_lower:
            continue
        lowered = target.output.lower(schema, target.released)
        block = lowered.blocks[0]
        if len(lowered.blocks) != 1 or block.link or block.weight or not lowered.residuals.is_diagonal:
            continue
        for term in block.terms:
            name = term.variables[0] if len(term.variables) == 1 else None
            if name is None or name in found or term.factors[0] is not None:
                continue
            cell = term.cells[0]
            index = np.where(cell >= 0, term.index[np.maximum(cell, 0)], -1)
            counts = np.where(index >= 0, lowered.constants[np.maximum(index, 0)], 0.0)
            if len(np.unique(index[index >= 0])) == (index >= 0).sum() and counts.sum() > 0:
                found[name] = np.maximum(counts, 0.0)
    return found
