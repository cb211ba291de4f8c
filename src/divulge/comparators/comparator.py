"""What a member of this room is: a frozen dataclass whose fields are its settings, with one method `synthesise`."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from divulge.errors import ComparatorError
from divulge.table import Table


class Comparator(Protocol):
    """A way to make synthetic rows from original rows.

    kind: the file's name. summary: one sentence. source: who described it.
    """

    kind: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]

    def synthesise(self, original: Table, n_rows: int | None, rng: np.random.Generator) -> Table:
        """Synthetic rows on the original's schema; as many as the original has, unless `n_rows` says otherwise.

        Edit rules are not enforced, since the methods compared do not: `broken_rules` counts what they break.
        """
        ...


def check_request(original: Table, n_rows: int | None) -> int:
    """How many rows are wanted; an error where there is nothing to learn from or nothing to make."""
    if not original.n_rows or not original.names:
        raise ComparatorError(
            f"an original with rows and columns is needed; this one has {original.n_rows} rows "
            f"and {len(original.names)} columns."
        )
    wanted = original.n_rows if n_rows is None else n_rows
    if wanted < 1:
        raise ComparatorError(f"at least 1 synthetic row must be asked for; {wanted} are.", where="n_rows")
    return wanted


def broken_rules(table: Table) -> dict[str, int]:
    """How many rows break each edit rule of the schema, by the rule as it is written."""
    return {rule.text: int(rule.broken(table).sum()) for rule in table.schema.parsed_rules()}
