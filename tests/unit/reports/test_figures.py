"""Every figure of every format is the record's, to the printed digits: they are read back and compared."""

from __future__ import annotations

import copy
import csv
import io
from typing import Any

import pytest

from divulge.reports import Csv, Html, Markdown, card
from divulge.reports.blocks import Source
from tests.support.reading import Page, at, is_printed, markdown_tables
from tests.support.records import census_record

SPECS = ("safe", "unsafe", "several")


@pytest.fixture(scope="module", params=SPECS)
def record(request: pytest.FixtureRequest) -> dict[str, Any]:
    return census_record(request.param)


def _wrong(record: dict[str, Any], figures: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(where, text) for where, text in figures if not is_printed(text, at(record, where))]


@pytest.mark.slow
def test_every_figure_in_html_is_the_records(record: dict[str, Any]) -> None:
    figures = Page(Html().render(record)).figures
    assert len(figures) > 200
    assert _wrong(record, figures) == []
    # The whole record is shown, not only a part of it.
    shown = {where for where, _ in figures}
    assert {"/exposure/exposed", "/risk/0/marginal_risk/value", "/outputs/0/values/0/released"} <= shown


@pytest.mark.slow
def test_a_figure_that_is_not_the_records_is_found(record: dict[str, Any]) -> None:
    page = Html().render(record)
    changed = copy.deepcopy(record)
    changed["risk"][0]["marginal_risk"]["value"] += 0.001
    assert _wrong(changed, Page(page).figures)


@pytest.mark.slow
def test_markdown_has_the_same_tables_as_html(record: dict[str, Any]) -> None:
    pages = [[[" ".join(c.split()) for c in row] for row in t] for t in Page(Html().render(record)).tables]
    texts = [[[" ".join(c.split()) for c in row] for row in t] for t in markdown_tables(Markdown().render(record))]
    assert len(texts) > 5
    assert texts == pages


def test_every_figure_in_csv_is_the_records(record: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(Csv().render(record))))
    figures = [(row["source"], row["value"]) for row in rows if row["source"] and row["section"] != "verdict"]
    assert len(figures) > 200
    assert _wrong(record, figures) == []


def test_every_figure_in_the_card_is_the_records(record: dict[str, Any]) -> None:
    made = Page(card(record))
    assert len(made.figures) >= 4
    assert _wrong(record, made.figures) == []
    assert record["verdict"] in made.words


@pytest.mark.parametrize(
    ("value", "four", "short", "whole"),
    [
        (0.12345, "0.1235", "0.12345", "0"),
        (-0.00001, "0.0000", "-0.000010", "0"),
        (2.8857e-05, "0.0000", "0.000029", "0"),
        (1234.5, "1234.5000", "1234.5", "1,234"),
        (12345678.0, "12345678.0000", "12,345,678", "12,345,678"),
        (None, "undefined", "undefined", "undefined"),
    ],
)
def test_figures_are_printed_with_the_digits_that_matter(
    value: float | None, four: str, short: str, whole: str
) -> None:
    source = Source({"x": value})
    assert source.four("x").text == four
    assert source.short("x").text == short
    assert source.whole("x").text == whole
    assert source.four("x").source == "/x"
