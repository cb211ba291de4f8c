"""Rules and arithmetic on the page of a submission: rule, figure, value, meaning, proof; for checkers alone."""

from __future__ import annotations

import copy
from typing import Any

from divulge.ledger import jobs
from divulge.web.rulings import is_clean, marks_of
from tests.support.service import FIGURES, Service, record

LABEL = "AGE=40 & SEX=F"


def _record(severity: str = "refuse") -> dict[str, Any]:
    made = copy.deepcopy(record("refuse"))
    breach = {"rule": "threshold", "severity": severity, "outputs": [0], "figures": [LABEL], "people": 3}
    made["rules"] = {
        "profile": {"title": "A rule book of ours"},
        "broken": [{"rule": "threshold", "asks": "At least ten people in every cell.", "source": "Somebody 2020"}],
        "findings": [{**breach, "sentence": "A cell has fewer than ten people."}],
    }
    proved = {"rule": "exact", "severity": severity, "outputs": [0], "figures": [LABEL], "people": None}
    chain = "All people - AGE=41 - AGE=40 & SEX=M = 13"
    cell = {"output": 0, "label": LABEL, "low": 13.0, "high": 13.0, "status": "exact", "chain": chain}
    made["audit"] = {
        "findings": [{**proved, "sentence": "A withheld figure follows from the others."}],
        "cells": [cell],
        "unreached": [{"output": 0, "reason": "its figures are no sums"}],
        "notes": [],
    }
    return made


def _assessed(service: Service, made: dict[str, Any]) -> int:
    number = service.submit()
    lease = jobs.take_job(service.ledger, "test")
    assert lease is not None
    lease.finish(made, [FIGURES])
    return number


def test_checker_sees_rule_figure_value_meaning_and_proof(service: Service) -> None:
    number = _assessed(service, _record())
    page = service.client("chloe").get(f"/submissions/{number}").text
    for words in (
        "A rule book of ours",
        "A cell has fewer than ten people.",
        "AGE=40 &amp; SEX=F = <strong>13</strong>",
        "At least ten people in every cell.",
        "Somebody 2020",
        "All people - AGE=41 - AGE=40 &amp; SEX=M = 13",
        "its figures are no sums",
    ):
        assert words in page, words


def test_cells_that_a_rule_names_are_coloured_and_say_it_in_words(service: Service) -> None:
    number = _assessed(service, _record())
    page = service.client("chloe").get(f"/submissions/{number}").text
    assert page.count('<td class="n broken"') == 1
    assert "refuse: exact, threshold" in page


def test_researcher_sees_neither_rules_nor_colours(service: Service) -> None:
    number = _assessed(service, _record())
    page = service.client("rosa").get(f"/submissions/{number}").text
    for words in ("Rules and arithmetic", "threshold", "broken", "A rule book"):
        assert words not in page, words


def test_output_is_clean_only_where_it_is_to_be_released_and_nothing_but_notes_was_found() -> None:
    assert not is_clean({**_record("note"), "verdict": "review"})
    assert is_clean({**_record("note"), "verdict": "release"})
    assert not is_clean({**_record("review"), "verdict": "release"})
    assert marks_of(_record("review"), 1)[LABEL].look == "doubted"
    assert marks_of(_record("review"), 2) == {}
