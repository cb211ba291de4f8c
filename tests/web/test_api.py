"""The API against its own description: no request makes it fail, and errors have one shape."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import booleans

from tests.conftest import server_of
from tests.support.service import OUTPUT, Service, api_headers, build


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = build(Path(tmp_path_factory.mktemp("api")), server=server_of(request))
    made.ready()
    yield made
    made.close()


@pytest.fixture(scope="module")
def operations(served: Service) -> dict[str, Any]:
    document = copy.deepcopy(served.app.openapi())
    # Otherwise tokens would be made up, and everything refused before it is looked at.
    del document["components"]["securitySchemes"]
    for one in (one for methods in document["paths"].values() for one in methods.values()):
        del one["security"]
    schema = schemathesis.openapi.from_dict(document)
    return {found.ok().label: found.ok() for found in schema.get_all_operations()}


def _number(client: httpx.Client) -> int:
    """The number of a submission that is there."""
    return int(client.get("/api/submissions").json()["items"][-1]["id"])


LABELS = [
    "POST /api/submissions/{submission_id}/withdraw",
    "GET /api/session",
    "POST /api/session",
    "DELETE /api/session",
    "GET /api/submissions",
    "POST /api/submissions",
    "GET /api/submissions/{submission_id}",
    "POST /api/submissions/files",
    "GET /api/submissions/{submission_id}/files/{upload_id}",
    "GET /api/submissions/{submission_id}/release.zip",
    "GET /api/submissions/{submission_id}/record",
    "POST /api/submissions/{submission_id}/comments",
    "POST /api/submissions/{submission_id}/decisions",
    "GET /api/submissions/{submission_id}/verdict/{system}",
    "POST /api/submissions/{submission_id}/decisions/{system}",
    "POST /api/submissions/{submission_id}/return",
    "POST /api/submissions/{submission_id}/assignments",
    "DELETE /api/submissions/{submission_id}/assignments/{person_id}",
    "POST /api/submissions/{submission_id}/assess",
    "POST /api/submissions/{submission_id}/cancel",
    "POST /api/submissions/{submission_id}/release",
    "POST /api/submissions/{submission_id}/refuse",
    "POST /api/submissions/{submission_id}/versions",
    "GET /api/projects",
    "GET /api/datasets",
    "GET /api/datasets/{dataset_id}/ledger",
]


def test_every_operation_is_tried(operations: dict[str, Any]) -> None:
    assert sorted(operations) == sorted(LABELS)


@pytest.mark.parametrize("label", LABELS)
def test_no_request_makes_the_service_fail(served: Service, operations: dict[str, Any], label: str) -> None:
    operation = operations[label]
    client = served.client("chloe")
    headers, cookies = api_headers(client), {"divulge": client.cookies["divulge"]}
    number = _number(client)

    # Few examples: each is a request, and the same few at every run.
    @settings(
        max_examples=8,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), is_there=booleans())
    def tried(case: Any, is_there: bool) -> None:
        if is_there and "submission_id" in (case.path_parameters or {}):
            # Numbers are drawn, and nobody makes up one that is there.
            case.path_parameters["submission_id"] = number
        answer = case.call(base_url=served.url, headers=headers, cookies=cookies, timeout=30)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert "Authorization" not in case.headers, "the log-in is what is tried"
            assert set(answer.json()["error"]) == {"type", "message", "where", "hint"}

    tried()


_DEEP = "[" * 5000 + "]" * 5000
HOSTILE = (
    '{"title": "a\\u0000b", "text": "a\\u0000b", "reason": "a\\u0000b", "name": "a\\u0000b", "password": "\\u0000", '
    '"choice": "refuse", "audience": "everybody", "project": 1, "dataset": 1, "person": 3, "purpose": "\\u0000", '
    '"outputs": [{"kind": "crosstab", "variables": ["AGE\\u0000"], "compute": true}]}',
    '{"title": "x", "project": 1, "dataset": 1, "outputs": [{"kind": "crosstab", "variables": ["AGE"], "compute": true'
    ', "where": "' + "(" * 3000 + '"}]}',
    '{"title": "x", "project": 1e400, "dataset": 1, "outputs": [{"kind": "crosstab", "decimals": 1e308}]}',
    '{"title": "x", "project": ' + "9" * 5000 + ', "person": ' + "9" * 5000 + "}",
    '{"outputs": ' + _DEEP + ', "title": ' + _DEEP + "}",
    '{"title": "x", "text": "x", "reason": "\\ud800"}',
    "\0",
    '{"title": "x',
)
"""What a generator seldom thinks of: NUL, deep nesting, numbers beyond all bounds, half a character, no end."""


@pytest.mark.parametrize("label", [label for label in LABELS if label.startswith("POST")])
def test_no_hostile_body_makes_the_service_fail(served: Service, label: str) -> None:
    client = served.client("rosa" if label.endswith("submissions") else "chloe")
    headers = {**api_headers(client), "content-type": "application/json"}
    address = label.removeprefix("POST ").format(submission_id=_number(client), system="airlock")
    for body in HOSTILE:
        answer = client.post(address, content=body.encode(), headers=headers)
        assert answer.status_code < 500, (body[:100], answer.text)


def test_submission_goes_all_the_way_by_program(served: Service) -> None:
    rosa, chloe, cyril = (served.client(name) for name in ("rosa", "chloe", "cyril"))
    sent = {"project": served.project, "dataset": served.dataset, "title": "By program", "outputs": [dict(OUTPUT)]}
    made = rosa.post("/api/submissions", json=sent, headers=api_headers(rosa)).json()
    address = f"/api/submissions/{made['id']}"
    assert made["can"]["comment"]
    assert not made["can"]["decide"]
    served.assess("release")
    for checker in (chloe, cyril):
        vote = {"choice": "release", "reason": "Large cells."}
        answer = checker.post(f"{address}/decisions", json=vote, headers=api_headers(checker))
        assert answer.status_code == 200
    assert chloe.get(f"{address}/record").json()["verdict"] == "release"
    done = cyril.post(f"{address}/release", headers=api_headers(cyril)).json()
    assert done["state"] == "released"
    assert rosa.get(done["release"]).headers["content-type"] == "application/zip"
    ledger = chloe.get(f"/api/datasets/{served.dataset}/ledger").json()
    assert [e["submission"] for e in ledger["releases"]] == [made["id"]]
    again = cyril.post(f"{address}/release", headers=api_headers(cyril))
    assert again.status_code == 409
    assert again.json()["error"]["type"] == "StateError"
