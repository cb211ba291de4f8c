"""`divulge demo`: list the data to play with, write them as files, or run the main job on them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from divulge.demo import DEMOS, Demo
from divulge.demo.cps import attribution
from divulge.errors import UsageError
from divulge.record import make_folder, write_text
from divulge.table import Table, write_schema, write_table
from divulge.terminal.demo_job import run_job
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen


def run(
    write: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all of them into this folder, as CSV with their schemas.")
    ] = None,
    job: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="DIR", help="Assess a safe and an unsafe output of two of them, into this folder."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the data that come with Divulge to play with.

    Two are simulated (nobody in them exists), one is an extract of a real survey. With --write they are written as
    files; with --run a safe and an unsafe output of the census and of the survey are assessed, and the last lines
    printed are where the reports are.
    """
    if write is not None and job is not None:
        raise UsageError("--write and --run are two different things.", hint="Give one of them.")
    if job is not None:
        result = run_job(job, (lambda name, record: None) if json else _tell)
        if json:
            screen.print_json(result)
        else:
            for one in result["assessments"]:
                screen.show(one["report"])
        return
    tables = [(demo, demo.make()) for demo in DEMOS]
    files = _write(tables, write) if write is not None else {}
    if json:
        screen.print_json({"tables": [{**_described(d, t), "files": files.get(d.name, [])} for d, t in tables]})
    elif write is not None:
        for path in [path for paths in files.values() for path in paths]:
            screen.show(str(path))
    else:
        screen.show(_listing(tables))
        screen.note("Write them as files: divulge demo --write DIR")


def _tell(name: str, record: dict[str, Any]) -> None:
    from divulge.terminal.assess_view import show

    screen.show(f"{name} ({record['rows']:,} people)")
    show(record)
    screen.show("")


def _described(demo: Demo, table: Table) -> dict[str, Any]:
    return {
        "name": demo.name,
        "description": demo.description,
        "origin": demo.origin,
        "rows": len(table),
        "variables": list(table.names),
    }


def _write(tables: list[tuple[Demo, Table]], folder: Path) -> dict[str, list[Path]]:
    make_folder(folder)
    files = {}
    for demo, table in tables:
        paths = [folder / f"{demo.name}.csv", folder / f"{demo.name}.schema.json"]
        write_table(table, paths[0])
        write_schema(table.schema, paths[1])
        if demo.origin == "real":
            # The licence asks that the source goes wherever the data go.
            paths.append(folder / f"{demo.name}.source.txt")
            write_text(paths[-1], attribution())
        files[demo.name] = paths
    return files


def _listing(tables: list[tuple[Demo, Table]]) -> Grid:
    grid = Grid("name", "", "rows", "variables", "what it is")
    for demo, table in tables:
        grid.add_row(demo.name, demo.origin, f"{len(table):,}", str(len(table.schema)), demo.description)
    return grid
