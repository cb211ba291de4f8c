"""Real people on real pages, in Chromium: two researchers and two checkers, from a submission to its release.

Every page is looked at by axe-core, light and dark, on a phone and on a desk.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi.routing import iter_route_contexts
from playwright.sync_api import Browser, Page, expect
from starlette.routing import compile_path

from divulge.ledger import datasets, workflow
from divulge.ledger.model import Person
from divulge.ledger.proposals import Proposal
from divulge.ledger.worker import Limits, Worker
from divulge.web import recognising
from tests.support.service import OUTPUT, PASSWORD, Service, build
from tests.web.test_pictures import FILES

SLOW = 120_000
"""Milliseconds: an assessment takes two seconds, and a minute where kernels are compiled first on a busy machine."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = build(Path(tmp_path_factory.mktemp("browser")))
    with made.ledger.writing() as session:
        dora = session.get_one(Person, made.ids["dora"])
        quick = {"design": {"kind": "repeated-halves", "splits": 2}}
        datasets.change_settings(session, dora, made.dataset, quick)
    yield made
    made.close()


@pytest.fixture(scope="module")
def worker(service: Service) -> Iterator[None]:
    """A real worker: assessments run in processes of their own, as in a deployment."""
    stop = threading.Event()
    limits = Limits(poll=0.1, heartbeat=0.1)
    thread = threading.Thread(target=Worker(service.ledger, stop, limits).run, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join(timeout=30)


class Desk:
    """Somebody's browser."""

    def __init__(self, browser: Browser, service: Service, name: str, script: bool = True) -> None:
        self.context = browser.new_context(java_script_enabled=script, base_url=service.url)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.refused: list[str] = []
        self.page.on("console", lambda m: self.refused.append(m.text) if "Content Security" in m.text else None)
        self.page.goto("/log-in")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/home")

    def close(self) -> None:
        assert self.refused == []
        self.context.close()


def submit(desk: Desk, title: str, figures: str) -> str:
    """Hand in a table by its form; the address of the submission."""
    page = desk.page
    page.goto("/submit")
    page.get_by_role("link", name="Fill in the form").click()
    page.get_by_label("Kind of output").select_option("crosstab")
    page.wait_for_url("**kind=crosstab**")
    fill(page, title, figures)
    return page.url.split("?")[0]


def fill(page: Page, title: str, figures: str) -> None:
    page.get_by_label("Title").fill(title)
    page.get_by_role("group", name="Variables").get_by_label("SEX").check()
    page.get_by_label("or the figures themselves").fill(figures)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url("**/submissions/*")


def test_two_researchers_and_two_checkers_from_submission_to_release(
    service: Service, worker: None, browser: Browser
) -> None:
    rosa, remy = Desk(browser, service, "rosa"), Desk(browser, service, "remy")
    chloe, cyril = Desk(browser, service, "chloe"), Desk(browser, service, "cyril")

    address = submit(rosa, "Women and men", "SEX=F, 26\nSEX=M, 26")
    expect(rosa.page.get_by_text("It is being looked at.")).to_be_visible()

    other = submit(remy, "Remy's own", "SEX=F, 26\nSEX=M, 26")
    remy.page.get_by_role("button", name="Withdraw it").click()
    expect(remy.page.get_by_text("Withdrawn. You can submit")).to_be_visible()
    assert remy.page.goto(address).status == 404  # type: ignore[union-attr]
    assert rosa.page.goto(other).status == 404  # type: ignore[union-attr]

    page = chloe.page
    page.goto("/submissions")
    page.get_by_role("link", name="Women and men").click()
    # Nobody loads anything again: the page of a checker follows the assessment by itself, to its end.
    expect(page.get_by_role("heading", name="What the assessment says")).to_be_visible(timeout=SLOW)
    page.get_by_text("The whole report").click()
    expect(page.frame_locator("iframe.report").locator("h1").first).to_be_visible(timeout=SLOW)
    page.get_by_label("Say something").fill("Is this about one year?")
    page.get_by_role("button", name="Comment").click()
    page.get_by_text("Return it to be changed").click()
    page.get_by_label("What should change, and why").fill("Please round to fives.")
    page.get_by_role("button", name="Return it", exact=True).click()
    expect(page.get_by_text("Returned to the researcher")).to_be_visible()

    page = rosa.page
    page.goto(address)
    expect(page.get_by_text("Please round to fives.")).to_be_visible()
    page.get_by_role("link", name="Submit a new version").click()
    page.get_by_label("Kind of output").select_option("crosstab")
    page.wait_for_url("**kind=crosstab**")
    fill(page, "Women and men, rounded", "SEX=F, 26\nSEX=M, 26")
    address = page.url.split("?")[0]
    expect(page.get_by_role("heading", name="With the checkers")).to_be_visible(timeout=SLOW)

    for desk in (chloe, cyril):
        desk.page.goto(address)
        expect(desk.page.get_by_role("heading", name="What the assessment says")).to_be_visible(timeout=SLOW)
        desk.page.get_by_label("Approve", exact=True).check()
        desk.page.get_by_label("Reason").fill("The cells are large.")
        desk.page.get_by_role("button", name="Decide").click()
    cyril.page.get_by_role("button", name="Release it now").click()
    expect(cyril.page.get_by_text("Released. The files can be downloaded")).to_be_visible()

    rosa.page.goto(address)
    with rosa.page.expect_download() as download:
        rosa.page.get_by_role("link", name="Download the released files").click()
    assert download.value.suggested_filename.startswith("release-")
    for desk in (rosa, remy, chloe, cyril):
        desk.close()


def test_everything_works_without_script(service: Service, browser: Browser) -> None:
    desk = Desk(browser, service, "rosa", script=False)
    page = desk.page
    page.goto("/submit/table?kind=crosstab&dataset=1")
    fill(page, "Without script", "SEX=F, 26\nSEX=M, 26")
    # Chromium driven without script leaves what is in noscript unread, and loads nothing again.
    assert '<meta http-equiv="refresh" content="5">' in service.client("chloe").get(page.url).text
    page.get_by_label("Say something").fill("By hand.")
    page.get_by_role("button", name="Comment").click()
    expect(page.get_by_text("By hand.")).to_be_visible()
    desk.close()


def test_a_title_stays_when_another_kind_is_chosen(service: Service, browser: Browser) -> None:
    desk = Desk(browser, service, "rosa")
    desk.page.goto("/submit/table?kind=crosstab&dataset=1")
    desk.page.get_by_label("Title").fill("Tenure by sex")
    desk.page.get_by_label("Kind of output").select_option("logistic")
    expect(desk.page).to_have_url(re.compile("kind=logistic"))
    expect(desk.page.get_by_label("Title")).to_have_value("Tenure by sex")
    desk.close()


def test_the_decision_is_one_step_from_the_verdict_on_a_telephone(service: Service, browser: Browser) -> None:
    desk = Desk(browser, service, "chloe")
    desk.page.set_viewport_size({"width": 360, "height": 740})
    desk.page.goto(f"/submissions/{service.make('ready')}")
    decide = desk.page.get_by_role("link", name="Decide")
    expect(desk.page.get_by_role("heading", name="Decision")).not_to_be_in_viewport()
    decide.click()
    expect(desk.page.get_by_role("heading", name="Decision")).to_be_in_viewport()
    desk.page.set_viewport_size({"width": 1280, "height": 740})
    expect(decide).to_be_hidden()
    desk.close()


LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (390, 1280)]


NO_PAGES = frozenset(
    {
        "/",
        "/log-in/back",
        "/log-in/elsewhere",
        "/static/{name}",
        "/health",
        "/api/openapi.json",
        "/submissions/{submission_id}/files/{upload_id}",
        "/submissions/{submission_id}/files/{upload_id}/picture",
        "/submissions/{submission_id}/progress",
        "/submissions/{submission_id}/release.zip",
        "/submissions/{submission_id}/report",
        "/submissions/{submission_id}/correct",
        "/submissions/{submission_id}/handed-in",
    }
)
"""Addresses that show no page of ours: they send elsewhere, or a file, a picture, news. The report and what is read in
files have tests of their own (`test_report.py`, `test_browser_files.py`)."""


def with_files(service: Service) -> tuple[int, dict[str, int]]:
    """A submission with a file of every sort that the viewer shows, to leave and to stay, and the files' numbers."""
    markdown = b"# Notes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    files = {**FILES, "notes.md": markdown, "table.csv": b"a,b\n1,2\n", "long.log": b"x" * 3000 + b"\n"}
    with service.ledger.writing() as session:
        kept = [(name, service.ledger.store.put(content)) for name, content in files.items()]
        others = [(name, blob, "It is needed.") for name, blob in kept[:3]]
        proposal = Proposal("With files", [dict(OUTPUT)], kept[3:], others)
        made = workflow.submit(session, service.ids["rosa"], service.project, service.dataset, proposal)
        found = made.id, {u.name: u.id for u in made.uploads}
    service.assess("release")
    return found


def test_no_page_has_a_fault_that_axe_finds_or_is_wider_than_its_window(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files are read in this process: to start another takes a minute on a busy machine.
    monkeypatch.setattr(recognising, "_read_aside", recognising.recognise)
    made = {how: f"/submissions/{service.make(how)}" for how in ("released", "ready", "returned", "against", "favour")}
    number, files = with_files(service)
    waiting = f"/submissions/{service.submit()}"
    pages = {
        "rosa": ["/home", "/submissions", made["released"], made["returned"], waiting, "/projects", "/account"],
        "chloe": ["/home", "/dashboard", "/reasons", "/submissions", *made.values(), waiting, f"/submissions/{number}"],
        "ada": [
            "/submissions",
            "/datasets",
            "/projects",
            "/projects/1",
            "/people",
            "/account",
            "/account/tokens",
            "/api",
        ],
    }
    pages["rosa"] += ["/submit", *(f"/submit/{way}" for way in ("spec", "acro", "files"))]
    pages["rosa"] += ["/submit/table?kind=logistic&dataset=1", f"/submit/spec?replaces={made['returned'][13:]}"]
    pages["chloe"] += [f"/submissions/{number}/files/{one}/view" for one in files.values()]
    pages["chloe"] += ["/submissions?q=nothing+has+this+title", "/datasets/1", "/nowhere", "/people"]
    found, seen = [], {"/log-in"}
    for name, addresses in pages.items():
        desk = Desk(browser, service, name)
        for address in addresses:
            desk.page.goto(address)
            seen.add(address.partition("?")[0])
            found += [f"{name} {address}: {fault}" for fault in faults(desk.page)]
        desk.close()
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.goto("/log-in")
    found += faults(page)
    context.close()
    assert found == []
    assert unseen(service, seen) == set()


def unseen(service: Service, seen: set[str]) -> set[str]:
    """The addresses of pages at which nobody has looked."""
    paths = {str(r.path) for r in iter_route_contexts(service.app.routes) if "GET" in (r.methods or ())}
    pages = {path for path in paths if not path.startswith("/api/")} - NO_PAGES
    assert pages > {"/home", "/submissions/{submission_id}"}, "addresses are found"
    return {path for path in pages if not any(compile_path(path)[0].fullmatch(address) for address in seen)}


def faults(page: Page) -> list[str]:
    found = []
    for scheme, width in LOOKS:
        # Without motion, so that no colour is on its way from one scheme to the other.
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        for fault in Axe().run(page).response["violations"]:
            found.append(f"{scheme} {width}: {fault['id']} {fault['nodes'][0]['html'][:120]}")
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            found.append(f"{scheme} {width}: wider than its window")
    return found
