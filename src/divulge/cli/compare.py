"""`divulge compare`: several assessments side by side, with a map of risk and utility."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from divulge.cli.report import find_record
from divulge.errors import UsageError
from divulge.record import read_record, write_text
from divulge.reports.blocks import Source, plain
from divulge.reports.compare import compared, comparison, comparison_page
from divulge.terminal.options import JsonOption
from divulge.terminal.result_folders import beside
from divulge.terminal.screen import screen


def run(
    records: Annotated[
        list[Path],
        typer.Argument(
            help="Records, or the folders that they are in. The first is what the others are compared with. One folder "
            "alone is compared with those that have its name and a number.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write an HTML page with the map.", show_default=False),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Put assessments side by side: verdict, exposed people, risk, and what is left of the first one's figures.

    For an output and its safer versions: the best is the one that keeps the most among those that may be released.
    """
    if len(records) == 1 and records[0].is_dir():
        records = [records[0], *beside(records[0])]
    if len(records) < 2:
        raise UsageError("two records are needed at least, one is given.", hint="Name another record.json or folder.")
    paths = [find_record(path) for path in records]
    document = compared([(_name(path), read_record(path)) for path in paths])
    if output is not None:
        write_text(output, comparison_page(document))
    if json:
        screen.print_json({**document, "file": None if output is None else str(output)})
        return
    table = comparison(Source(document))
    grid = Grid(box=None, pad_edge=False)
    for i, title in enumerate(table.columns):
        grid.add_column(title, justify="right" if i in table.numbers else "left")
    for row in table.rows:
        grid.add_row(*map(plain, row))
    screen.show(grid)
    if output is not None:
        screen.show(str(output.resolve()))


def _name(path: Path) -> str:
    """What an assessment is called: its folder, as `divulge assess` made it, or its file where that says more."""
    return path.resolve().parent.name if path.name == "record.json" else path.stem
