"""A service with people, projects and a dataset to test on: everything real but the assessments, which are canned."""

from __future__ import annotations

import copy
import json
import re
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI
from sqlalchemy import event

from divulge.assess import assess, plan
from divulge.ledger import datasets, jobs, people, releases, workflow
from divulge.ledger.database import Ledger, open_ledger
from divulge.ledger.model import Choice, Dataset, Role
from divulge.ledger.proposals import Proposal
from divulge.spec import parse_spec
from divulge.web import Deployment, create_app, passwords
from tests.support.postgres import Cluster

PASSWORD = "correct horse battery"
# Passwords of tests need not be dear to guess: logging in hundreds of times must be cheap.
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)

NAMES = {
    "rosa": Role.RESEARCHER,
    "remy": Role.RESEARCHER,
    "chloe": Role.CHECKER,
    "cyril": Role.CHECKER,
    "dora": Role.CUSTODIAN,
    "ada": Role.ADMINISTRATOR,
}

OUTPUT: Mapping[str, Any] = {
    "kind": "crosstab",
    "name": "Age by sex",
    "variables": ["AGE", "SEX"],
    "released": {"AGE=40 & SEX=F": 13, "AGE=40 & SEX=M": 13, "AGE=41 & SEX=F": 13, "AGE=41 & SEX=M": 13},
}

FIGURES = [{"label": label, "value": value} for label, value in OUTPUT["released"].items()]

PEOPLE = "AGE,SEX\n" + "".join(f"{40 + i % 2},{'FM'[i // 2 % 2]}\n" for i in range(52))

CANARY = "exposure-canary-7261"
"""Stands in every part of a record that a researcher must never see."""


@cache
def _assessed() -> dict[str, Any]:
    """A record as an assessment writes it, of the people below and two splits."""
    document = {"data": "people.csv", "outputs": [dict(OUTPUT)], "design": {"kind": "repeated-halves", "splits": 2}}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "people.csv").write_text(PEOPLE, encoding="utf-8")
        return assess(plan(parse_spec(document, Path(folder))), workers=1).record


def record(verdict: str = "refuse") -> dict[str, Any]:
    """The same with a verdict of our choice, and the canary in what a researcher must never see."""
    made = copy.deepcopy(_assessed())
    made["verdict"] = verdict
    made["reasons"] = [f"3 people are exposed ({CANARY})."]
    made["outputs"][0]["rules"] = [{"rule": "few", "sentence": f"A cell has few people ({CANARY}).", "people": 3}]
    made["exposure"]["exposed"] = 3
    return made


@dataclass
class Service:
    """An open ledger with an application over it."""

    ledger: Ledger
    app: FastAPI
    folder: Path
    ids: dict[str, int] = field(default_factory=dict)
    project: int = 0
    dataset: int = 0
    _clients: list[httpx.Client] = field(default_factory=list)
    _served: tuple[uvicorn.Server, threading.Thread, str] | None = None

    @property
    def url(self) -> str:
        """Where the service listens, on loopback; it starts when it is first asked for."""
        if self._served is None:
            held = socket.create_server(("127.0.0.1", 0))
            config = uvicorn.Config(self.app, log_level="critical", proxy_headers=False, server_header=False)
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
            thread.start()
            self._served = server, thread, f"http://localhost:{held.getsockname()[1]}"
            while not server.started and thread.is_alive():
                time.sleep(0.005)
        return self._served[2]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        if self._served is not None:
            self.app.state.stopping = True
            server, thread, _ = self._served
            server.should_exit = True
            thread.join(timeout=10)
        self.ledger.close()

    def client(self, name: str | None = None) -> httpx.Client:
        """A browser, logged in as somebody."""
        made = httpx.Client(base_url=self.url, timeout=120, trust_env=False)
        self._clients.append(made)
        if name is not None:
            page = made.get("/log-in")
            data = {"name": name, "password": PASSWORD, "csrf": token_in(page.text), "next": "/"}
            answer = made.post("/log-in", data=data)
            assert answer.status_code == 303, answer.text
        return made

    def submit(self, by: str = "rosa", title: str = "Age by sex", output: Mapping[str, Any] = OUTPUT) -> int:
        with self.ledger.writing() as session:
            proposal = Proposal(title=title, outputs=[dict(output)])
            return workflow.submit(session, self.ids[by], self.project, self.dataset, proposal).id

    def assess(self, verdict: str = "refuse") -> None:
        """Do the waiting jobs, with a canned record."""
        while lease := jobs.take_job(self.ledger, "test"):
            lease.finish(record(verdict), [FIGURES])

    def ready(self, by: str = "rosa", title: str = "Age by sex") -> int:
        made = self.submit(by, title)
        self.assess()
        return made

    def make(self, how: str) -> int:
        """A submission of rosa's that is submitted, ready, in favour, against, released or returned."""
        if how == "submitted":
            return self.submit()
        made = self.ready()
        with self.ledger.writing() as session:
            if how == "returned":
                workflow.give_back(session, self.ids["chloe"], made, "Round it.")
            elif how != "ready":
                choice = Choice.REFUSE if how == "against" else Choice.RELEASE
                for checker in ("chloe", "cyril"):
                    workflow.decide(session, self.ids[checker], made, choice, "A reason.")
            if how == "released":
                releases.release(session, self.ids["chloe"], made, self.ledger.store)
        return made


@cache
def _template() -> tuple[bytes, Service]:
    """A ledger with people, a project and a dataset, made once; tests work on copies of it."""
    with tempfile.TemporaryDirectory() as made:
        service = _filled(Path(made), str(Path(made) / "ledger.sqlite"))
        return (Path(made) / "ledger.sqlite").read_bytes(), service


@cache
def _template_in(server: Cluster) -> Service:
    """The same in PostgreSQL: a database to copy."""
    server.run("CREATE DATABASE template_web")
    with tempfile.TemporaryDirectory() as made:
        return _filled(Path(made), server.url("template_web"))


def _copied(folder: Path, server: Cluster | None) -> tuple[str, Service]:
    if server is None:
        content, filled = _template()
        (folder / "ledger.sqlite").write_bytes(content)
        return str(folder / "ledger.sqlite"), filled
    filled, name = _template_in(server), f"web_{secrets.token_hex(8)}"
    server.run(f"CREATE DATABASE {name} TEMPLATE template_web")
    return server.url(name), filled


def build(folder: Path, settings: Deployment | None = None, server: Cluster | None = None) -> Service:
    """A new service in a folder, on SQLite or in a server of PostgreSQL."""
    url, filled = _copied(folder, server)
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    ledger = open_ledger(url, store=folder / "ledger.files")
    if server is None:
        # Nothing here must survive a power failure, and waiting for the disk is most of the time.
        event.listen(ledger.engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=OFF"))
    with ledger.writing() as session:
        session.get_one(Dataset, filled.dataset).path = str(folder / "people.csv")
    app = create_app(ledger, settings or Deployment())
    return Service(ledger, app, folder, dict(filled.ids), filled.project, filled.dataset)


def _filled(folder: Path, url: str) -> Service:
    ledger = open_ledger(url, store=folder / "ledger.files")
    data = folder / "people.csv"
    data.write_text(PEOPLE, encoding="utf-8")
    service = Service(ledger, FastAPI(), folder)
    with ledger.writing() as session:
        for name, role in NAMES.items():
            made = people.add_person(session, None, name, role, full_name=name.capitalize(), password_hash=HASH)
            service.ids[name] = made.id
        service.ids["spare"] = people.add_person(session, None, "spare", Role.RESEARCHER).id
        service.project = people.add_project(session, None, "Ageing", about="How people age.").id
        for name in ("rosa", "remy", "chloe"):
            people.add_member(session, None, service.project, service.ids[name])
        made = datasets.register(session, None, "people", data)
        made.public, service.dataset = ["AGE", "SEX"], made.id
        datasets.open_to(session, None, made.id, service.project)
    ledger.close()
    return service


def token_in(page: str) -> str:
    """The token of the forms on a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None, "no form on the page"
    return found[1]


def post(client: httpx.Client, address: str, data: Mapping[str, Any] | None = None, **named: Any) -> Any:
    """Send a form as the page at /account would."""
    token = token_in(client.get("/account").text)
    return client.post(address, data={"csrf": token, **(data or {})}, **named)


def api_headers(client: httpx.Client) -> dict[str, str]:
    return {"X-CSRF-Token": json.loads(client.get("/api/session").text)["csrf"]}


__all__ = ["CANARY", "NAMES", "OUTPUT", "PASSWORD", "Service", "api_headers", "build", "passwords", "post", "token_in"]
