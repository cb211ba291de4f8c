"""What a researcher sees is the same whatever the data hold: nothing of them is learnt before a release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divulge.ledger import datasets, jobs, people, workflow
from divulge.ledger.export import export
from divulge.ledger.jobs import Progress
from divulge.ledger.model import Audience, Dataset
from divulge.table import read_table
from tests.support.service import FIGURES, Service, api_headers, build, post, record

SAFE = "AGE,SEX,ILL,CODE,ill then\n" + "".join(
    f"{40 + i % 2},{'FM'[i // 2 % 2]},{'no'},{i % 5},{'no'}\n" for i in range(60)
)
UNSAFE = "AGE,SEX,ILL,CODE,ill then\n" + "".join(
    f"{40 + i % 2 if i else 97},{'FM'[i // 2 % 2]},{ill},ID{4711 + 13 * i},{ill}\n"
    for i, ill in enumerate(["lupus" if i == 7 else "no" for i in range(60)])
)
"""The same variables; one person of 97, one with a rare illness, and a code that names everybody."""

TRIES: dict[str, dict[str, Any]] = {
    "a level that one of them has": {
        "kind": "crosstab",
        "variables": ["ILL"],
        "released": {"ILL=no": 59, "ILL=lupus": 1},
    },
    "a level that neither has": {"kind": "crosstab", "variables": ["ILL"], "released": {"ILL=plague": 1}},
    "an identifier": {"kind": "crosstab", "variables": ["CODE"], "released": {"CODE=ID4711": 1}},
    "computed": {"kind": "crosstab", "variables": ["ILL", "SEX"], "compute": True},
    "extremes": {"kind": "extremes", "variable": "AGE", "released": {"minimum": -99999, "maximum": 9999999}},
    "a condition on a value": {"kind": "crosstab", "variables": ["SEX"], "where": "ILL = lupus", "compute": True},
    "a condition on a number": {"kind": "crosstab", "variables": ["SEX"], "where": "AGE > 96", "compute": True},
    "too many figures": {"kind": "crosstab", "variables": ["SEX"], "released": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    "a model": {"kind": "logistic", "formula": "ILL ~ AGE + C(CODE)", "compute": True},
    "a mean": {"kind": "means", "variable": "AGE", "by": ["ILL"], "released": {"ILL=no": 40.5, "ILL=lupus": 41}},
}


class _Sides:
    """Two researchers with a dataset each, the one harmless and the other not."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.dataset: dict[str, int] = {}
        self.client = {"safe": service.client("rosa"), "unsafe": service.client("remy")}
        with service.ledger.writing() as session:
            people.add_member(session, None, service.project, service.ids["chloe"], remove=True)
            for name, text in (("safe", SAFE), ("unsafe", UNSAFE)):
                path = service.folder / f"{name}.csv"
                path.write_text(text, encoding="utf-8")
                project = people.add_project(session, None, f"Project of {name}").id
                made = datasets.register(session, None, f"data {name}", path)
                datasets.open_to(session, None, made.id, project)
                who = "rosa" if name == "safe" else "remy"
                people.add_member(session, None, project, service.ids[who])
                people.add_member(session, None, service.project, service.ids[who], remove=True)
                self.dataset[name] = made.id
                setattr(self, name, project)

    def submit(self, name: str, output: dict[str, Any]) -> Any:
        client = self.client[name]
        given = {"project": getattr(self, name), "dataset": self.dataset[name], "title": "T", "outputs": [output]}
        return client.post("/api/submissions", json=given, headers=api_headers(client))

    def seen(self, name: str, number: int) -> list[str]:
        """Everything that a researcher can look at, with numbers, names and moments of the two made alike."""
        client, found = self.client[name], []
        for address in (
            "/",
            "/home",
            "/dashboard",
            "/submissions",
            "/submissions?state=ready",
            "/submissions?state=assessing",
            "/submissions?q=T",
            f"/submissions/{number}",
            f"/submissions/{number}/progress",
            f"/submissions/{number}/report",
            "/submit",
            f"/submit/table?kind=crosstab&dataset={self.dataset[name]}",
            "/submit/spec",
            f"/projects/{getattr(self, name)}",
            f"/datasets/{self.dataset[name]}",
            "/api/submissions",
            f"/api/submissions/{number}",
            f"/api/submissions/{number}/record",
            "/api/datasets",
            "/api/projects",
        ):
            answer = client.get(address)
            found.append(f"{address.split('?')[0]} {answer.status_code} {answer.text}")
        return [_alike(text) for text in found]


def _alike(text: str) -> str:
    text = re.sub(r'(name="(csrf|token)" value=")[^"]+', r"\1", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)?|\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC", "MOMENT", text)
    text = re.sub(r"\d+ (day|hour|minute)s?<br>", "AGE", text)
    text = re.sub(r"unsafe|safe", "SIDE", text)
    text = re.sub(r"Rosa|Remy|rosa|remy", "WHO", text)
    before = r'(submissions/|datasets/|projects/|#|"id":|value="|project=|dataset=|replaces=)'
    return re.sub(before + r"\d+", r"\1N", text)


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[_Sides]:
    service = build(tmp_path)
    yield _Sides(service)
    service.close()


def test_answer_to_a_submission_is_the_same_whatever_the_data_hold(sides: _Sides) -> None:
    for what, output in TRIES.items():
        answers = [sides.submit(name, output) for name in ("safe", "unsafe")]
        told = {(a.status_code, _alike(a.text)) for a in answers}
        assert len(told) == 1, what


def test_researcher_sees_the_same_at_every_stage_of_every_outcome(sides: _Sides) -> None:
    service = sides.service
    number = {n: int(sides.submit(n, TRIES["computed"]).json()["id"]) for n in ("safe", "unsafe")}
    assert sides.seen("safe", number["safe"]) == sides.seen("unsafe", number["unsafe"])
    leases = {}
    for _ in number:
        lease = jobs.take_job(service.ledger, "test")
        assert lease is not None
        leases[lease.submission_id] = lease
    leases[number["unsafe"]].renew(Progress("Output 1, the exposed again", 3, 9, 12.0))
    assert sides.seen("safe", number["safe"]) == sides.seen("unsafe", number["unsafe"])
    leases[number["safe"]].finish(record("release"), [FIGURES])
    # One is assessed, the other still running; then it fails; then it is assessed, and refused by its verdict.
    before = sides.seen("safe", number["safe"])
    assert before == sides.seen("unsafe", number["unsafe"])
    leases[number["unsafe"]].fail("there is no figure 'ILL=lupus'.")
    assert before == sides.seen("unsafe", number["unsafe"])
    with service.ledger.writing() as session:
        workflow.assess(session, service.ids["chloe"], number["unsafe"])
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    lease.finish(record("refuse"), [FIGURES])
    assert before == sides.seen("unsafe", number["unsafe"])
    with service.ledger.writing() as session:
        workflow.comment(session, service.ids["chloe"], number["unsafe"], "One is exposed.", audience=Audience.CHECKERS)
    assert before == sides.seen("unsafe", number["unsafe"])
    assert "lupus" not in "".join(before)


BESIDE: dict[str, dict[str, Any]] = {
    "a condition": {"where": "ILL = lupus"},
    "a condition on a name of two words": {"where": "`ill then` = lupus"},
    "a coarser variable that is not in it": {"coarser": {"ILL": {"merge": [["no", "lupus"]]}}},
    "weights": {"weights": "ILL"},
}


@pytest.mark.parametrize("what", BESIDE)
def test_nothing_beside_public_variables_tells_of_those_that_are_not(sides: _Sides, what: str) -> None:
    with sides.service.ledger.writing() as session:
        for number in sides.dataset.values():
            session.get_one(Dataset, number).public = ["SEX"]
    output = {"kind": "crosstab", "variables": ["SEX"], "compute": True, **BESIDE[what]}
    answers = [sides.submit(name, output) for name in ("safe", "unsafe")]
    assert len({(a.status_code, _alike(a.text)) for a in answers}) == 1


def test_dataset_of_another_project_is_not_there(sides: _Sides) -> None:
    client = sides.client["safe"]
    assert "data unsafe" not in client.get("/submit/spec").text + client.get("/api/datasets").text
    given = {"project": sides.safe, "title": "T", "outputs": [TRIES["computed"]]}
    told = set()
    for dataset in (sides.dataset["unsafe"], 99_999):
        answer = client.post("/api/submissions", json={**given, "dataset": dataset}, headers=api_headers(client))
        told.add((answer.status_code, answer.text))
        fields = {"project": given["project"], "dataset": dataset, "title": "T", "text": "outputs: []"}
        page = post(client, "/submit/spec", fields)
        assert page.status_code == 403
    assert len(told) == 1


def test_values_that_the_custodian_makes_public_are_told(sides: _Sides) -> None:
    output = {"kind": "crosstab", "variables": ["SEX"], "released": {"SEX=X": 1}}
    assert sides.submit("safe", output).status_code == 201
    answer = post(sides.service.client("dora"), f"/datasets/{sides.dataset['safe']}/public", {"public": "SEX"})
    assert answer.status_code == 303
    assert "there is no figure" in sides.submit("safe", output).text


def test_identifiers_are_kept_nowhere(sides: _Sides) -> None:
    with sides.service.ledger.reading() as session:
        dataset = session.get_one(Dataset, sides.dataset["unsafe"])
        assert "ID47" not in str(dataset.schema)
        assert "ID47" not in str(export(session))
    # A worker reads the data with that schema, and finds that they are those that were registered.
    assert datasets.fingerprint(read_table(dataset.path, datasets.schema_of(dataset))) == dataset.fingerprint
