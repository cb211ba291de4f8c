"""What a new ledger holds when the service first starts: an administrator, and data to play with where asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from divulge.demo import DEMOS
from divulge.demo.cps import attribution
from divulge.ledger import datasets, people
from divulge.ledger.database import Ledger
from divulge.ledger.model import Person, Role
from divulge.record import make_folder, write_bytes, write_text
from divulge.table import Table, write_schema, write_table
from divulge.terminal.demo_job import SPECS
from divulge.terminal.screen import screen
from divulge.web import accounts, passwords

_PEOPLE = {
    "researcher": Role.RESEARCHER,
    "checker-1": Role.CHECKER,
    "checker-2": Role.CHECKER,
    "custodian": Role.CUSTODIAN,
}


@dataclass(frozen=True)
class Account:
    name: str
    role: str
    password: str


def first_accounts(ledger: Ledger, with_demo: bool, tell: Callable[[list[Account]], None]) -> None:
    """Make the first accounts of a ledger that has none, and tell their passwords. Other ledgers stay as they are.

    The passwords are told before the accounts are stored. Where telling or storing fails, the next start makes others.
    """
    with ledger.reading() as session:
        is_new = session.scalars(select(Person.id).limit(1)).first() is None
    tables: list[tuple[Path, Table]] = []
    if is_new and with_demo:
        screen.note("Making data to play with …")
        tables = _write(ledger.store.demo_folder)
    with ledger.writing() as session:
        made = accounts.first_administrator(session)
        if made is None:
            tell([])
            return
        person, password = made
        found = [Account(person.name, person.role, password)]
        if tables:
            found += _demonstration(session, ledger.store.demo_folder, tables)
        session.flush()
        tell(found)


def _demonstration(session: Session, folder: Path, tables: list[tuple[Path, Table]]) -> list[Account]:
    found = []
    about = (
        "To see how an output leaves: log in as the researcher and submit an example. Log in as either checker to "
        f"decide. Specs to try, safe and unsafe ones, are in {folder}."
    )
    project = people.add_project(session, None, "Demonstration", about=about)
    for name, role in _PEOPLE.items():
        password = passwords.new_password()
        person = people.add_person(session, None, name, role, password_hash=passwords.hash_password(password))
        found.append(Account(name, role, password))
        if role is Role.RESEARCHER:
            people.add_member(session, None, project.id, person.id)
    for demo, (path, table) in zip(DEMOS, tables, strict=True):
        made = datasets.register(session, None, demo.name, path, table=table, schema=table.schema)
        # Anybody may have these data.
        made.public = list(made.variables)
        datasets.open_to(session, None, made.id, project.id)
    return found


def _write(folder: Path) -> list[tuple[Path, Table]]:
    make_folder(folder)
    found = []
    for demo in DEMOS:
        table, path = demo.make(), folder / f"{demo.name}.csv"
        write_table(table, path)
        write_schema(table.schema, folder / f"{demo.name}.schema.json")
        if demo.origin == "real":
            # The licence asks that the source goes wherever the data go.
            write_text(folder / f"{demo.name}.source.txt", attribution())
        found.append((path, table))
    for name in SPECS:
        source = files("divulge.terminal").joinpath(f"demo_specs/{name}.yaml").read_bytes()
        write_bytes(folder / f"{name}.yaml", source)
    return found
