"""A headless Chromium without a network, and pages opened in it from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from divulge.reports import Html
from divulge.reports.compare import compared, comparison_page
from tests.support.records import census_record, spiteful_record


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a report by its name, written the first time that it is asked for."""
    folder = tmp_path_factory.mktemp("reports")

    def made(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(_page(name), encoding="utf-8")
        return path

    return made


def _page(name: str) -> str:
    if name == "spiteful":
        return Html().render(spiteful_record(census_record("safe")))
    if name == "comparison":
        return comparison_page(compared([(n, census_record(n)) for n in ("unsafe", "safe")]))
    record = census_record(name)
    # Enough rows for a table that scrolls; hundreds would only take axe its time.
    record["outputs"][0]["values"] = record["outputs"][0]["values"][:80]
    return Html().render(record)


@dataclass
class Opened:
    """A page in the browser, what it complained of, and what it asked for beyond its own file."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def opened(browser: Browser, reports: Callable[[str], Path]) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def open_page(name: str, width: int = 1280, scheme: Any = "light") -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        # Two seconds for a page are plenty; a minute is for a machine that does much else.
        page.set_default_timeout(60_000)
        found = Opened(page)
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("dialog", lambda dialog: found.complaints.append(f"dialog: {dialog.message}"))
        address = reports(name).as_uri()
        page.on("request", lambda request: found.asked.append(request.url) if request.url != address else None)
        page.goto(address)
        page.wait_for_function("document.querySelectorAll('.plot:not(.drawn)').length === 0")
        return found

    yield open_page
    for context in contexts:
        context.close()
