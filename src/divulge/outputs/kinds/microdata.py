"""Synthetic microdata: rows are released, made by a generator that saw the people.

Nothing is searched for: an intruder looks people up in the released rows themselves. In every part of the data the
generator makes rows anew, so that people in are compared with people out as for any other output.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from divulge.comparators import COMPARATORS, Comparator
from divulge.errors import DivulgeError, OutputError
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.settings import Entries, Kinds, Range
from divulge.table import Condition, Schema, Table, read_table, write_table
from divulge.table.align import onto, stacked


@dataclass(frozen=True, kw_only=True)
class Microdata(Output):
    """Rows of synthetic people, from files, from a generator, or both.

    With a generator every person's exposure is known. Without one, rows cannot be made from a part of the people: the
    files are measured as they are, beside a holdout. Its one figure is how many people the rows are made from.
    """

    kind: ClassVar[str] = "microdata"
    statbarn: ClassVar[Statbarn] = Statbarn.FREQUENCIES
    can_lower: ClassVar[bool] = False
    why_not: ClassVar[str] = "Rows are released as they are, so there is nothing to search for."
    releases_rows: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = False
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Three variables, synthesised by trees",
            {"variables": ["AGE", "SEX", "TENURE"], "generator": {"kind": "cart"}},
        ),
    )

    variables: Annotated[tuple[str, ...], "The variables of the released rows.", Entries(least=1, differ=True)]
    files: Annotated[
        tuple[str, ...], "The released files, beside the spec; none: the generator makes one.", Entries(differ=True)
    ] = ()
    generator: Annotated[
        Comparator | None, "What made the rows, as in {kind: cart}.", Kinds("generator", COMPARATORS)
    ] = None
    command: Annotated[
        str | None, "A program of your own that made them: a command with {original} and {synthetic}, both CSV files."
    ] = None
    copies: Annotated[int, "How many files are made where there are none.", Range(least=1)] = 1
    folder: Path | None = field(default=None, metadata={"spec": False})
    is_allowed: bool = field(default=False, metadata={"spec": False})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coarser:
            raise OutputError("rows cannot be made coarser after they were made.", where="coarser")
        if self.command is not None:
            _check_command(self.command)
        if self.generator is not None and self.command is not None:
            raise OutputError("there is a generator and a command.", where="command", hint="Leave one of them out.")
        if not self.makes_rows and not self.files:
            raise OutputError(
                "there are neither files nor a generator.",
                where="files",
                hint="Write files: [synthetic.csv], or generator: {kind: cart}, or both.",
            )

    def allowed(self, folder: Path | None = None) -> Microdata:
        return replace(self, is_allowed=True, folder=folder)

    def placed(self, folder: Path) -> Microdata:
        return replace(self, folder=folder)

    @property
    def growth(self) -> Growth:
        return "extensive"

    def own_variables(self) -> tuple[str, ...]:
        return self.variables

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        """Rows tie any of their variables together. An intruder looks up by all, or by one that tells much."""
        return (self.uses(schema), *combinations(self.variables, 2))

    def labels(self, schema: Schema) -> tuple[str, ...]:
        del schema
        return ("people",)

    def evaluate(self, table: Table) -> Figures:
        n = self._people(table).n_rows
        return Figures(self.labels(table.schema), np.array([float(n)]), Status.OK if n else Status.EMPTY)

    def usual_decimals(self) -> int:
        return 0

    def describe(self) -> str:
        how = f", made by {self.generator.kind}" if self.generator is not None else ""
        how = ", made by a program of its author" if self.command is not None else how
        among = f", where {self.where}" if self.where else ""
        return f"Synthetic microdata of {', '.join(self.variables)}{how}{among}."

    def lower(self, schema: Schema, released: Released) -> Lowered:
        raise OutputError(f"kind {self.kind!r} does not lower. {self.why_not}")

    def released_rows(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows of the files; where there are none, those that the generator makes of everybody."""
        if not self.files:
            return self.rows_of(table, rng)
        schema = table.schema.select(self.variables)
        return stacked([_read_rows((self.folder or Path()) / name, schema, "files") for name in self.files])

    def _people(self, table: Table) -> Table:
        """The people that it is made from. A missing value is a value of theirs like others."""
        return table if self.where is None else table.take(Condition.parse(self.where, table.schema).selects(table))

    @property
    def makes_rows(self) -> bool:
        return self.generator is not None or self.command is not None

    def rows_of(self, table: Table, rng: np.random.Generator) -> Table:
        people = self._people(table).select(self.variables)
        n_files = len(self.files) or self.copies
        if self.generator is not None:
            return stacked([self.generator.synthesise(people, None, rng) for _ in range(n_files)])
        assert self.command is not None, "asked by makes_rows"
        if not self.is_allowed:
            raise OutputError(
                f"the spec asks to run a program ({self.command}), which has not been allowed.",
                where="command",
                hint="If you trust it, say --allow-code.",
            )
        seeds = rng.integers(2**31, size=n_files).tolist()
        return stacked([_run_command(self.command, people, self.folder, seed) for seed in seeds])


_PLACES = ("{original}", "{synthetic}")
"""What a command says where the names of the two files go."""

_AT_MOST = 3600.0
"""Seconds after which a program is ended: an assessment runs it some forty times."""


def _check_command(command: str) -> None:
    """Raise where a command does not say where the two files go."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise OutputError("a quotation mark is not closed.", where="command") from None
    lost = [place for place in _PLACES if not any(place in word for word in words)]
    if lost:
        raise OutputError(
            f"the command does not say where {' and '.join(lost)} goes.",
            where="command",
            hint="For example command: Rscript make.R {original} {synthetic}",
        )


def _run_command(command: str, table: Table, folder: Path | None, seed: int) -> Table:
    """The rows that the program makes from a table. DIVULGE_SEED tells it the seed, so that a run can be repeated.

    A program named in a spec never runs unless the user allows it outside the spec (`--allow-code`). It runs without a
    shell. What it prints goes nowhere, since it may hold values of rows.
    """
    with tempfile.TemporaryDirectory(prefix="divulge-") as scratch:  # its rights are the user's alone
        original, synthetic = Path(scratch) / "original.csv", Path(scratch) / "synthetic.csv"
        write_table(table, original)
        words = [
            word.replace(_PLACES[0], str(original)).replace(_PLACES[1], str(synthetic)) for word in shlex.split(command)
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
        return _read_rows(synthetic, table.schema, "command")


def _read_rows(path: Path, schema: Schema, field: str) -> Table:
    """Synthetic rows from a file, on the schema of the people they speak of."""
    try:
        found = onto(read_table(path), schema)
    except DivulgeError as error:
        error.where = f"{field}: {error.where}" if error.where else field
        raise
    if not found.n_rows:
        raise OutputError(f"{path.name} has no row whose levels the data have.", where=field)
    return found
