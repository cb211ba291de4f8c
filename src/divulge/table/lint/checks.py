"""What looks wrong in a table, and what to do about it. Remarks, never refusals: a person decides.

Here: the list of checks and what a remark is. The checks of one variable are in `numbers` and `texts`, those
of two in `pairs`. Remarks speak of possible values and counts, which are metadata, never of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from divulge.table.dates import may_be_month_first, month_first
from divulge.table.infer import parse_number
from divulge.table.lint.numbers import NUMBER_CHECKS
from divulge.table.lint.pairs import derived
from divulge.table.lint.remark import RARE, Remark
from divulge.table.lint.texts import TEXT_CHECKS
from divulge.table.occurrences import Occurrences
from divulge.table.table import Table

_CHECKS: tuple[Callable[[Occurrences], Iterator[Remark]], ...] = (
    lambda seen: _constant(seen),
    *NUMBER_CHECKS,
    *TEXT_CHECKS,
    lambda seen: _rare_levels(seen),
)
"""Every check of one variable that does not merely name the rows, in the order in which its remarks are shown."""

_WIDE = 100
"""Numbers that name rows are handed out one after the other; spread wider than this per row they may be amounts."""


def lint(table: Table) -> tuple[Remark, ...]:
    """All remarks on a table: those on the file first, then variable by variable."""
    seen = [Occurrences.of(v, c, table.people) for v, c in zip(table.schema, table.columns, strict=True)]
    remarks = list(_header(table))
    for variable in seen:
        pointing = list(_points_at_people(variable))
        remarks.extend(pointing)
        for check in () if pointing else _CHECKS:
            remarks.extend(check(variable))
    named = {r.variable for r in remarks if r.code in ("identifier", "free-text", "constant", *_POINTING)}
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


_POINTING = {
    "near-unique": (
        "{distinct} distinct texts in {rows} rows: most are shared by a handful of people at most.",
        "Put values together into levels, or take it out of the file: its values point at people.",
    ),
    "postcode": (
        "{distinct} distinct postcodes in {rows} rows: a few houses each.",
        "Keep the first part, or the area: a postcode and an age are a name.",
    ),
    "text": (
        "{distinct} distinct texts in {rows} rows, of several words each: free text.",
        "Take it out of the file: no table or model uses it, and people name themselves and others in it.",
    ),
}
"""What is said of a column by what it holds; the code of the remark is the same word, but for free text."""


def _points_at_people(seen: Occurrences) -> Iterator[Remark]:
    """Columns whose values are never told."""
    holds, name = seen.variable.holds, seen.variable.name
    if holds == "identifier":
        yield _identifier(seen)
    elif holds == "date":
        yield from _date(seen)
    elif holds in _POINTING:
        message, advice = _POINTING[holds]
        code = "free-text" if holds == "text" else holds
        yield Remark(code, name, message.format(distinct=f"{seen.n_distinct:,}", rows=f"{seen.n_valid:,}"), advice)


def _identifier(seen: Occurrences) -> Remark:
    """Whole numbers or short texts that nearly all differ, or that the column's name says are names."""
    share = "all different" if seen.n_distinct == seen.n_valid else "nearly all different"
    share = share if 2 * seen.n_distinct > seen.n_valid else "named like names of people"
    is_wide = not seen.is_text and int(seen.variable.values[-1]) - int(seen.variable.values[0]) > _WIDE * seen.n_valid
    if is_wide:
        what = "this names the rows, or is an amount to the last unit."
        advice = "Take it out if it names rows; round it if it is an amount. Either way it identifies people."
    else:
        what = "this names the rows."
        advice = "Take it out of the file: it identifies people, and nothing can be learnt from it."
    message = f"{seen.n_distinct:,} distinct values in {seen.n_valid:,} rows, {share}: {what}"
    return Remark("identifier", seen.variable.name, message, advice)


def _date(seen: Occurrences) -> Iterator[Remark]:
    name, written = seen.variable.name, seen.variable.date_format
    yield Remark(
        "date",
        name,
        f"dates, written {written}: {seen.n_distinct:,} different days in {seen.n_valid:,} rows.",
        "A day and an age find a person. Use bands of it: "
        f"derive: {{{name}_YEAR: year({name}), {name}_MONTH: month({name})}} in the spec, or age({name}, DAY).",
    )
    if may_be_month_first(seen.texts, written):
        yield Remark(
            "date-order",
            name,
            "no day is above 12, so the month may come first; it is read with the day first.",
            f'If the month comes first, write "type": "date", "format": "{month_first(written)}" for it in the schema.',
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
