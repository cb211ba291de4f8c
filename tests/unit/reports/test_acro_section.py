"""What a report says of a folder of ACRO: its status beside our verdict, figures that disagree, what was not read."""

from __future__ import annotations

import copy
import csv
import io
from typing import Any

import pytest
from markdown import markdown

from divulge.reports import Csv, Html, Markdown
from tests.support.reading import Page, at, is_printed, markdown_tables
from tests.support.records import SPITE, census_record

NOTE = "Its R² is compared with the data, and not searched for."


def _entry(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": "table",
        "method": "crosstab",
        "status": "fail",
        "intact": True,
        "verdict": "release",
        "exposed": 0,
        "reason": None,
        "notes": [],
        "figures": 1_234,
        "agreeing": 1_234,
        "disagreeing": [],
        **more,
    }


ENTRIES = [
    _entry("output_0", notes=[NOTE]),
    _entry("output_1", verdict="refuse", exposed=1_007, agreeing=1_230, disagreeing=["a & b", "c"], notes=[NOTE]),
    _entry(
        "output_2", type="histogram", method=None, status="review", verdict=None, reason="a histogram is a picture."
    ),
]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    made = census_record("several")
    return {**made, "acro": {"folder": "survey", "version": "1.0.2", "outputs": copy.deepcopy(ENTRIES)}}


def _words(page: str) -> str:
    return " ".join("".join(Page(page).words).split())


@pytest.mark.slow
def test_status_of_acro_stands_beside_the_verdict(record: dict[str, Any]) -> None:
    tables = Page(Html().render(record)).tables
    assert [row[:5] for row in tables[0]] == [
        ["Output", "What it is", "ACRO", "Divulge, alone", "Exposed people"],
        ["output_0", "crosstab", "fail", "release", "0"],
        ["output_1", "crosstab", "fail", "refuse", "1,007"],
    ]
    assert [row[5] for row in tables[0][1:]] == ["1,234 of 1,234", "1,230 of 1,234"]
    assert tables[1][1:] == [["output_2", "histogram", "review", "A histogram is a picture."]]
    assert markdown_tables(Markdown().render(record))[:2] == tables[:2]


def test_figures_that_the_data_do_not_give_are_named(record: dict[str, Any]) -> None:
    said = _words(Html().render(record))
    assert "output_1: the data give 1,230 of its 1,234 figures. They do not give a & b, c, and 2 more." in said
    assert "output_0: the data give" not in said
    assert "2 of 3 outputs in the folder survey, which ACRO 1.0.2 wrote, were assessed." in said
    assert "left to the checker" in said


def test_note_on_several_outputs_is_said_once(record: dict[str, Any]) -> None:
    said = _words(Html().render(record))
    assert said.count(NOTE) == 1
    assert f"output_0, output_1: {NOTE}" in said


def test_changed_file_is_pointed_out(record: dict[str, Any]) -> None:
    assert "its checksum differs" not in _words(Html().render(record))
    changed = copy.deepcopy(record)
    changed["acro"]["outputs"][0]["intact"] = False
    assert "output_0 was changed after ACRO wrote it: its checksum differs." in _words(Html().render(changed))


def test_summary_of_acro_is_nothing_to_warn_of(record: dict[str, Any]) -> None:
    own = copy.deepcopy(record)
    own["acro"]["outputs"][2]["name"] = "summary-DONT_RELEASE"
    assert "left to the checker" not in _words(Html().render(own))


def test_every_figure_about_the_folder_is_the_records(record: dict[str, Any]) -> None:
    figures = [f for f in Page(Html().render(record)).figures if f[0].startswith("/acro")]
    rows = csv.DictReader(io.StringIO(Csv().render(record)))
    figures += [(row["source"], row["value"]) for row in rows if row["source"].startswith("/acro")]
    assert len(figures) == 2 * 6 + 2
    assert all(is_printed(text, at(record, where)) for where, text in figures)


def test_hostile_words_of_a_folder_stay_words(record: dict[str, Any]) -> None:
    spiteful = copy.deepcopy(record)
    words = iter(SPITE * 20)
    spiteful["acro"] |= {"folder": next(words), "version": next(words)}
    for entry in spiteful["acro"]["outputs"]:
        entry |= {key: next(words) for key in ("name", "type", "method", "status")}
        entry |= {"notes": [next(words)], "disagreeing": [next(words)], "agreeing": 3, "intact": False}
    spiteful["acro"]["outputs"][2]["reason"] = SPITE[0]
    plain, page = Page(Html().render(record)), Page(Html().render(spiteful))
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "<script>alert(1)</script>" in "".join(page.words)
    text = Page(markdown(Markdown().render(spiteful), extensions=["tables"]))
    assert {tag for tag, _ in text.tags} & {"script", "a", "img"} == set()
    assert all(len({len(row) for row in table}) == 1 for table in text.tables), "a name broke out of its cell"


def test_record_without_a_folder_has_no_such_section() -> None:
    assert 'id="acro"' not in Html().render(census_record("several"))
