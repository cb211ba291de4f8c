"""Every route as everybody: who gets an answer and who is refused. A route without a line here fails the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from divulge.ledger import datasets
from tests.conftest import server_of
from tests.support.service import CANARY, NAMES, OUTPUT, PASSWORD, Service, api_headers, build, token_in

WHO = (None, *NAMES)
"""rosa submitted what the addresses speak of; remy is in the same project; None is not logged in."""

ALL = set(NAMES)
OWN = {"rosa", "chloe", "cyril", "dora"}
"""Who sees rosa's submission."""
CHECKERS = {"chloe", "cyril"}
OVERSEERS = {"chloe", "cyril", "dora"}
MEMBERS = {"rosa", "remy", "chloe"}
OPEN = {*NAMES, None}


@dataclass(frozen=True)
class Rule:
    """allowed: who gets what they ask for (2xx, or a redirect that is not to the log-in). form, json: what is sent.

    hidden: to those who may not see the subject it does not exist (404), instead of being refused (403).
    """

    allowed: set[str | None]
    form: Callable[[Service], dict[str, Any]] | None = None
    json: Callable[[Service], dict[str, Any]] | None = None
    hidden: bool = False
    makes: str = "ready"


def _text(**fields: Any) -> Callable[[Service], dict[str, Any]]:
    return lambda service: fields


def _person(name: str) -> Callable[[Service], dict[str, Any]]:
    return lambda service: {"person": service.ids[name]}


def _new(service: Service) -> dict[str, Any]:
    return {"project": service.project, "dataset": service.dataset, "title": "New", "outputs": [dict(OUTPUT)]}


SPEC = 'outputs: [{kind: crosstab, variables: [SEX], released: {"SEX=F": 26, "SEX=M": 26}}]'


def _sent(service: Service) -> dict[str, Any]:
    fields = {"project": service.project, "dataset": service.dataset, "title": "New", "text": SPEC}
    return fields | {"kind": "crosstab", "field-variables": "SEX", "figures": "SEX=F,26\nSEX=M,26"}


S, A = "/submissions/{submission_id}", "/api/submissions/{submission_id}"

RULES: dict[tuple[str, str], Rule] = {
    ("GET", "/"): Rule(OPEN),
    ("GET", "/health"): Rule(OPEN),
    ("GET", "/home"): Rule(ALL),
    ("POST", "/approvals"): Rule(set(), _text(submission="999999", reason="Safe.")),  # there is none
    ("GET", "/dashboard"): Rule(OVERSEERS),
    ("GET", "/reasons"): Rule(OVERSEERS),
    ("POST", "/reasons"): Rule(OVERSEERS, _text(choice="return", title="Small cells", text="Merge them.")),
    ("POST", "/reasons/{template_id}/remove"): Rule(set(), _text()),  # there is none
    ("GET", "/static/{name}"): Rule(OPEN),
    ("GET", "/log-in"): Rule(OPEN),
    ("POST", "/log-in"): Rule(set()),  # without the cookie of its own form nobody logs in
    ("POST", "/log-out"): Rule(ALL, _text()),
    ("GET", "/account"): Rule(ALL),
    ("POST", "/account"): Rule(set(), _text(old="wrong", new="x", again="x")),
    ("GET", "/log-in/elsewhere"): Rule(set()),  # no provider is named
    ("GET", "/log-in/back"): Rule(set()),
    ("POST", "/account/identities"): Rule(set(), _text()),
    ("POST", "/account/identities/{identity_id}/remove"): Rule(set(), _text()),  # none of theirs
    ("POST", "/account/notices"): Rule(ALL, _text(tell="daily")),
    ("GET", "/account/tokens"): Rule(ALL),
    ("POST", "/account/tokens"): Rule(ALL, _text(name="nightly", days="3", password=PASSWORD)),
    ("POST", "/account/tokens/{token_id}/revoke"): Rule(set(), _text()),  # none of theirs
    ("GET", "/api"): Rule(ALL),
    ("GET", "/submissions"): Rule(ALL),
    ("GET", "/submit"): Rule(ALL),
    ("GET", "/submit/{way}"): Rule(ALL),
    ("POST", "/submit/spec"): Rule(MEMBERS, _sent),
    ("POST", "/submit/table"): Rule(MEMBERS, _sent),
    ("POST", "/submit/acro"): Rule(set(), _sent),  # no file was sent
    ("POST", "/submit/files"): Rule(set(), _sent),  # none here either
    ("GET", S + "/handed-in"): Rule(set(), hidden=True),  # its outputs did not come in files
    ("GET", S + "/correct"): Rule(set(), hidden=True),
    ("POST", S + "/correct"): Rule(set(), _text(), hidden=True),
    ("GET", S + "/files/{upload_id}/view"): Rule(set(), hidden=True),
    ("GET", S + "/files/{upload_id}/picture"): Rule(set(), hidden=True),
    ("GET", S): Rule(OWN, hidden=True),
    ("GET", S + "/progress"): Rule(OWN, hidden=True),
    ("GET", S + "/report"): Rule(OVERSEERS, hidden=True),
    ("GET", S + "/files/{upload_id}"): Rule(set(), hidden=True),  # none came with it
    ("GET", S + "/release.zip"): Rule(OWN, hidden=True, makes="released"),
    ("POST", S + "/comment"): Rule(OWN, _text(text="Hello"), hidden=True),
    ("POST", S + "/assign"): Rule(OVERSEERS, _person("chloe"), hidden=True),
    ("POST", S + "/unassign"): Rule(OVERSEERS, _person("chloe"), hidden=True),
    ("POST", S + "/assess"): Rule(OVERSEERS, _text(), hidden=True),
    ("POST", S + "/cancel"): Rule(OVERSEERS, _text(), hidden=True, makes="submitted"),
    ("POST", S + "/withdraw"): Rule({"rosa"}, _text(), hidden=True, makes="submitted"),
    ("POST", S + "/decide"): Rule(CHECKERS, _text(choice="release", reason="Safe."), hidden=True),
    ("POST", S + "/return"): Rule(CHECKERS, _text(reason="Round it."), hidden=True),
    ("POST", S + "/release"): Rule(CHECKERS, _text(), hidden=True, makes="in favour"),
    ("POST", S + "/refuse"): Rule(CHECKERS, _text(), hidden=True, makes="against"),
    ("POST", S + "/search"): Rule(CHECKERS, _text(), hidden=True),
    ("POST", S + "/offer"): Rule(set(), _text(offer="0"), hidden=True),  # nothing was looked for
    ("POST", S + "/take"): Rule(set(), _text(offer="0"), hidden=True, makes="returned"),
    ("GET", "/datasets"): Rule(OVERSEERS | {"ada"}),
    ("POST", "/datasets"): Rule(set(), _text(name="x", path="relative.csv")),
    ("GET", "/datasets/{dataset_id}"): Rule(OVERSEERS | {"ada"}),
    ("POST", "/datasets/{dataset_id}/settings"): Rule({"dora", "ada"}, _text(settings="seed: 2")),
    ("POST", "/datasets/{dataset_id}/public"): Rule({"dora", "ada"}, _text(public="AGE")),
    ("POST", "/projects/{project_id}/datasets"): Rule({"dora", "ada"}, lambda s: {"dataset": s.dataset}),
    ("POST", "/projects/{project_id}/datasets/remove"): Rule({"dora", "ada"}, lambda s: {"dataset": s.dataset}),
    ("GET", "/projects"): Rule(ALL),
    ("POST", "/projects"): Rule({"ada"}, _text(name="Another")),
    ("GET", "/projects/{project_id}"): Rule(ALL),
    ("POST", "/projects/{project_id}"): Rule({"ada"}, _text(about="x", checkers_needed="2", is_open="yes")),
    ("POST", "/projects/{project_id}/members"): Rule({"ada"}, _person("cyril")),
    ("POST", "/projects/{project_id}/members/remove"): Rule({"ada"}, _person("cyril")),
    ("GET", "/people"): Rule({"ada"}),
    ("POST", "/people"): Rule({"ada"}, _text(name="newcomer", role="checker")),
    ("POST", "/people/{person_id}"): Rule({"ada"}, _text(role="researcher", is_active="yes")),
    ("POST", "/people/{person_id}/password"): Rule({"ada"}, _text()),
    ("GET", "/api/session"): Rule(ALL),
    ("POST", "/api/session"): Rule(set(), json=_text(name="nobody", password="wrong")),
    ("DELETE", "/api/session"): Rule(ALL),
    ("GET", "/api/submissions"): Rule(ALL),
    ("POST", "/api/submissions"): Rule(MEMBERS, json=_new),
    ("POST", "/api/submissions/files"): Rule(set(), form=_sent),  # no file was sent
    ("GET", A + "/files/{upload_id}"): Rule(set(), hidden=True),  # none came with it
    ("GET", A + "/release.zip"): Rule(OWN, hidden=True, makes="released"),
    ("GET", A): Rule(OWN, hidden=True),
    ("GET", A + "/record"): Rule(OVERSEERS, hidden=True),
    ("GET", A + "/verdict/{system}"): Rule(OVERSEERS, hidden=True),
    ("POST", A + "/decisions/{system}"): Rule(CHECKERS, json=_text(status="RETURNED"), hidden=True),
    ("POST", A + "/comments"): Rule(OWN, json=_text(text="Hello"), hidden=True),
    ("POST", A + "/decisions"): Rule(CHECKERS, json=_text(choice="release", reason="Safe."), hidden=True),
    ("POST", A + "/return"): Rule(CHECKERS, json=_text(reason="Round it."), hidden=True),
    ("POST", A + "/assignments"): Rule(OVERSEERS, json=_person("chloe"), hidden=True),
    ("DELETE", A + "/assignments/{person_id}"): Rule(OVERSEERS, hidden=True),
    ("POST", A + "/assess"): Rule(OVERSEERS, hidden=True),
    ("POST", A + "/cancel"): Rule(OVERSEERS, hidden=True, makes="submitted"),
    ("POST", A + "/withdraw"): Rule({"rosa"}, hidden=True, makes="submitted"),
    ("POST", A + "/release"): Rule(CHECKERS, hidden=True, makes="in favour"),
    ("POST", A + "/refuse"): Rule(CHECKERS, hidden=True, makes="against"),
    ("POST", A + "/versions"): Rule({"rosa"}, json=_new, hidden=True, makes="returned"),
    ("GET", "/api/projects"): Rule(ALL),
    ("GET", "/api/datasets"): Rule(ALL),
    ("GET", "/api/datasets/{dataset_id}/ledger"): Rule(OVERSEERS),
}


@dataclass
class World:
    """The service with browsers of everybody, and a new submission for whoever asks for one."""

    service: Service
    clients: dict[str | None, httpx.Client] = field(default_factory=dict)

    def client(self, who: str | None) -> httpx.Client:
        if who not in self.clients:
            self.clients[who] = self.service.client(who)
        return self.clients[who]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    # The same folder for both: the report, which takes seconds to draw, is kept in it.
    folder = Path(tmp_path_factory.getbasetemp()) / "matrix"
    folder.mkdir(exist_ok=True)
    service = build(folder, server=server_of(request))
    yield World(service)
    service.close()


def _routes(service: Service) -> Iterator[tuple[str, str]]:
    for route in iter_route_contexts(service.app.routes):
        for method in route.methods or ():
            if route.path != "/api/openapi.json":
                yield method, str(route.path)


def test_every_route_has_a_line_in_the_matrix(world: World) -> None:
    found = set(_routes(world.service))
    assert found - set(RULES) == set(), "say in RULES who may use it"
    assert set(RULES) - found == set(), "there is no such route any more"


@pytest.mark.parametrize(("method", "path"), RULES, ids=lambda part: str(part))
def test_route_answers_those_it_is_for_and_nobody_else(world: World, method: str, path: str) -> None:
    rule, service = RULES[method, path], world.service
    subject = service.make(rule.makes) if "submission_id" in path else 0
    names = {
        "submission_id": subject,
        "upload_id": 1,
        "name": "style.css",
        "way": "table",
        "token_id": 999,
        "identity_id": 999,
        "template_id": 999,
        "system": "airlock",
    }
    names |= {"project_id": service.project, "dataset_id": service.dataset, "person_id": service.ids["spare"]}
    for who in WHO:
        if method != "GET" and rule.makes != "ready" and "submission_id" in path and who in rule.allowed:
            names["submission_id"] = service.make(rule.makes)
        if path.endswith(("/assess", "/decide", "/decisions", "/{system}", "/return")) and who in rule.allowed:
            names["submission_id"] = service.make(rule.makes)
        answer = _asked(world, who, method, path.format(**names), rule)
        _check(answer, who, rule, path)
        if path.endswith(("/log-out", "/password")) or (method, path) == ("DELETE", "/api/session"):
            world.clients.clear()
    if path.endswith("/datasets/remove"):
        with service.ledger.writing() as session:
            datasets.open_to(session, None, service.dataset, service.project)


def _asked(world: World, who: str | None, method: str, address: str, rule: Rule) -> httpx.Response:
    client, service = world.client(who), world.service
    sent: dict[str, Any] = {}
    if address.startswith("/api/"):
        if who is not None:
            sent["headers"] = api_headers(client)
        if rule.form is not None:
            sent["data"] = rule.form(service)
        if rule.json is not None:
            sent["json"] = rule.json(service)
            if address.endswith("/versions"):
                sent["json"] = {k: v for k, v in sent["json"].items() if k in ("title", "outputs")}
    elif rule.form is not None:
        token = token_in(client.get("/account").text) if who is not None else "none"
        sent["data"] = {"csrf": token, **rule.form(service)}
    if address.endswith("/progress"):
        with client.stream(method, address, **sent) as answer:
            next(answer.iter_bytes(), b"")
            return answer
    return client.request(method, address, **sent)


def _check(answer: httpx.Response, who: str | None, rule: Rule, path: str) -> None:
    said = f"{who} {path}: {answer.status_code}"
    assert answer.status_code < 500, said
    location = answer.headers.get("location", "")
    to_log_in = location.startswith("/log-in") and location != "/log-in?done=logged-out"
    if who in rule.allowed:
        assert answer.status_code in (200, 201, 204, 303), said
        assert not to_log_in, said
    elif who is None:
        assert to_log_in or answer.status_code in (401, 403), said
    elif rule.hidden and who in ("remy", "ada"):
        assert answer.status_code == 404, said
    else:
        assert answer.status_code in (401, 403, 404, 422, 429), said
    if who not in OVERSEERS and not answer.is_stream_consumed:
        return
    if who not in OVERSEERS and not path.endswith("/progress"):
        assert CANARY not in answer.text, said
