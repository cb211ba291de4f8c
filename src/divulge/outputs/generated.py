"""Synthetic rows that a program of the user's own makes: it reads a CSV file of people and writes one of rows.

A program named in a spec never runs unless the user allows it outside the spec (`--allow-code`). It runs without a
shell. What it prints goes nowhere, since it may hold values of rows.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from divulge.errors import DivulgeError, OutputError
from divulge.table import Schema, Table, read_table, write_table
from divulge.table.align import onto

PLACES = ("{original}", "{synthetic}")
"""What a command says where the names of the two files go."""

_AT_MOST = 3600.0
"""Seconds after which a program is ended: an assessment runs it some forty times."""


def check_command(command: str) -> None:
    """Raise where a command does not say where the two files go."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise OutputError("a quotation mark is not closed.", where="command") from None
    lost = [place for place in PLACES if not any(place in word for word in words)]
    if lost:
        raise OutputError(
            f"the command does not say where {' and '.join(lost)} goes.",
            where="command",
            hint="For example command: Rscript make.R {original} {synthetic}",
        )


def run_command(command: str, table: Table, folder: Path | None, seed: int) -> Table:
    """The rows that the program makes from a table. DIVULGE_SEED tells it the seed, so that a run can be repeated."""
    with tempfile.TemporaryDirectory(prefix="divulge-") as scratch:  # its rights are the user's alone
        original, synthetic = Path(scratch) / "original.csv", Path(scratch) / "synthetic.csv"
        write_table(table, original)
        words = [
            word.replace(PLACES[0], str(original)).replace(PLACES[1], str(synthetic)) for word in shlex.split(command)
        ]
        try:
            done = subprocess.run(
                words,
                cwd=folder,
                env={**os.environ, "DIVULGE_SEED": str(seed)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_AT_MOST,
                check=False,
            )
        except FileNotFoundError:
            raise OutputError(f"there is no program {words[0]!r}.", where="command") from None
        except subprocess.TimeoutExpired:
            raise OutputError(f"the program did not end within {_AT_MOST:.0f} seconds.", where="command") from None
        if done.returncode or not synthetic.exists():
            what = f"ended with {done.returncode}" if done.returncode else "wrote no file"
            hint = "Run it by hand on a CSV file of the same columns."
            raise OutputError(f"the program {what}.", where="command", hint=hint)
        return read_rows(synthetic, table.schema, "command")


def read_rows(path: Path, schema: Schema, field: str) -> Table:
    """Synthetic rows from a file, on the schema of the people they speak of."""
    try:
        found = onto(read_table(path), schema)
    except DivulgeError as error:
        error.where = f"{field}: {error.where}" if error.where else field
        raise
    if not found.n_rows:
        raise OutputError(f"{path.name} has no row whose levels the data have.", where=field)
    return found
