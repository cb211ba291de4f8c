"""The form for a table of figures: lists of numbers, a pasted table of two variables, and a new version filled in."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.ledger import workflow
from divulge.ledger.model import Submission
from divulge.web.forms import find_form, read_fields
from divulge.web.intake import figures_csv
from tests.support.service import Service, post


@pytest.mark.parametrize(
    ("kind", "given", "wanted"),
    [
        ("crosstab", {"variables": ["a", "b"], "decimals": ["2"]}, {"decimals": 2}),
        ("position", {"variables": ["a"], "quantiles": ["0.1, 0.5"]}, {"quantiles": [0.1, 0.5]}),
        ("histogram", {"variable": ["a"], "breaks": ["0, 10, 20"]}, {"breaks": [0, 10, 20]}),
        ("survival", {"time": ["a"], "event": ["b"], "times": ["1, 2, 5"]}, {"times": [1, 2, 5]}),
    ],
)
def test_numbers_typed_into_a_form_are_numbers(kind: str, given: dict[str, list[str]], wanted: dict[str, Any]) -> None:
    found = read_fields(find_form(kind), given)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("pasted", "first"),
    [
        ("AGE\tF\tM\tTotal\n40\t1\t2\t3\n41\t3\t<5\t8\nTotal\t4\t7\t11", "AGE=40 & SEX=F,1"),
        ("\tF\tM\n40\t1\t2\n41\t3\t<5", "AGE=40 & SEX=F,1"),
        ("SEX,40,41\nF,1,3\nM,2,<5", "AGE=40 & SEX=F,1"),
    ],
)
def test_table_of_two_variables_is_read_as_it_stands_in_a_spreadsheet(pasted: str, first: str) -> None:
    lines = figures_csv(pasted, ["AGE", "SEX"]).splitlines()
    assert lines[0] == "term,value"
    assert lines[1] == first
    assert sorted(lines[1:])[-1] == "AGE=41 & SEX=M,<5"
    assert len(lines) == 5


def test_list_of_figures_is_still_a_list() -> None:
    assert figures_csv("AGE=40 & SEX=F, 13, 2\nAGE=41 & SEX=F, 12, 3", ["AGE", "SEX"]).startswith("term,value,se\n")


def _sent(service: Service) -> int:
    fields = {
        "project": service.project,
        "dataset": service.dataset,
        "title": "Age and sex",
        "kind": "crosstab",
        "field-variables": ["AGE", "SEX"],
        "field-decimals": "0",
        "figures": "AGE\tF\tM\n40\t13\t13\n41\t13\t13",
    }
    answer = post(service.client("rosa"), "/submit/table", fields)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].split("?")[0].rpartition("/")[2])


def test_new_version_starts_with_what_the_old_one_said(service: Service) -> None:
    number = _sent(service)
    with service.ledger.writing() as session:
        workflow.withdraw(session, service.ids["rosa"], number)
    page = service.client("rosa").get(f"/submit/table?replaces={number}").text
    assert "AGE=40 &amp; SEX=F,13" in page
    assert 'value="AGE" checked' in page
    assert 'value="Age and sex"' in page
    # Not for anybody else.
    assert service.client("remy").get(f"/submit/table?replaces={number}").status_code == 404


def test_new_version_of_a_spec_keeps_the_files_that_were_not_sent_anew(service: Service) -> None:
    spec = "outputs: [{kind: crosstab, variables: [SEX], released: sex.csv}]"
    fields = {"project": service.project, "dataset": service.dataset, "title": "T", "text": spec}
    files = [("files", ("sex.csv", b"term,value\nSEX=F,26\nSEX=M,26\n")), ("files", ("code.do", b"tab SEX"))]
    client = service.client("rosa")
    answer = post(client, "/submit/spec", fields, files=files)
    number = int(answer.headers["location"].split("?")[0].rpartition("/")[2])
    with service.ledger.writing() as session:
        workflow.withdraw(session, service.ids["rosa"], number)
    assert "released: sex.csv" in client.get(f"/submit/spec?replaces={number}").text
    again = [("files", ("code.do", b"tab SEX, missing"))]
    answer = post(client, "/submit/spec", {"replaces": number, "title": "T", "text": spec}, files=again)
    assert answer.status_code == 303, answer.text
    with service.ledger.reading() as session:
        newer = session.get_one(Submission, number).replaced_by
        assert newer is not None
        assert [(u.name, u.size) for u in newer.uploads] == [("code.do", 16), ("sex.csv", 29)]
