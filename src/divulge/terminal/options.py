"""Arguments and options that several commands have alike. Those of a ledger are in `ledger_options`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from divulge.terminal.complete import spec_files

SpecArgument = Annotated[
    Path, typer.Argument(help="The assessment file (YAML or JSON).", show_default=False, autocompletion=spec_files)
]
AllowCodeOption = Annotated[
    bool, typer.Option("--allow-code", help="Import and run the functions that the spec names. Read them first.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ResultsOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="The folder for the results.", show_default=False),
]
SchemaOption = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE", help="A schema of the data; inferred where absent.")
]
PolicyOption = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="The thresholds of the verdict (YAML).")
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=0, metavar="N", help="Processes to share the splits; 0 is as many as pay off.")
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Go on where an interrupted run stopped, to the same result.")
]


class FailOn(StrEnum):
    review = "review"
    refuse = "refuse"


FailOnOption = Annotated[
    FailOn | None, typer.Option("--fail-on", help="Exit with 10 for review and 20 for refuse, from this one on.")
]
