"""`divulge report`: a record rendered again, in another format, without computing anything."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from divulge.record import read_record, write_bytes
from divulge.reports import REPORTS
from divulge.terminal.options import JsonOption
from divulge.terminal.result_folders import beside
from divulge.terminal.screen import screen

_Format = StrEnum("Format", {report.format: report.format for report in REPORTS})  # type: ignore[misc]


def run(
    record: Annotated[
        Path, typer.Argument(help="record.json of an assessment, or the folder that it is in.", show_default=False)
    ],
    format: Annotated[
        _Format,
        typer.Option("--format", "-f", help="html, markdown, json (the record), csv (its tables), or pdf."),
    ] = _Format("html"),
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where it goes; beside the record otherwise.", show_default=False
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write the report of an assessment anew, from its record.

    Nothing is computed: every figure is the record's.
    """
    path = find_record(record)
    others = beside(record) if record.is_dir() else []
    if others:
        screen.note(f"Assessments beside this one: {', '.join(map(str, others))}.")
    report = next(kind for kind in REPORTS if kind.format == format.value)()
    made = report.render(read_record(path))
    target = output if output is not None else path.with_name(f"report{report.suffix}")
    write_bytes(target, made if isinstance(made, bytes) else made.encode("utf-8"))
    if json:
        screen.print_json({"format": format.value, "file": str(target)})
    else:
        screen.show(str(target.resolve()))


def find_record(path: Path) -> Path:
    """The record that is meant: the file itself, or record.json in a folder."""
    return path / "record.json" if path.is_dir() else path
