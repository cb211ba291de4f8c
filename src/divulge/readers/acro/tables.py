"""Tables of a folder (crosstab, pivot_table) as outputs: counts, means and other statistics, their margins.

With suppression ACRO computes margins anew without the rows of withheld cells (checked against its own folders), so
that the margins of counts say nothing beyond the cells that are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

from divulge.errors import OutputError
from divulge.outputs import OUTPUTS, Output
from divulge.readers.acro.commands import Call, Series, constant, parse_call, rows_of, series_of
from divulge.readers.acro.folder import Entry, Folder
from divulge.readers.acro.grids import Grid, read_grid
from divulge.table import Schema, Variable

METHODS = frozenset({"crosstab", "pivot_table"})

DECIMALS = 6
"""Means are written with all their digits (2.5 is exact). In groups of fewer than half a million rows six decimals tell
one from the next, and two programs that add floats in different orders still agree on them."""

KINDS: Mapping[str, tuple[type[Output], Mapping[str, Any]]] = {
    name: (kind, fields) for kind in OUTPUTS for name, fields in kind.acro.items()
}
"""Aggregates of pandas and ACRO: the kind of output, and its fields."""

COUNTS = ("count", "size", "")
THRESHOLD_CHECKS = frozenset({"threshold", "MinimumThresholdCheck", "PresenceOfZeroCheck"})

Key = tuple[str, ...]


@dataclass(frozen=True)
class _Plan:
    """What the command and the folder say of a table."""

    columns: tuple[str, ...]
    values: tuple[str, ...]
    statistic: str
    margin: str
    normalise: object
    where: str | None
    notes: tuple[str, ...] = ()


def read_table_entry(entry: Entry, folder: Folder, schema: Schema) -> tuple[list[Output], list[str]]:
    """The outputs of a table and remarks on how it was read; OutputError says why it cannot be."""
    grid = read_grid(entry.files[0], schema.names)
    plan = _plan(entry, grid, schema)
    levels = _levels(grid, plan, schema)
    cells = _cells(grid, plan, levels, schema)
    outputs: list[Output] = []
    notes = list(plan.notes)
    for (statistic, value), shown in cells.items():
        if value and not statistic and not plan.statistic:
            raise OutputError("which statistic it shows cannot be read from its command.")
        by = (*grid.row_names, *(n for n, role in levels if role == "variable"))
        part = _Part(entry, folder, schema, plan, statistic or plan.statistic, value, by, len(grid.row_names), shown)
        outputs += part.outputs(notes)
    if not outputs:
        raise OutputError("no cell of it could be read.")
    return outputs, notes


def _plan(entry: Entry, grid: Grid, schema: Schema) -> _Plan:
    call = parse_call(entry.command, METHODS)
    notes = []
    if call is None or not (call.places or call.names):
        call = None
        notes.append("Its command could not be read; its variables are taken from the folder and from the file.")
    asked = _asked(call)
    is_pivot = (call.method if call else entry.method) == "pivot_table"
    columns, values = asked["columns"], asked["values"]
    if not asked["is_known"]:
        raise OutputError(f"which rows it is computed on cannot be read from its command: {entry.command[:120]!r}.")
    named = [n for n in entry.independent if n in schema]
    rest = tuple(n for n in named if n not in grid.row_names)
    columns = tuple(n for n in columns if n in schema) if call and not _unknown(columns, schema) else rest
    values = tuple(n for n in values if n in schema) if values else ()
    if not values and entry.dependent is not None and entry.dependent in schema:
        values = (entry.dependent,)
    statistic = asked["statistic"] or ("mean" if is_pivot else "")
    return _Plan(columns, values, statistic, asked["margin"], asked["normalise"], asked["where"], tuple(notes))


def _unknown(names: Sequence[str], schema: Schema) -> bool:
    return any(name not in schema for name in names)


def _asked(call: Call | None) -> dict[str, Any]:
    """What the arguments of a call say."""
    found: dict[str, Any] = {"columns": (), "values": (), "statistic": "", "margin": "All", "normalise": False}
    if call is None:
        return {**found, "where": None, "is_known": True}
    if call.method == "crosstab":
        parts = [series_of(call.argument(i, n)) for i, n in enumerate(("index", "columns", "values"))]
        where = {p.where for p in parts if p.where is not None}
        # A series that is held in a variable of another name is no obstacle: the file names its levels.
        is_known = all(p.is_known for p in parts) and len(where) < 2
        columns, values, aggregate = parts[1].names, parts[2].names, call.argument(5, "aggfunc")
        condition = next(iter(where), None)
    else:
        values, columns = series_of(call.argument(1, "values")).names, series_of(call.argument(3, "columns")).names
        condition, is_known = rows_of(call.argument(0, "data"))
        aggregate = call.argument(4, "aggfunc")
    if aggregate is not None:
        given = constant(aggregate)
        named = series_of(aggregate) if given is None else Series(())
        if isinstance(given, str):
            found["statistic"] = given
        elif given is None and named.is_known and len(named.names) == 1:
            found["statistic"] = named.names[0]  # np.mean, or a name such as mean
    margin = constant(call.names.get("margins_name"))
    return {
        **found,
        "columns": columns,
        "values": values,
        "margin": margin if isinstance(margin, str) else "All",
        "normalise": constant(call.names.get("normalize")) or False,
        "where": condition,
        "is_known": is_known,
    }


def _levels(grid: Grid, plan: _Plan, schema: Schema) -> list[tuple[str, str]]:
    """What each header line holds: a variable of the data, the name of a statistic, or the name of a value."""
    found: list[tuple[str, str]] = []
    left = [n for n in plan.columns if n not in grid.level_names]
    for i, name in enumerate(grid.level_names):
        labels = {column[i] for column in grid.columns} - {"", plan.margin}
        if name in schema:
            found.append((name, "variable"))
        elif labels and labels <= set(KINDS):
            found.append(("", "statistic"))
        elif labels and labels <= set(plan.values):
            found.append(("", "value"))
        elif left:
            found.append((left.pop(0), "variable"))
        else:
            raise OutputError("which variable its columns are cannot be read from its command.")
    return found


def _cells(
    grid: Grid, plan: _Plan, levels: Sequence[tuple[str, str]], schema: Schema
) -> dict[tuple[str, str], dict[tuple[Key | None, Key | None], str]]:
    """For each statistic and value the cells by levels of rows and of columns; None: the margin over these."""
    names = [name for name, role in levels if role == "variable"]
    found: dict[tuple[str, str], dict[tuple[Key | None, Key | None], str]] = {}
    columns: list[tuple[str, str, Key | None]] = []
    for labels in grid.columns:
        given = {role: label for label, (_, role) in zip(labels, levels, strict=True)}
        of_variables = [label for label, (_, role) in zip(labels, levels, strict=True) if role == "variable"]
        place = _place(of_variables, names, plan.margin, schema)
        columns.append((given.get("statistic", ""), given.get("value", ""), place))
    for labels, cells in zip(grid.rows, grid.cells, strict=True):
        row = _place(labels, grid.row_names, plan.margin, schema)
        for (statistic, value, column), text in zip(columns, cells, strict=True):
            key = (statistic, value or (plan.values[0] if plan.values else ""))
            found.setdefault(key, {})[(row, column)] = text.strip()
    return found


def _place(labels: Sequence[str], names: Sequence[str], margin: str, schema: Schema) -> Key | None:
    """The values that labels stand for, as the data write them; None for a margin."""
    if not names:
        return ()
    if labels[0] == margin and _value_text(schema[names[0]], labels[0]) is None:
        return None
    found = [_value_text(schema[name], label) for name, label in zip(names, labels, strict=True)]
    for name, text in zip(names, found, strict=True):
        if text is None:
            raise OutputError(f"it has a level that {name!r} has not in the data.")
    return tuple(str(text) for text in found)


def _value_text(variable: Variable, label: str) -> str | None:
    """A level as the data write it: pandas writes 1 as 1.0 where values are missing, and truth as True."""
    candidates = [label]
    if label.endswith(".0"):
        candidates.append(label[:-2])
    candidates += {"True": ["1", "true", "TRUE"], "False": ["0", "false", "FALSE"]}.get(label, [])
    for text in candidates:
        code = variable.code(text)
        if code is not None and code < variable.n_values:
            return variable.texts[code]
    return None


@dataclass(frozen=True)
class _Part:
    """One statistic of a table, with the cells that show it."""

    entry: Entry
    folder: Folder
    schema: Schema
    plan: _Plan
    statistic: str
    value: str
    by: tuple[str, ...]
    n_rows: int  # so many of `by` are in the rows, the others in the columns
    shown: Mapping[tuple[Key | None, Key | None], str]

    def outputs(self, notes: list[str]) -> Iterator[Output]:
        inside = {r + c: t for (r, c), t in self.shown.items() if r is not None and c is not None}
        margins = {place: t for place, t in self.shown.items() if None in place}
        if self.statistic in COUNTS:
            yield self._counts(inside)
            yield from self._count_margins(inside, margins, notes)
            return
        if self.statistic not in KINDS:
            raise OutputError(f"the statistic {self.statistic[:40]!r} is not one that Divulge knows.")
        if not self.value:
            raise OutputError("which variable its cells are about cannot be read from its command.")
        yield self._numbers(self.by, inside, self.plan.where, "")
        withheld = [key for key, text in inside.items() if not text] if self.entry.is_suppressed else []
        where = _without(self.by, withheld, self.plan.where)
        for names, places, called in self._sides(margins):
            yield self._numbers(names, places, where, called)

    def _sides(self, margins: Mapping[tuple[Key | None, Key | None], str]) -> Iterator[tuple[Key, dict[Key, str], str]]:
        """The margins: over the columns, over the rows, over all; each with its variables, cells and a name."""
        by_rows = {r: t for (r, c), t in margins.items() if r is not None and r}
        by_columns = {c: t for (r, c), t in margins.items() if r is None and c}
        whole: dict[Key, str] = dict(((), t) for (r, c), t in margins.items() if r is None and not c)  # noqa: C402
        rows, columns = self.by[: self.n_rows], self.by[self.n_rows :]
        for names, places in ((rows, by_rows), (columns, by_columns), ((), whole)):
            if places:
                yield names, places, f"margin by {' × '.join(names)}" if names else "margin of all"

    def _label(self, key: Key, names: Sequence[str]) -> str:
        return " & ".join(f"{name}={text}" for name, text in zip(names, key, strict=True))

    def _called(self, more: str) -> str:
        said = [s for s in (self.statistic if self.statistic not in COUNTS else "", more) if s]
        return f"{self.entry.name}: {', '.join(said)}" if said else self.entry.name

    def _counts(self, cells: Mapping[Key, str], names: Sequence[str] | None = None, called: str = "") -> Output:
        names = self.by if names is None else names
        statistic = _share(self.plan.normalise, self.n_rows, len(self.by) - self.n_rows)
        released: dict[str, Any] = {}
        for key in _every(self.schema, names):
            # A combination that nobody has is left out by pandas; one that is withheld is an empty cell.
            text = cells.get(key, "0")
            released[self._label(key, names)] = _number(text) if text else None
        fields: dict[str, Any] = {"variables": tuple(names), "statistic": statistic}
        is_withheld = None in released.values()
        if statistic == "counts":
            fields["decimals"] = 0
            if self.entry.mitigation == "round" and self.folder.base:
                fields |= {"decimals": None, "base": self.folder.base}
            if is_withheld and self._by_threshold() and self.folder.threshold:
                fields["threshold"] = self.folder.threshold
        else:
            fields["decimals"] = DECIMALS
        return _output(KINDS["count"][0], self._called(called), released, self._where(self.value), fields)

    def _where(self, counted: str) -> str | None:
        """Counts of values that may be missing are counts of the rows where they are not."""
        if not counted or not self.schema[counted].missing or self.statistic == "size":
            return self.plan.where
        known = f"not (`{counted}` is missing)"
        return known if self.plan.where is None else f"({self.plan.where}) and {known}"

    def _by_threshold(self) -> bool:
        """Whether cells are withheld for being small, and for no other reason."""
        others = [places for check, places in self.entry.flagged.items() if check not in THRESHOLD_CHECKS]
        return any(self.entry.flagged.values()) and not any(others)

    def _count_margins(
        self, inside: Mapping[Key, str], margins: Mapping[tuple[Key | None, Key | None], str], notes: list[str]
    ) -> Iterator[Output]:
        if not margins:
            return
        if self.plan.normalise:
            notes.append("Its margins are left out: they follow from the shares, up to rounding.")
            return
        told = []
        for names, places, called in self._sides(margins):
            at = [self.by.index(name) for name in names]
            sums = dict.fromkeys(places, Decimal(0))
            for key, text in inside.items():
                side = tuple(key[i] for i in at)
                if text and side in sums:
                    sums[side] += _number(text)
            # The number of all rows is known to everybody, and no crosstab.
            if names and any(text and _number(text) != sums[side] for side, text in places.items()):
                told.append((names, places, called))
        if not told:
            notes.append("Its margins are the sums of the cells that it shows, and say nothing beyond them.")
        for names, places, called in told:
            yield self._counts(places, names, called)

    def _numbers(self, names: Key, cells: Mapping[Key, str], where: str | None, called: str) -> Output:
        kind, fields = KINDS[self.statistic]
        more: dict[str, Any] = {"variables": (self.value,), "by": names, "empty": "allow", **fields}
        texts = [cells.get(key, "") for key in _every(self.schema, names)]
        labels = kind(**more).labels(self.schema)
        released = {label: _number(text) if text else None for label, text in zip(labels, texts, strict=True)}
        decimals = 0 if kind.stays_whole and _are_whole([t for t in texts if t]) else DECIMALS
        return _output(kind, self._called(called), released, where, {**more, "decimals": decimals})


def _output(
    kind: type[Output], name: str, released: Mapping[str, Any], where: str | None, fields: dict[str, Any]
) -> Output:
    if all(value is None for value in released.values()):
        raise OutputError("every cell of it is withheld, so that it says nothing.")
    decimals = fields.get("decimals")
    if isinstance(decimals, int):
        # Digits beyond those that any recomputation has in common are noise.
        released = {k: v if v is None else round(v, decimals) for k, v in released.items()}
    return kind(name=name, where=where, released={k: _plain(v) for k, v in released.items()}, **fields)


def _plain(value: Any) -> Any:
    return None if value is None else str(value)


def _every(schema: Schema, names: Sequence[str]) -> Iterator[Key]:
    """Every combination of the values of some variables, as texts."""
    return product(*(schema[name].texts[: schema[name].n_values] for name in names))


def _number(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise OutputError("a cell of it is not a number.")
    return found


def _are_whole(texts: Sequence[str]) -> bool:
    return all(_number(t) == _number(t).to_integral_value() for t in texts)


def _share(normalise: object, n_rows: int, n_columns: int) -> str:
    if normalise in (False, None):
        return "counts"
    if normalise in (True, "all"):
        return "proportions"
    if normalise in ("index", 0) and n_columns == 1:
        return "row proportions"
    if normalise in ("columns", 1) and n_rows == 1:
        return "column proportions"
    raise OutputError("shares within several variables of rows or columns are not known.")


def _without(names: Sequence[str], withheld: Sequence[Key], where: str | None) -> str | None:
    """A condition that leaves out the rows of withheld cells."""
    parts = [] if where is None else [f"({where})"]
    for key in withheld:
        cell = " and ".join(f'`{name}` = "{text}"' for name, text in zip(names, key, strict=True))
        parts.append(f"not ({cell})")
    return " and ".join(parts) or None
