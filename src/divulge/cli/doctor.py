"""`divulge doctor`: what is wrong with a deployment, and what to do about it."""

from __future__ import annotations

import typer

from divulge.terminal.ledger_options import LedgerOption, StoreOption
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen


def run(ledger: LedgerOption = None, store: StoreOption = None, json: JsonOption = False) -> None:
    """Look at the database, the audit trail, accounts, work, data, files and clocks, and say what is wrong.

    Nothing is changed. The exit status is 1 where something is wrong.
    """
    from divulge.ledger.checkup import check_up
    from divulge.ledger.database import connect

    with connect(ledger, store=store, create=False) as known:
        found = list(check_up(known))
    wrong = [f for f in found if f.is_wrong]
    if json:
        screen.print_json({"findings": found, "wrong": len(wrong)})
    else:
        for finding in found:
            hint = f" {finding.hint}" if finding.is_wrong else ""
            screen.show(f"{'WRONG' if finding.is_wrong else 'fine '}  {finding.what}.{hint}")
    if wrong:
        raise typer.Exit(1)
