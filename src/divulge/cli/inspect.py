"""`divulge inspect`: what was understood of a file, what looks wrong in it, and its schema to keep and edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.errors import UsageError
from divulge.record import dumps, write_text
from divulge.table import Table, Variable, read_schema, read_table
from divulge.table.lint.checks import lint
from divulge.table.lint.remark import Remark
from divulge.table.ranges import SMALLEST_GROUP
from divulge.table.shareable import Told, shareable_schema, told
from divulge.table.variable import value_text
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

_SHOWN = 4  # levels shown of a categorical variable
_TITLE = 40  # characters shown of a variable's title; the JSON document has it whole
_LISTED = 50  # labels given in the JSON document; a variable with more is described by their number


def run(
    file: Annotated[Path, typer.Argument(help="CSV, Parquet, SPSS, Stata or SAS.", show_default=False)],
    schema: Annotated[
        Path | None, typer.Option(metavar="S.json", help="What the columns are (Frictionless Table Schema).")
    ] = None,
    save_schema: Annotated[
        Path | None, typer.Option(metavar="S.json", help="Write what was understood as a schema, to edit.")
    ] = None,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Put how often each value occurs into the saved schema.")
    ] = False,
    private: Annotated[
        bool,
        typer.Option("--private", help="Tell levels and ranges that only few people have, too. Not to be sent."),
    ] = False,
    delimiter: Annotated[str | None, typer.Option(help="Of delimited text; detected where absent.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of delimited text; detected where absent.")] = None,
    json: JsonOption = False,
) -> None:
    """Say what was understood of a file, per variable, and what looks wrong.

    Only metadata are shown: kinds, levels, ranges and counts. Values that point at people (identifiers, names, texts,
    postcodes, dates) are never shown or written, rare levels only with --private. With --save-schema this becomes a
    file that can be sent, edited, read with the data by --schema, or used in place of the data.
    """
    if marginals and save_schema is None:
        raise UsageError("--marginals goes into a saved schema.", hint="Add --save-schema S.json.")
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UsageError(f"a delimiter is one character, not {delimiter!r}.", hint='For example ";" or tab.')
    given = None if schema is None else read_schema(schema)
    table = read_table(file, given, delimiter=delimiter, encoding=encoding)
    remarks = lint(table)
    found = told(table, given, private=private)
    if save_schema is not None:
        write_text(save_schema, dumps(shareable_schema(found, table.schema.rules, marginals=marginals)))
    if json:
        screen.print_json(_as_json(table, found, remarks))
        return
    screen.show(f"{file}: {len(table):,} rows, {len(table.schema)} variables, {_size(table.n_bytes)} in memory")
    screen.show(_grid(found))
    _show_remarks(remarks)
    if save_schema is not None:
        _tell_saved(save_schema, found, marginals, private)


def _tell_saved(path: Path, found: list[Told], marginals: bool, private: bool) -> None:
    """What the schema holds, and what it leaves out."""
    screen.note(f"The schema is in {path}. Edit it, and read the data with --schema {path}.")
    pointing = [f"{t.variable.name} ({t.variable.holds})" for t in found if t.variable.holds != "levels"]
    if pointing:
        screen.note(f"Written without values, because they point at people: {', '.join(pointing)}.")
    rare = [t for t in found if t.variable.holds == "levels" and t.n_kept_back]
    if rare:
        named = ", ".join(f"{t.variable.name} ({t.n_kept_back:,})" for t in rare)
        screen.note(
            f"Values that fewer than {SMALLEST_GROUP} rows have are left out, and ranges rounded outwards: {named}. "
            "--private writes them."
        )
    if marginals and (pointing or rare):
        screen.note("How often values occur is written only for variables of which all values are.")
    if private:
        screen.note("This schema tells what only few people have: it stays where the data are.")


def _as_json(table: Table, found: list[Told], remarks: tuple[Remark, ...]) -> dict[str, Any]:
    """The document that --json prints."""
    return {
        "rows": len(table),
        "variables": [
            _described(t) | {"warnings": [_plain(r) for r in remarks if r.variable == t.variable.name]} for t in found
        ],
        "warnings": [{"variable": r.variable} | _plain(r) for r in remarks],
    }


def _plain(remark: Remark) -> dict[str, str]:
    return {"code": remark.code, "message": remark.message, "advice": remark.advice}


def _described(one: Told) -> dict[str, Any]:
    variable = one.variable
    described: dict[str, Any] = {
        "name": variable.name,
        "kind": variable.kind,
        "holds": variable.holds,
        "values": variable.n_values,
        "missing": list(variable.missing),
    }
    if variable.title:
        described["title"] = variable.title
    if variable.date_format:
        described["format"] = variable.date_format
    if one.range is not None:
        described["range"] = list(one.range)
    elif variable.kind == "categorical" and variable.holds == "levels" and variable.n_values <= _LISTED:
        described["labels"] = one.texts
    if variable.holds == "levels" and one.n_kept_back:
        described["kept_back"] = one.n_kept_back
    return described


def _grid(found: list[Told]) -> Grid:
    titled = any(t.variable.title for t in found)
    grid = Grid("variable", *(["title"] if titled else []), "kind")
    grid.add_column("values", justify="right")
    grid.add_column("range or levels", overflow="fold")
    grid.add_column("missing")
    for one in found:
        variable = one.variable
        counts = one.frequencies[variable.n_values :]
        grid.add_row(
            variable.name,
            *([_shortened(variable.title or "", _TITLE)] if titled else []),
            _kind(variable),
            f"{variable.n_values:,}",
            _content(one),
            ", ".join(f"{_missing(v)}: {n:,}" for v, n in zip(variable.missing, counts.tolist(), strict=True)) or "–",
        )
    return grid


def _kind(variable: Variable) -> str:
    if variable.holds == "levels":
        return variable.kind + (", ordered" if variable.is_ordered else "")
    return f"date, {variable.date_format}" if variable.holds == "date" else variable.holds


def _missing(value: Any) -> str:
    return "empty" if value is None else value_text(value)


def _content(one: Told) -> str:
    variable = one.variable
    if not variable.n_values:
        return "–"
    if variable.holds != "levels":
        return "not shown"
    if one.range is not None:
        low, high = one.range
        return f"{value_text(low)} to {value_text(high)}"
    texts = one.texts
    shown = [_shortened(t, 24) for t in texts[:_SHOWN]] + (["…"] if len(texts) > _SHOWN else [])
    if one.n_kept_back:
        shown.append(f"{one.n_kept_back:,} rare not shown")
    return ", ".join(shown)


def _shortened(text: str, length: int) -> str:
    """On one line, and no longer than that."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"


def _size(n_bytes: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:,.0f} {unit}"
        n_bytes = n_bytes // 1000
    return f"{n_bytes:,} GB"


def _show_remarks(remarks: tuple[Remark, ...]) -> None:
    """Remarks by their advice, so that each advice is given once for all its variables."""
    if not remarks:
        screen.note("Nothing looks wrong.")
        return
    screen.show(f"\nWhat looks wrong ({len(remarks)}):")
    by_code: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_code.setdefault(remark.code, []).append(remark)
    for code, group in by_code.items():
        screen.show(f"\n  {code}")
        for remark in group:
            screen.show(f"    {remark.variable}: {remark.message}" if remark.variable else f"    {remark.message}")
        advices = list(dict.fromkeys(r.advice for r in group))
        for advice in advices if len(advices) <= _SHOWN else [*advices[:1], "… and likewise for the others."]:
            screen.show(f"    → {advice}")
