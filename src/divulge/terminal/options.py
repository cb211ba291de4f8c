"""Arguments and options that several commands have alike. Those of a ledger are in `ledger_options`."""

from __future__ import annotations

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
