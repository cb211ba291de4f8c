"""What the intruder is granted beside the outputs: how each variable is distributed, as far as that is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.errors import EmbedError
from divulge.kernels.arrays import Floats
from divulge.objective.objective import Target
from divulge.table import Schema

Knows = Literal["nothing", "marginals", "earlier outputs"]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A probability for every code of every variable, and where it comes from (`frequencies`, `output`, `uniform`)."""

    marginals: Mapping[str, Floats]
    sources: Mapping[str, str]

    @property
    def known(self) -> tuple[str, ...]:
        """The variables whose distribution is known rather than taken as uniform for want of anything better."""
        return tuple(name for name, source in self.sources.items() if source == "frequencies")


def granted(
    schema: Schema, targets: Sequence[Target], knows: Knows, frequencies: Mapping[str, Floats] | None = None
) -> Knowledge:
    """The marginals that the scenario grants.

    frequencies: counts for every code, computed by whoever holds the data; otherwise the schema's own, then those that
    a released count of one variable gives away, then every possible value alike. Missing values are drawn only where
    frequencies say that there are any.
    """
    released = _released_counts(schema, targets)
    marginals, sources = {}, {}
    for variable in schema:
        source, counts = "uniform", (~variable.is_missing).astype(float)
        if knows != "nothing":
            if frequencies is not None and variable.name in frequencies:
                source, counts = "frequencies", np.asarray(frequencies[variable.name], dtype=float)
            elif variable.frequencies is not None:
                source, counts = "frequencies", variable.frequencies.astype(float)
            elif variable.name in released:
                source, counts = "output", released[variable.name]
        if not counts.sum() > 0:
            raise EmbedError(
                f"no value of {variable.name!r} is possible: its list is empty or all its frequencies are 0.",
                where=f"schema.{variable.name}",
                hint="List its possible values in the schema.",
            )
        marginals[variable.name], sources[variable.name] = counts / counts.sum(), source
    return Knowledge(marginals, sources)


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
