"""What kinds share whose figures are one number for each pair of variables: fields, checks, labels, the triangle."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.output import Output
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class Paired(Output):
    """A correlation of each pair of numeric variables."""

    variables: Annotated[tuple[str, ...], "The variables, two at least."]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.variables)) != len(self.variables) or len(self.variables) < 2:
            raise OutputError("two different variables are needed at least.", where="variables")

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def check_fields(self, schema: Schema) -> None:
        for i, name in enumerate(self.variables):
            if name not in schema:
                raise unknown_variable(name, schema.names, where=f"variables[{i}]")
            with in_field(f"variables[{i}]"):
                numeric(schema, name)

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{a} & {b}" for a, b in combinations(self.variables, 2))

    def grid(self, schema: Schema) -> Grid:
        """The upper triangle of the matrix: every pair once."""
        n = len(self.variables)
        numbers = np.full((n, n), -1)
        numbers[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
        rows = [(name,) for name in self.variables[:-1]]
        return grid_of(("Variable",), rows, self.variables[1:], numbers[:-1, 1:])

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return -1.0, 1.0
