"""Makes every picture of the documentation: `python -m docs.screenshots [FOLDER]`.

FOLDER is what `divulge demo --run FOLDER` wrote (`make demo`: demo-output). The pictures are of its reports, in
Chromium, without a network.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from divulge.record import read_record
from divulge.reports import Html

HERE = Path(__file__).parent

PICTURES = {
    "report.png": ("census-unsafe", 1000, 960, "light", 0),
    "report-dark.png": ("census-safe", 1000, 960, "dark", 0),
    "report-exposure.png": ("census-unsafe", 1000, 900, "light", "exposure"),
    "report-telephone.png": ("census-unsafe", 360, 800, "light", 0),
}
"""For each picture: of which assessment, width and height of the window, colours, and the section that is on top."""


def main(folder: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("There is no chromium on this machine. Install it, and run this again.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in PICTURES:
            _take(browser, folder, name)
            print(HERE / name)
        browser.close()


def _take(browser: Browser, folder: Path, name: str) -> None:
    assessment, width, height, scheme, section = PICTURES[name]
    # Rendered anew: the picture shows what this version makes of the record.
    page_file = folder / assessment / "report.html"
    page_file.write_text(Html().render(read_record(folder / assessment / "record.json")), encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        offline=True,
    )
    page = context.new_page()
    page.goto(page_file.resolve().as_uri())
    page.wait_for_function("document.querySelectorAll('.plot:not(.drawn)').length === 0")
    if section:
        page.locator(f"#{section}").evaluate("element => element.scrollIntoView()")
    page.screenshot(path=HERE / name)
    context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output"))
