"""Record keys: a random number for each person, of which a cell's key is the sum."""

from __future__ import annotations

from dataclasses import replace

from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures
from divulge.outputs.output import Output
from divulge.table import Table


def with_keys(output: Output, figures: Figures, table: Table) -> Figures:
    """Counts with the sums of record keys, where the output's method asks for them and the table has them."""
    name = None if output.method is None else output.method.key_variable
    if name is None or name not in table.schema:
        return figures
    with in_field("method.keys"):
        numeric(table.schema, name)
    return replace(figures, keys=replace(output, weights=name, method=None).evaluate(table).values)
