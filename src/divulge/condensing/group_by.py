"""What a source gives, as a table: every row, or people who are alike held once with how many they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from divulge.errors import (
    BrokenRuleError,
    HeaderOnlyError,
    MissingColumnsError,
    OutsideCategoriesError,
    SourceError,
)
from divulge.kernels.arrays import Integers
from divulge.table import Schema, Table
from divulge.table.build import build_table, check_columns
from divulge.table.files.arrow_columns import found_from_arrow

MOST_DIFFERENT = 10_000_000
"""Different rows up to which people are held by combinations: these come into memory, some 40 bytes each."""

MANY = 200_000
"""People from which a file is condensed. Below, a row for each costs little, and answers stay as they were."""

Wanted = Callable[[Sequence[str]], Sequence[str]]
"""Of the columns that there are, those that are needed."""


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def grouped(names: Sequence[str], relation: str) -> str:
    """The statement that counts people who are alike. Columns are called v0, v1 …, their number n."""
    columns = ", ".join(f"{quoted(name)} AS v{i}" for i, name in enumerate(names))
    places = ", ".join(str(i + 1) for i in range(len(names)))
    return f"SELECT {columns}, count(*) AS n FROM {relation} GROUP BY {places} LIMIT {MOST_DIFFERENT + 1}"


def every_row(names: Sequence[str], relation: str) -> str:
    """The statement that gives every row, in an order that does not depend on how it is read."""
    columns = ", ".join(f"{quoted(name)} AS v{i}" for i, name in enumerate(names))
    return f"SELECT {columns} FROM {relation} ORDER BY {', '.join(str(i + 1) for i in range(len(names)))}"


def as_table(found: pa.Table, names: Sequence[str], schema: Schema | None, carried: Schema | None = None) -> Table:
    """What one of the statements gave. schema: what the columns are; carried: what the files themselves say of them."""
    if not found.num_rows:
        raise HeaderOnlyError(f"there are {len(names)} columns and no rows.")
    people: Integers | None = None
    if "n" in found.column_names:
        people = found.column("n").cast(pa.int64()).to_numpy()
    check_columns(names, schema)

    def built(known: Schema | None) -> Table:
        columns = (found_from_arrow(name, found.column(f"v{i}")) for i, name in enumerate(names))
        return build_table(columns, known, people)

    table = None
    if schema is None and carried is not None:
        try:
            table = built(carried)
        except (MissingColumnsError, OutsideCategoriesError, BrokenRuleError):
            # Another program changed the rows and kept what we had noted about them: the rows count.
            table = None
    table = built(schema) if table is None else table
    # 57 and 57.0, or an empty text and nothing at all, may have become the same code.
    return table if people is None else table.condensed()


def check_few(found: pa.Table, names: Sequence[str], n_distinct: Callable[[str], int]) -> None:
    """Raise where people have too many different rows to be held by combinations. n_distinct: of a column."""
    if found.num_rows <= MOST_DIFFERENT:
        return
    counts: dict[str, int] = {name: n_distinct(name) for name in names}
    worst = max(counts, key=lambda name: counts[name])
    raise SourceError(
        f"{', '.join(names)} have more than {MOST_DIFFERENT:,} different combinations; {worst!r} alone has about "
        f"{counts[worst]:,} different values.",
        hint=f"Leave {worst!r} out of the outputs and of the scenario, or put its values into bands.",
    )


def fetched(connection: Any, statement: str, parameters: Sequence[Any] = ()) -> pa.Table:
    """What DuckDB answers."""
    return connection.sql(statement, params=list(parameters)).to_arrow_table()
