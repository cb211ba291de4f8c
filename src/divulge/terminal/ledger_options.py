"""The options that say which ledger is meant, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from divulge.assess import Candidate
    from divulge.assess.folders.check import Beside
    from divulge.ledger.database import Ledger
    from divulge.spec import Assessment, Inputs
    from divulge.table import Table

LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        envvar="DIVULGE_LEDGER",
        show_default=False,
        help="A SQLite file, or postgresql://name@host/database. Without it: divulge-ledger.sqlite here.",
    ),
]
EarlierOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        envvar="DIVULGE_LEDGER",
        show_default=False,
        help="Assess together with everything that this ledger says was released before about the same data.",
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="DIR",
        envvar="DIVULGE_STORE",
        show_default=False,
        help="The folder of uploaded and released files. Without it: beside the SQLite file.",
    ),
]


def released_before(assessment: Assessment, ledger: str) -> tuple[Inputs, Sequence[Candidate]]:
    """What an assessment rests on, and everything that was released before about the same people."""
    from divulge.ledger.datasets import fingerprint
    from divulge.ledger.earlier import earlier_outputs
    from divulge.ledger.made import beside
    from divulge.spec import read_inputs

    inputs = read_inputs(assessment)
    if inputs.table is None:
        return inputs, []
    with opened(ledger) as found, found.reading() as session:
        before = earlier_outputs(session, fingerprint(inputs.table))
    return beside(inputs, assessment.outputs, before)


def beside_released(table: Table, ledger: str) -> Beside:
    """What a folder that was handed in is assessed beside: everything that was released about the same people."""
    from divulge.ledger.datasets import fingerprint
    from divulge.ledger.earlier import earlier_outputs
    from divulge.ledger.made import together

    with opened(ledger) as found, found.reading() as session:
        before = earlier_outputs(session, fingerprint(table))
    return lambda people, names, made: together(people, names, made, before)


@contextmanager
def private_files() -> Iterator[None]:
    """Whatever is written meanwhile, by processes started meanwhile too, nobody else of the machine can read."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def opened(ledger: str | None, store: Path | None = None, *, create: bool = False) -> Ledger:
    """The ledger that the options name; `with` closes it. create: whether a SQLite file that is not there is made."""
    # SQLAlchemy takes a third of a second to import, which other commands should not wait for.
    from divulge.ledger.database import open_ledger

    return open_ledger(ledger, store=store, create=create)
