"""The queue as people use it, in both databases: search, filters, counts and pages; and from a form to a release."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from divulge.ledger import jobs, workflow
from divulge.ledger.model import Choice
from tests.support.service import OUTPUT, Service, post


def _shown(client: httpx.Client, address: str) -> list[int]:
    """The numbers of the submissions on a page, in its order."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return [int(n) for n in re.findall(r'class="title" href="/submissions/(\d+)"', answer.text)]


def _counts(client: httpx.Client, address: str) -> dict[str, int]:
    """How many there are in each state, as the tabs say."""
    tabs = re.search(r'<ul class="tabs">(.*?)</ul>', client.get(address).text, re.DOTALL)
    assert tabs is not None
    return {word: int(n) for word, n in re.findall(r">(\w+) (\d+)</a>", tabs[1])}


def test_search_finds_titles_people_outputs_kinds_and_numbers(either: Service) -> None:
    first = either.submit("rosa", "Pay by region, 50% of it")
    second = either.submit("remy", "Health of the old", {**OUTPUT, "name": "Falls_and_breaks"})
    client = either.client("chloe")
    found = {
        "pay BY": [first],
        "50%": [first],
        "%": [first],
        "Remy": [second],
        "falls_AND": [second],
        "_": [second],
        "crosstab": [second, first],
        f"#{second}": [second],
        str(first): [first],
        "nobody wrote this": [],
        "' OR 1=1 --": [],
    }
    for sought, expected in found.items():
        assert _shown(client, str(httpx.URL("/submissions", params={"q": sought}))) == expected, sought
    assert _shown(either.client("rosa"), "/submissions?q=crosstab") == [first]


def test_filters_counts_and_states_agree(either: Service) -> None:
    ready, returned, waiting = either.make("ready"), either.make("returned"), either.submit("remy", "Waiting")
    with either.ledger.writing() as session:
        workflow.assign(session, either.ids["chloe"], ready, either.ids["chloe"])
        workflow.decide(session, either.ids["cyril"], ready, Choice.RELEASE, "Fine.")
    chloe, cyril = either.client("chloe"), either.client("cyril")
    expected = {"All": 3, "Submitted": 1, "Assessing": 0, "Ready": 1, "Released": 0, "Returned": 1, "Refused": 0}
    assert _counts(chloe, "/submissions") == expected
    assert _counts(chloe, "/submissions?state=ready") == expected
    assert _counts(chloe, "/submissions?q=rosa") == {**expected, "All": 2, "Submitted": 0}
    shown = {
        "state=ready": [ready],
        "state=returned&q=rosa": [returned],
        "q=rosa": [returned, ready],
        "whose=assigned": [ready],
        "whose=unassigned": [waiting, returned],
        "whose=undecided": [ready],
        "whose=mine": [],
        "project=1&dataset=1": [waiting, returned, ready],
        "project=99": [],
        "page=2": [],
        "q=rosa&page=2": [],
        "state=nonsense&project=x": [waiting, returned, ready],
    }
    for query, numbers in shown.items():
        assert _shown(chloe, f"/submissions?{query}") == numbers, query
    assert _shown(cyril, "/submissions?whose=undecided") == []
    line = re.search(r"1 of 2 decided.*?with Chloe", chloe.get("/submissions?state=ready").text, re.DOTALL)
    assert line is not None


def test_long_list_is_paged_with_and_without_a_search(either: Service) -> None:
    numbers = [either.submit("rosa", f"Table {i}") for i in range(27)]
    client = either.client("chloe")
    for query in ("", "q=table&"):
        pages = [_shown(client, f"/submissions?{query}page={page}") for page in (1, 2)]
        assert [len(page) for page in pages] == [25, 2]
        assert [n for page in pages for n in page] == numbers[::-1]
    assert _shown(client, "/submissions?q=Table+2") == [numbers[i] for i in (*range(26, 19, -1), 2)]


def test_failed_assessment_is_marked_until_it_is_tried_again(either: Service) -> None:
    number, client = either.submit(), either.client("chloe")
    lease = jobs.take_job(either.ledger, "test")
    assert lease is not None
    lease.fail("It took too long.")
    assert "Assessment failed" in client.get("/submissions").text
    assert "Assessment failed" not in either.client("rosa").get("/submissions").text, "a researcher sees one state"
    with either.ledger.writing() as session:
        workflow.assess(session, either.ids["chloe"], number)
    assert "Assessment failed" not in client.get("/submissions").text


def test_submission_goes_from_its_form_to_its_release_by_pages(either: Service) -> None:
    rosa, chloe, cyril = (either.client(name) for name in ("rosa", "chloe", "cyril"))
    sent: dict[str, Any] = {"project": either.project, "dataset": either.dataset, "title": "Women and men"}
    sent |= {"kind": "crosstab", "field-variables": "SEX", "figures": "SEX=F,26\nSEX=M,26"}
    made = post(rosa, "/submit/table", sent)
    assert made.status_code == 303, made.text
    address = made.headers["location"].split("?")[0]
    either.assess("release")
    for client in (chloe, cyril):
        assert "verdict" in client.get(address).text
        answer = post(client, f"{address}/decide", {"choice": "release", "reason": "Large cells."})
        assert answer.status_code == 303, answer.text
    assert post(cyril, f"{address}/release").status_code == 303
    assert rosa.get(f"{address}/release.zip").headers["content-type"] == "application/zip"
    assert "Women and men" in chloe.get(f"/datasets/{either.dataset}").text
    assert _shown(rosa, "/submissions?state=released") == [int(address.rsplit("/", 1)[1])]


@pytest.mark.parametrize("number", ["0", "2147483648", "9" * 18, "9" * 40])
def test_number_that_no_database_can_hold_is_no_submission(either: Service, number: str) -> None:
    client = either.client("chloe")
    for address in (f"/submissions/{number}", f"/api/submissions/{number}", f"/datasets/{number}"):
        assert client.get(address).status_code in (404, 422), address
    assert post(client, f"/submissions/{number}/comment", {"text": "x"}).status_code == 404
    assert post(client, f"/submissions/{either.submit()}/assign", {"person": number}).status_code in (403, 404, 422)
    assert _shown(client, f"/submissions?q={number}") == []
