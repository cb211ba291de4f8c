"""A small world for tests of the ledger: a researcher or two, checkers, a project, data about two hundred people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.ledger import datasets, jobs, people, workflow
from divulge.ledger.database import Ledger
from divulge.ledger.model import Role, Submission
from divulge.ledger.proposals import Proposal
from tests.ledger_work import FIGURES, record

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
        jobs.finish_job(self.ledger, lease, record(), [FIGURES])
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
    return World(ledger, person, project, dataset)
