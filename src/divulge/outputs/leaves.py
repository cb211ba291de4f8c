"""What trees share: leaves, each the condition that leads to it, and who is in which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Integers
from divulge.outputs.fields import in_field
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.lowering.rows import counted, weight_term
from divulge.outputs.output import Output
from divulge.settings import Entries
from divulge.table import Condition, Schema, Table


@dataclass(frozen=True, kw_only=True)
class Leaves(Output):
    """A fitted tree (Breiman et al. 1984) by its leaves. A row for which no leaf is true takes no part."""

    takes_weights: ClassVar[bool] = False

    response: Annotated[str, "The variable that the tree predicts."]
    variables: Annotated[tuple[str, ...], "The variables that the tree asks about.", Entries(differ=True)]
    leaves: Annotated[
        tuple[str, ...],
        "The condition of each leaf, as in `AGE <= 35.5 and SEX = 1`.",
        Entries(least=1, differ=True),
    ]

    def own_variables(self) -> tuple[str, ...]:
        return (self.response, *self.variables)

    def check_fields(self, schema: Schema) -> None:
        if self.response in self.variables:
            raise OutputError("the response cannot be asked about.", where="variables")
        for i, leaf in enumerate(self.leaves):
            with in_field(f"leaves[{i}]"):
                asked = Condition.parse(leaf, schema).variables
                lost = [name for name in asked if name not in self.variables]
                if lost:
                    raise unknown_variable(lost[0], self.variables)

    def leaf_of_row(self, table: Table) -> Integers:
        """The leaf of each row that counts; −1: none."""
        found = np.full(table.n_rows, -1, dtype=np.int64)
        for number, leaf in reversed(list(enumerate(self.leaves))):
            found[Condition.parse(leaf, table.schema).selects(table)] = number
        return np.where(counted(self, table, (self.response,)), found, -1)

    def leaf_terms(self, schema: Schema) -> Iterator[Term]:
        """One term a leaf: where its condition is true, the column of the leaf."""
        for number, leaf in enumerate(self.leaves):
            inside = weight_term(replace(self, where=leaf), schema)
            assert inside is not None, "a leaf is a condition"
            yield replace(inside, index=np.where(inside.index < 0, -1, number).astype(np.int32))

    def describe_as(self, what: str) -> str:
        """`Decision tree of ILL by AGE, SEX, 5 leaves.`"""
        text = f"{what} of {self.response} by {', '.join(self.variables)}, {len(self.leaves)} leaves"
        return text + (f", where {self.where}" if self.where else "") + "."
