"""`divulge worker`: a process that assesses what is submitted to a ledger; several may share the work."""

from __future__ import annotations

import os
import signal
import threading
from typing import Annotated

import typer

from divulge.terminal.ledger_options import LedgerOption, StoreOption, opened, private_files
from divulge.terminal.screen import screen


def run(
    ledger: LedgerOption = None,
    store: StoreOption = None,
    once: Annotated[
        bool, typer.Option("--once", help="End when no job is waiting, instead of waiting for one.")
    ] = False,
    memory: Annotated[
        float | None, typer.Option(min=0.1, metavar="GB", help="How much memory one job may use. Without it: no limit.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=1, metavar="MINUTES", help="How long one job may take.")
    ] = 240,
    tied: Annotated[
        bool, typer.Option("--tied", hidden=True, help="End with standard input: whoever holds it has gone.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document, at the end.")] = False,
) -> None:
    """Assess what is submitted to a ledger, one job after another.

    Workers on one or many machines may share a ledger in PostgreSQL, and a store that all of them can reach: each job
    is done once. A worker that is killed loses nothing; another goes on with its job a minute later.
    """
    from divulge.ledger.worker import Limits, Worker

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if tied:
        threading.Thread(target=_wait_for_the_end, args=(stop,), daemon=True).start()
    limits = Limits(seconds=60 * time_limit, memory=None if memory is None else int(memory * (1 << 30)))
    with private_files(), opened(ledger, store, create=True) as known:
        worker = Worker(known, stop, limits, say=screen.note)
        screen.detail(f"worker {worker.name} at {known.shown}")
        taken = worker.run(once=once)
    if json:
        screen.print_json({"jobs": taken})


def _wait_for_the_end(stop: threading.Event) -> None:
    # Past Python's own reader, whose lock a thread that is still reading would hold when the program ends.
    while os.read(0, 1024):
        pass
    stop.set()
