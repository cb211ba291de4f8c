"""What looks wrong in a table, and what to do about it. Remarks, never refusals: a person decides.

Here: the list of checks and what a remark is. The checks of one variable are in `numbers` and `texts`, those
of two in `pairs`. Remarks speak of possible values and counts, which are metadata, never of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from divulge.table.infer import parse_number
from divulge.table.lint.numbers import coded_categories, coded_missings, outliers
from divulge.table.lint.pairs import derived
from divulge.table.lint.remark import RARE, Occurrences, Remark
from divulge.table.lint.texts import decimal_commas, free_text, mixed_types, na_levels, padded
from divulge.table.table import Table

_CHECKS: tuple[Callable[[Occurrences], Iterator[Remark]], ...] = (
    lambda seen: _constant(seen),
    coded_missings,
    outliers,
    coded_categories,
    free_text,
    decimal_commas,
    mixed_types,
    na_levels,
    padded,
    lambda seen: _rare_levels(seen),
)
"""Every check of one variable that does not merely name the rows, in the order in which its remarks are shown."""

_ENOUGH_ROWS = 20  # with fewer rows nearly every column is distinct
_DISTINCT = 0.98
"""A column with at least this share of distinct values names rows. Measured amounts repeat more often than that."""

_WIDE = 100
"""Numbers that name rows are handed out one after the other; spread wider than this per row they may be amounts."""


def lint(table: Table) -> tuple[Remark, ...]:
    """All remarks on a table: those on the file first, then variable by variable."""
    seen = [Occurrences.of(v, c) for v, c in zip(table.schema, table.columns, strict=True)]
    remarks = list(_header(table))
    for variable in seen:
        names_rows = list(_identifier(variable))
        remarks.extend(names_rows)
        for check in () if names_rows else _CHECKS:
            remarks.extend(check(variable))
    named = {r.variable for r in remarks if r.code in ("identifier", "free-text", "constant")}
    return (*remarks, *derived(table, [s for s in seen if s.variable.name not in named]))


def _header(table: Table) -> Iterator[Remark]:
    numbers = sum(parse_number(n) is not None for n in table.names)
    if len(table.names) > 1 and 2 * numbers > len(table.names):
        yield Remark(
            "no-header",
            None,
            f"{numbers} of {len(table.names)} column names are numbers: the first row may be data.",
            "Add a row of names at the top of the file.",
        )


def _identifier(seen: Occurrences) -> Iterator[Remark]:
    """Whole numbers or short texts that nearly all differ: they name rows."""
    if seen.n_valid < _ENOUGH_ROWS or seen.n_distinct < _DISTINCT * seen.n_valid or seen.is_free_text:
        return
    if seen.variable.values.dtype.kind == "f":
        return
    share = "all" if seen.n_distinct == seen.n_valid else "nearly all"
    is_wide = not seen.is_text and int(seen.variable.values[-1]) - int(seen.variable.values[0]) > _WIDE * seen.n_valid
    if is_wide:
        what = "this names the rows, or is an amount to the last unit."
        advice = "Take it out if it names rows; round it if it is an amount. Either way it identifies people."
    else:
        what = "this names the rows."
        advice = "Take it out of the file: it identifies people, and nothing can be learnt from it."
    yield Remark(
        "identifier",
        seen.variable.name,
        f"{seen.n_distinct:,} distinct values in {seen.n_valid:,} rows, {share} different: {what}",
        advice,
    )


def _constant(seen: Occurrences) -> Iterator[Remark]:
    if seen.n_distinct == 1 and seen.n_valid == seen.n_rows > 1:
        yield Remark(
            "constant", seen.variable.name, "every row has the same value.", "Leave it out: it tells nothing apart."
        )
    elif seen.n_distinct == 0:
        yield Remark("constant", seen.variable.name, "every row is missing.", "Leave it out: it holds nothing.")


def _rare_levels(seen: Occurrences) -> Iterator[Remark]:
    """Levels with a handful of rows, in variables whose values are levels rather than measurements or names."""
    if not (seen.variable.kind == "categorical" or seen.has_few_integers):
        return
    if seen.n_distinct > seen.n_valid / RARE:
        return
    rare = int(((seen.counts > 0) & (seen.counts < RARE)).sum())
    if rare and seen.n_distinct > 1:
        levels = "1 level has" if rare == 1 else f"{rare:,} levels have"
        yield Remark(
            "rare-level",
            seen.variable.name,
            f"{levels} fewer than {RARE} rows (of {seen.n_distinct:,} levels).",
            "Put rare levels together with others: people in them are easily picked out.",
        )
