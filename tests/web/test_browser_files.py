"""A folder as researchers hand it in, in Chromium: from upload to verdict without typing a spec."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, expect

from divulge.demo.cps import cps_extract
from divulge.ledger import datasets
from divulge.ledger.worker import Limits, Worker
from divulge.web import recognising
from tests.support import handed_in
from tests.support.service import Service, build
from tests.web.test_browser import SLOW, Desk, faults

ROWS = 3000  # of the extract: cells stay large, and an assessment takes seconds


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    names = ["age", "sex", "race", "weeks_worked", "income"]
    return cps_extract().select(names).take(slice(ROWS)).to_pandas()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, frame: pd.DataFrame) -> Iterator[Service]:
    made = build(Path(tmp_path_factory.mktemp("files")))
    frame.to_csv(made.folder / "cps.csv", index=False)
    quick = {"design": {"kind": "repeated-halves", "splits": 2}, "measures": ["TCAP"]}
    with made.ledger.writing() as session:
        found = datasets.register(session, None, "cps", made.folder / "cps.csv", settings=quick)
        datasets.open_to(session, None, found.id, made.project)
        datasets.open_to(session, None, made.dataset, made.project, remove=True)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process: to start another takes a minute on a busy machine."""
    monkeypatch.setattr(recognising, "_read_aside", recognising.recognise)


def stata_log(frame: pd.DataFrame) -> str:
    counts = pd.crosstab(frame.sex, frame.income)
    heads = [str(c) for c in counts.columns]
    lines = [
        ". tabulate sex income",
        "",
        f"{'':>10} |          income",
        f"{'sex':>10} |{heads[0]:>10}{heads[1]:>11} |     Total",
    ]
    rule = "-----------+----------------------+----------"
    rows = [f"{sex:>10} |{row.iloc[0]:>10}{row.iloc[1]:>11} |{row.sum():>10}" for sex, row in counts.iterrows()]
    total = counts.sum()
    last = f"{'Total':>10} |{total.iloc[0]:>10}{total.iloc[1]:>11} |{total.sum():>10}"
    return "\n".join([*lines, rule, *rows, rule, last, ""])


def r_console(frame: pd.DataFrame) -> str:
    means = [f"> mean(d${name})\n[1] {frame[name].mean():.4f}" for name in ("age", "weeks_worked")]
    return "\n".join(['> d <- read.csv("cps.csv")', *means, "> ", ""])


def table_one(frame: pd.DataFrame, path: Path) -> Path:
    """Characteristics of women and men, as a table 1 in a workbook."""
    groups = dict(list(frame.groupby("sex")))
    cells: dict[str, str | float] = {
        "A1": "Characteristic",
        "A2": "N",
        "A3": "age, mean (SD)",
        "A4": "weeks_worked, mean (SD)",
    }
    for column, (sex, rows) in zip("BC", groups.items(), strict=True):
        cells |= {f"{column}1": str(sex), f"{column}2": float(len(rows))}
        for line, name in ((3, "age"), (4, "weeks_worked")):
            cells[f"{column}{line}"] = f"{rows[name].mean():.1f} ({rows[name].std():.1f})"
    return handed_in.workbook(path, cells)


def word_file(frame: pd.DataFrame, path: Path) -> Path:
    counts = pd.crosstab(frame.sex, frame.race)
    rows = [["sex", *map(str, counts.columns)]]
    rows += [[str(sex), *map(str, row)] for sex, row in counts.iterrows()]
    return handed_in.document(path, handed_in.word_table(rows))


def test_folder_goes_from_upload_to_verdict_without_a_spec(
    service: Service, browser: Browser, frame: pd.DataFrame, tmp_path: Path
) -> None:
    (tmp_path / "analysis.log").write_text(stata_log(frame), encoding="utf-8")
    (tmp_path / "session.Rout").write_text(r_console(frame), encoding="utf-8")
    files = [tmp_path / "analysis.log", tmp_path / "session.Rout"]
    files += [table_one(frame, tmp_path / "table1.xlsx"), word_file(frame, tmp_path / "paper.docx")]
    rosa, chloe = Desk(browser, service, "rosa"), Desk(browser, service, "chloe")

    page = rosa.page
    page.goto("/submit")
    page.get_by_role("link", name="Upload files").click()
    page.get_by_label("Title").fill("Everything for the paper")
    page.get_by_label("Files, or a zip of them").set_input_files(files)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url("**/submissions/*")
    page.get_by_role("link", name="See what was recognised").click()
    for file in files:
        expect(page.get_by_role("link", name=file.name)).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("crosstab: sex × income")).to_be_visible()
    assert "agree" not in page.inner_text("main")
    found = faults(page)
    page.get_by_role("link", name="analysis.log").click()
    expect(page.locator("tr.mark").first).to_be_visible()
    found += faults(page)
    page.go_back()
    page.get_by_role("link", name="Correct what was recognised").click()
    found += faults(page)
    page.get_by_label("Rows that it is of").first.fill("age >= 0")
    page.get_by_role("button", name="Submit the corrected version").click()
    page.wait_for_url("**/submissions/*?done=corrected")
    address = page.url.split("?")[0]

    worker = Worker(service.ledger, threading.Event(), Limits(heartbeat=0.2))
    worker.run(once=True)
    page = chloe.page
    page.goto(address)
    expect(page.get_by_role("heading", name="What the assessment says")).to_be_visible()
    handed = page.get_by_role("region", name="What was handed in")
    for file in files:
        expect(handed.get_by_role("link", name=file.name)).to_be_visible()
    expect(handed.get_by_text("Corrected by its author").first).to_be_visible()
    shown = handed.inner_text()
    assert shown.count("confirmed") >= 5, shown
    assert "NOT confirmed" not in shown, shown
    found += faults(page)
    assert found == []
    # The researcher still knows nothing but that it is being looked at.
    rosa.page.goto(address)
    expect(rosa.page.get_by_text("It is being looked at.")).to_be_visible()
    rosa.close()
    chloe.close()
