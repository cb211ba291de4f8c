"""People who are alike held once, with how many they are: what is worked out from counts costs what these rows cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from divulge.kernels.arrays import Codes, Integers, Mask
from divulge.table.table import Table

_ROOM = 1 << 62
"""Numbers of rows stay below this; one bit short of what int64 holds, so that no intermediate sum overflows."""


def condense(table: Table) -> Table:
    """The different rows, in the order of their codes, each with how many people have it.

    The order of the rows before does not show: two copies of the same people in another order become the same table.
    """
    _, first, row, counts = np.unique(_numbers(table), return_index=True, return_inverse=True, return_counts=True)
    if table.people is not None:
        # Sums of whole numbers below 2⁵³ are exact in floats.
        counts = np.bincount(row, table.people, minlength=len(first)).astype(np.int64)
    return Table(table.schema, tuple(column[first] for column in table.columns), counts)


def expand(table: Table) -> Table:
    """One row for each person again."""
    if table.people is None:
        return table
    return Table(table.schema, tuple(np.repeat(column, table.people) for column in table.columns))


def pieces(table: Table, size: int) -> Iterator[tuple[Codes, ...]]:
    """The codes of a row for each person, at most so many rows at a time: all of them are never held together."""
    if table.people is None:
        for start in range(0, table.n_rows, size):
            yield tuple(column[start : start + size] for column in table.columns)
        return
    up_to = np.concatenate([[0], np.cumsum(table.people)])
    for start in range(0, int(up_to[-1]), size):
        person = np.arange(start, min(start + size, int(up_to[-1])))
        row = np.searchsorted(up_to, person, side="right") - 1
        yield tuple(column[row] for column in table.columns)


def opened(table: Table, most: int) -> tuple[Table, Integers]:
    """A row for each person again, but of each row no more than so many; and the row that each was.

    Whoever asks for groups of fewer people finds the same groups.
    """
    if table.people is None:
        return table, np.arange(table.n_rows)
    row = np.repeat(np.arange(table.n_rows), np.minimum(table.people, most))
    return Table(table.schema, tuple(column[row] for column in table.columns)), row


def found_in(table: Table, rows: Table) -> Mask:
    """Which rows of a table are, in the variables of some other rows of the same schema, among these."""
    return np.isin(_numbers(table.select(rows.names)), _numbers(rows))


def drawn_half(table: Table, rng: np.random.Generator) -> tuple[Table, Table]:
    """Condensed people halved at random: who is in, and who is out.

    Of each row so many are in as of a random half of the people would be (multivariate hypergeometric).
    """
    inside = half_of(table, rng)
    assert table.people is not None, "condensed"
    return with_people(table, inside), with_people(table, table.people - inside)


def half_of(table: Table, rng: np.random.Generator) -> Integers:
    """How many of each row are in a random half of the people."""
    assert table.people is not None, "condensed"
    return rng.multivariate_hypergeometric(table.people, table.n_people // 2, method="marginals")


def with_people(table: Table, people: Integers) -> Table:
    """The rows with so many people each; without those that have nobody."""
    kept = people > 0
    return Table(table.schema, tuple(column[kept] for column in table.columns), people[kept])


def _numbers(table: Table) -> Integers:
    """A number for every row: equal where rows are, and in the order of their codes."""
    number, size = np.zeros(table.n_rows, dtype=np.int64), 1
    for variable, column in zip(table.schema, table.columns, strict=True):
        if size * variable.n_codes >= _ROOM:
            # More combinations are possible than 64 bits can number, but no more occur than there are rows.
            seen, number = np.unique(number, return_inverse=True)
            size = len(seen)
        number = number * variable.n_codes + column
        size *= variable.n_codes
    return number
