"""What the intruder is granted beside the outputs: how each variable is distributed, as far as that is public.

What is granted is computed on all rows, so it tells about people in and out of the data alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from divulge.errors import EmbedError
from divulge.kernels.arrays import Floats
from divulge.table import Schema, Variable

Knows = Literal[
    "nothing",
    "marginals",
    "predictors",
    "predictors of all but one",
    "predictors of a group",
    "earlier outputs",
]
"""`predictors`: the marginals, and everybody's predictors of a regression, or who is in which group; attacks make use
of these. `… of all but one`: of somebody in a regression they are not known. `… of a group`: whoever has a register of
some people only attacks what was computed from these alone, by `where` or in groups."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A probability for every code of every variable, and where it comes from (`frequencies`, `output`, `uniform`)."""

    marginals: Mapping[str, Floats]
    sources: Mapping[str, str]

    @property
    def known(self) -> tuple[str, ...]:
        """The variables whose distribution is known rather than taken as uniform for want of anything better."""
        return tuple(name for name, source in self.sources.items() if source == "frequencies")

    @classmethod
    def of(
        cls,
        schema: Schema,
        knows: Knows,
        frequencies: Mapping[str, Floats] | None = None,
        released: Mapping[str, Floats] | None = None,
    ) -> Knowledge:
        """The marginals that a scenario grants.

        frequencies: counts for every code, computed by whoever holds the data. Without them the schema's own count,
        then those that were released, then every possible value is as likely as any other. Missing values are drawn
        only where frequencies say that there are any.
        """
        marginals, sources = {}, {}
        for variable in schema:
            source, counts = "uniform", _possible(variable, frequencies is not None)
            if knows != "nothing":
                if frequencies is not None and variable.name in frequencies:
                    source, counts = "frequencies", np.asarray(frequencies[variable.name], dtype=float)
                elif variable.frequencies is not None:
                    source, counts = "frequencies", variable.frequencies.astype(float)
                elif variable.name in (released or {}):
                    source, counts = "output", np.asarray((released or {})[variable.name], dtype=float)
            if not counts.sum() > 0:
                raise EmbedError(
                    f"no value of {variable.name!r} is possible: its list is empty or all its frequencies are 0.",
                    where=f"schema.{variable.name}",
                    hint="List its possible values in the schema.",
                )
            marginals[variable.name], sources[variable.name] = counts / counts.sum(), source
        return cls(marginals, sources)


def _possible(variable: Variable, has_data: bool) -> Floats:
    """Every value alike. Where the data have no value at all in any row, a missing one is what can be drawn."""
    values = ~variable.is_missing
    return (values if values.any() or not has_data else ~values).astype(float)
