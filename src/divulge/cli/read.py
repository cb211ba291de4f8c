"""`divulge read`: a folder as it was handed in, read file by file, with a spec of what the data confirm."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.record import write_text
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

if TYPE_CHECKING:
    from divulge.readers.handed_in.folder import FolderRead


def run(
    folder: Annotated[Path, typer.Argument(help="The folder, or the file, that was handed in.", show_default=False)],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="The data that the outputs were computed on.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="SPEC", help="Where the spec goes (YAML).", show_default=False),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="A schema of the data; inferred where absent.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Read what researchers hand in: logs, consoles, workbooks, documents, pages.

    Every table and model that is recognised is computed again from the data. What agrees to the printed digit is
    confirmed and goes into the spec, with file and lines; what does not is named, figure by figure.
    """
    from divulge.errors import UsageError
    from divulge.readers.handed_in.folder import read_folder
    from divulge.readers.handed_in.telling import as_json
    from divulge.spec.handed_in import spec_text
    from divulge.table import read_schema, read_table

    table = None if data is None else read_table(data, None if schema is None else read_schema(schema))
    if output is not None and table is None:
        raise UsageError("a spec needs data.", where="--output", hint="Name the data with --data.")
    ignored = frozenset(p.name for p in (data, schema) if p is not None and p.resolve().parent == folder.resolve())
    found = read_folder(folder, table, ignored)
    if output is not None and table is not None and data is not None:
        named = [None if p is None else _from(output, p) for p in (data, schema)]
        write_text(output, spec_text(found, table, str(named[0]), named[1]))
    if json:
        screen.print_json({**as_json(found), **({"spec": str(output)} if output is not None else {})})
        return
    _show(found)
    if output is not None:
        screen.show(f"Spec: {output.resolve()}")


def _from(spec: Path, file: Path) -> str:
    """How a spec names a file: from its own folder, unless the file was named from the root."""
    return str(file) if file.is_absolute() else relpath(file, spec.parent)


def _show(found: FolderRead) -> None:
    """A line for each output, then what was not read and what else was found."""
    from divulge.readers.handed_in.telling import as_json

    told = as_json(found)
    grid = Grid("file", "lines", "what it is", "figures that agree", "confirmed", box=None, pad_edge=False)
    for one in told["outputs"]:
        lines = f"{one['lines'][0]}–{one['lines'][1]}"
        agree = f"{one['agreeing']} of {one['compared']}"
        grid.add_row(one["file"], lines, _described(one), agree, "yes" if one["confirmed"] else "NO")
    screen.show(grid)
    for one in told["outputs"]:
        if not one["confirmed"]:
            screen.show(f"{one['file']}, line {one['lines'][0]}: {one['note']}{_named(one['disagreeing'])}.")
        elif one["not_compared"]:
            left = f"{len(one['not_compared'])} figures were not computed again{_named(one['not_compared'])}"
            screen.show(f"{one['file']}, line {one['lines'][0]}: {left}.")
    for file in told["files"]:
        if file["status"] in ("no outputs", "not read"):
            screen.show(f"{file['file']}: {'; '.join(file['reasons']) or 'no output was recognised in it'}.")
    for part in told["unread"]:
        if "lines" in part:
            screen.show(f"{part['file']}, lines {part['lines'][0]}–{part['lines'][1]}: {part['reason']}.")
    for find in told["finds"]:
        screen.show(f"{find['file']}, line {find['line']}: {find['what']}.")


def _described(one: dict[str, Any]) -> str:
    what = one.get("formula") or " × ".join([*one.get("variables", []), *one.get("by", [])])
    return f"{one['kind']}: {what}" + (f", where {one['where']}" if one["where"] else "")


def _named(labels: list[str]) -> str:
    return f": {', '.join(labels[:5])}{', …' if len(labels) > 5 else ''}" if labels else ""
