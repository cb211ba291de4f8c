"""A small world for tests of the ledger: a researcher or two, checkers, a project, data about two hundred people."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from divulge.ledger import datasets, jobs, people, workflow
from divulge.ledger.database import Ledger, open_ledger
from divulge.ledger.model import Dataset, Person, Project, Role, Submission
from divulge.ledger.proposals import Proposal
from tests.support.ledger_work import FIGURES, record
from tests.support.postgres import Cluster

CROSSTAB: dict[str, Any] = {"kind": "crosstab", "variables": ["SEX", "WORK"], "compute": True}


@dataclass(frozen=True)
class World:
    """ids of people by what they do, and of the project and the data."""

    ledger: Ledger
    person: dict[str, int]
    project: int
    dataset: int

    def submit(self, by: str = "researcher", **given: Any) -> int:
        """The id of a new submission."""
        token = given.pop("token", None)
        with self.ledger.writing() as session:
            made = workflow.submit(session, self.person[by], self.project, self.dataset, proposal(**given), token=token)
            return made.id

    def ready(self, by: str = "researcher", **given: Any) -> int:
        """The id of a submission that has been assessed (by nobody: the record is made up)."""
        made = self.submit(by, **given)
        lease = jobs.take_job(self.ledger, "test")
        assert lease is not None
        assert lease.submission_id == made
        lease.finish(record(), [FIGURES])
        return made

    def state(self, submission_id: int) -> str:
        with self.ledger.reading() as session:
            return str(session.get_one(Submission, submission_id).state)


def proposal(**given: Any) -> Proposal:
    return Proposal(**{"title": "Work by sex", "outputs": [CROSSTAB], **given})


def write_people(folder: Path) -> Path:
    """Two hundred people: AGE, SEX, WORK."""
    rows = "".join(f"{20 + i % 40},{'FM'[i % 2]},{'yes' if i % 3 else 'no'}\n" for i in range(200))
    path = folder / "people.csv"
    path.write_text("AGE,SEX,WORK\n" + rows, encoding="utf-8")
    return path


def make_world(ledger: Ledger, folder: Path) -> World:
    """People of every role, two of those who submit and check, in one project about one dataset."""
    roles = {
        "researcher": Role.RESEARCHER,
        "colleague": Role.RESEARCHER,
        "stranger": Role.RESEARCHER,
        "checker": Role.CHECKER,
        "second": Role.CHECKER,
        "third": Role.CHECKER,
        "custodian": Role.CUSTODIAN,
        "administrator": Role.ADMINISTRATOR,
    }
    with ledger.writing() as session:
        person = {name: people.add_person(session, None, name, role).id for name, role in roles.items()}
        project = people.add_project(session, None, "Work and health").id
        for name in ("researcher", "colleague", "third"):
            people.add_member(session, None, project, person[name])
        dataset = datasets.register(session, None, "people", write_people(folder)).id
        datasets.open_to(session, None, dataset, project)
    return World(ledger, person, project, dataset)


def open_world(url: str, store: Path) -> World:
    """The world that `make_world` made in this ledger."""
    ledger = open_ledger(url, store=store)
    with ledger.reading() as session:
        person = {p.name: p.id for p in session.scalars(select(Person))}
        project = session.scalars(select(Project.id)).one()
        dataset = session.scalars(select(Dataset.id)).one()
    return World(ledger, person, project, dataset)


@dataclass
class Templates:
    """Ledgers to copy: "empty" and "world", each made when it is first asked for."""

    folder: Path
    made: set[str] = field(default_factory=set)
    n_copies: int = 0

    def copy(self, name: str, server: Cluster | None) -> str:
        """The URL of a new ledger: in this server, or in a SQLite file."""
        self.n_copies += 1
        return self._file(name) if server is None else self._database(name, server)

    def _file(self, name: str) -> str:
        template = self.folder / f"{name}.sqlite"
        if not template.exists():
            self._fill(name, str(template))
        return f"sqlite:///{shutil.copy(template, self.folder / f'copy{self.n_copies}.sqlite')}"

    def _database(self, name: str, server: Cluster) -> str:
        template = f"template_{name}"
        if template not in self.made:
            server.run(f"CREATE DATABASE {template}")
            self._fill(name, server.url(template))
            self.made.add(template)
        server.run(f"CREATE DATABASE copy{self.n_copies} TEMPLATE {template}")
        return server.url(f"copy{self.n_copies}")

    def _fill(self, name: str, url: str) -> None:
        ledger = open_ledger(url, store=self.folder)
        if name == "world":
            make_world(ledger, self.folder)
        ledger.close()
