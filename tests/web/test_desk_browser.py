"""`divulge open` in Chromium: one command and five clicks from a CSV to a verdict, on a telephone and on a desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.support.desks import PEOPLE, SLOW, opened

pytestmark = pytest.mark.needs("chromium")


@pytest.mark.parametrize("width", [390, 1280])
def test_five_clicks_from_a_csv_to_a_verdict(browser: Browser, tmp_path: Path, width: int) -> None:
    data = tmp_path / "people.csv"
    data.write_text(PEOPLE, encoding="utf-8")
    place = opened(tmp_path / "mine")
    context = browser.new_context(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    refused: list[str] = []
    page.on("console", lambda m: refused.append(m.text) if "Content Security" in m.text else None)
    try:
        page.goto(place.address)
        found = _faults(page, "empty")
        page.get_by_label("Drop the file here, or choose it").set_input_files(data)  # the first click
        variables = page.get_by_role("group", name="Variables")
        variables.get_by_label("AGE").check()
        variables.get_by_label("SEX").check()
        found += _faults(page, "form")
        page.get_by_role("button", name="Assess").last.click()
        # Nobody loads anything again: the page follows the assessment to its end.
        expect(page.get_by_role("link", name="Read the report")).to_be_visible(timeout=1000 * SLOW)
        found += _faults(page, "verdict")
        with context.expect_page() as report:
            page.get_by_role("link", name="Read the report").click()  # the fifth
        expect(report.value.locator("h1").first).to_be_visible()
        assert found == []
        assert refused == []
    finally:
        context.close()
        place.close()


def test_a_long_spec_can_be_scrolled_from_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    place = opened(tmp_path / "mine")
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.set_default_timeout(1000 * SLOW)
    try:
        page.goto(place.address)
        long = ",".join(["AGE", "A_NAME_THAT_IS_FAR_TOO_LONG_FOR_THE_SIDE_OF_A_PAGE_AND_GOES_ON"])
        file = {"name": "people.csv", "mimeType": "text/csv", "buffer": f"{long}\n1,2\n2,1\n".encode()}
        page.get_by_label("Drop the file here, or choose it").set_input_files(file)
        page.get_by_role("group", name="Variables").get_by_label("A_NAME").check()
        page.get_by_role("button", name="Only add it to the list").click()
        expect(page.get_by_role("heading", name="Describe another output")).to_be_visible()
        assert _faults(page, "long spec") == []
    finally:
        page.close()
        place.close()


def _faults(page: Page, where: str) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        for fault in Axe().run(page).response["violations"]:
            found.append(f"{where} {scheme}: {fault['id']} {fault['nodes'][0]['html'][:160]}")
    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
        found.append(f"{where}: wider than its window")
    return found
