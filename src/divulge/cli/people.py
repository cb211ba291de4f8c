"""`divulge people`: accounts of the service, for whoever runs its machine."""

from __future__ import annotations

from typing import Annotated

import typer

from divulge.errors import UsageError
from divulge.terminal.ledger_options import LedgerOption, opened
from divulge.terminal.options import JsonOption
from divulge.terminal.screen import screen

app = typer.Typer(
    help="Look at the accounts of the service, and let somebody in again who cannot log in.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.command("list")
def _list(ledger: LedgerOption = None, json: JsonOption = False) -> None:
    """List the accounts, with their roles."""
    from rich.table import Table as Grid
    from sqlalchemy import select

    from divulge.ledger.model import Person

    with opened(ledger) as known, known.reading() as session:
        found = session.scalars(select(Person).order_by(Person.name)).all()
    if json:
        rows = [{"name": p.name, "full_name": p.full_name, "role": p.role, "is_active": p.is_active} for p in found]
        screen.print_json({"people": rows})
        return
    grid = Grid(box=None, pad_edge=False)
    for name in ("name", "role", "account", "full name"):
        grid.add_column(name)
    for person in found:
        grid.add_row(person.name, person.role, "open" if person.is_active else "closed", person.full_name)
    screen.show(grid)


@app.command("reset-password")
def _reset_password(
    name: Annotated[str, typer.Argument(help="What the person logs in with.", show_default=False)],
    ledger: LedgerOption = None,
    json: JsonOption = False,
) -> None:
    """Give somebody a password for their next log-in, which they then change.

    For an administrator who has lost theirs. The person is logged out everywhere, and the audit trail says that it was
    done on the command line.
    """
    from sqlalchemy import select

    from divulge.ledger.model import Person

    try:
        from divulge.web import accounts
    except ModuleNotFoundError:
        raise UsageError(
            "the service is not installed.", hint="Install divulge with its extra: divulge[web]."
        ) from None
    with opened(ledger) as known, known.writing() as session:
        number = session.scalars(select(Person.id).where(Person.name == name)).one_or_none()
        if number is None:
            raise UsageError(f"nobody is called {name!r} here.", hint="divulge people list shows who is.")
        _, password = accounts.reset_password(session, None, number)
        # Before it counts: where it cannot be shown, the old one stays.
        if json:
            screen.print_json({"name": name, "password": password})
        else:
            screen.show(f"The password of {name} for the next log-in: {password}")
