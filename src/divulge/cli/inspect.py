"""`divulge inspect`: what was understood of a file, what looks wrong in it, and its schema to keep and edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.errors import UsageError
from divulge.table import Schema, Table, Variable, read_schema, read_table, write_schema
from divulge.table.lint.checks import lint
from divulge.table.lint.remark import Remark
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
    delimiter: Annotated[str | None, typer.Option(help="Of delimited text; detected where absent.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of delimited text; detected where absent.")] = None,
    json: JsonOption = False,
) -> None:
    """Say what was understood of a file, per variable, and what looks wrong.

    Only metadata are shown: kinds, possible values, ranges and counts. With --save-schema these become a file that
    can be edited, read with the data by --schema, or used in place of the data.
    """
    if marginals and save_schema is None:
        raise UsageError("--marginals goes into a saved schema.", hint="Add --save-schema S.json.")
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UsageError(f"a delimiter is one character, not {delimiter!r}.", hint='For example ";" or tab.')
    table = read_table(file, None if schema is None else read_schema(schema), delimiter=delimiter, encoding=encoding)
    remarks = lint(table)
    if save_schema is not None:
        write_schema(_with_marginals(table) if marginals else table.schema, save_schema)
    if json:
        screen.print_json(_as_json(table, remarks))
        return
    screen.show(f"{file}: {len(table):,} rows, {len(table.schema)} variables, {_size(table.n_bytes)} in memory")
    screen.show(_grid(table))
    _show_remarks(remarks)
    if save_schema is not None:
        screen.note(f"The schema is in {save_schema}. Edit it, and read the data with --schema {save_schema}.")


def _with_marginals(table: Table) -> Schema:
    """The table's schema with how many rows have each value and missing code."""
    return replace(
        table.schema, variables=tuple(replace(v, frequencies=table.frequencies(v.name)) for v in table.schema)
    )


def _as_json(table: Table, remarks: tuple[Remark, ...]) -> dict[str, Any]:
    """The document that --json prints."""
    return {
        "rows": len(table),
        "variables": [
            _described(v) | {"warnings": [_plain(r) for r in remarks if r.variable == v.name]} for v in table.schema
        ],
        "warnings": [{"variable": r.variable} | _plain(r) for r in remarks],
    }


def _plain(remark: Remark) -> dict[str, str]:
    return {"code": remark.code, "message": remark.message, "advice": remark.advice}


def _described(variable: Variable) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": variable.name,
        "kind": variable.kind,
        "values": variable.n_values,
        "missing": list(variable.missing),
    }
    if variable.title:
        described["title"] = variable.title
    if variable.kind == "numeric" and variable.n_values:
        described["range"] = [variable.values[0].item(), variable.values[-1].item()]
    elif variable.kind == "categorical" and variable.n_values <= _LISTED:
        described["labels"] = variable.display[: variable.n_values]
    return described


def _grid(table: Table) -> Grid:
    titled = any(v.title for v in table.schema)
    grid = Grid("variable", *(["title"] if titled else []), "kind")
    grid.add_column("values", justify="right")
    grid.add_column("range or levels", overflow="fold")
    grid.add_column("missing")
    for variable in table.schema:
        counts = table.frequencies(variable.name)[variable.n_values :]
        grid.add_row(
            variable.name,
            *([_shortened(variable.title or "", _TITLE)] if titled else []),
            variable.kind + (", ordered" if variable.is_ordered else ""),
            f"{variable.n_values:,}",
            _content(variable),
            ", ".join(f"{_missing(v)}: {n:,}" for v, n in zip(variable.missing, counts.tolist(), strict=True)) or "–",
        )
    return grid


def _missing(value: Any) -> str:
    return "empty" if value is None else value_text(value)


def _content(variable: Variable) -> str:
    if not variable.n_values:
        return "–"
    if variable.kind == "numeric":
        return f"{value_text(variable.values[0].item())} to {value_text(variable.values[-1].item())}"
    shown = [_shortened(t, 24) for t in variable.display[: min(_SHOWN, variable.n_values)]]
    return ", ".join(shown) + (", …" if variable.n_values > _SHOWN else "")


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
    """Remarks by their advice, so that what to do is said once for all variables that it concerns."""
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
