"""Reports in a browser: opened from disk without a network, on a desk, on a telephone, in the dark, on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

OUTSIDE = """() => [...document.querySelectorAll('main *, header *')].filter(element => {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest('.scroll') || element.closest('[hidden]')) return false;
    return box.right > innerWidth + 1 || box.left < -1;
}).map(element => element.outerHTML.slice(0, 120))"""
"""What is drawn beyond the edge of the window, other than in regions that scroll by themselves."""

OPEN_ALL = "() => document.querySelectorAll('details').forEach(d => { d.open = true; })"


@pytest.mark.parametrize("width", [1280, 360], ids=["desk", "telephone"])
@pytest.mark.parametrize("name", ["safe", "unsafe", "spiteful"])
def test_report_draws_its_plots_and_has_tables_behind_them(opened: Callable[..., Any], name: str, width: int) -> None:
    found = opened(name, width)
    page = found.page
    plots = page.locator(".plot").count()
    assert plots >= 5
    marks = page.evaluate(
        "() => [...document.querySelectorAll('.plot')].map(p => "
        "p.querySelectorAll('svg .mark-symbol path, svg .mark-rect path, svg .mark-rule line').length)"
    )
    assert all(count > 0 for count in marks), marks
    tables = page.locator("figure details")
    assert tables.count() == plots
    first = tables.first
    assert not first.locator("table").is_visible()
    first.locator("summary").click()
    assert first.locator("table").is_visible()
    page.evaluate(OPEN_ALL)
    assert page.locator("table:visible").count() == page.locator("table").count()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OUTSIDE) == []
    assert found.complaints == []
    assert found.asked == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["safe", "unsafe", "comparison"])
def test_report_passes_axe(opened: Callable[..., Any], name: str, scheme: str) -> None:
    page = opened(name, scheme=scheme).page
    page.evaluate(OPEN_ALL)
    violations = Axe().run(page).response["violations"]
    assert [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in violations] == []


def test_report_is_dark_where_the_reader_prefers_it(opened: Callable[..., Any]) -> None:
    background = "() => getComputedStyle(document.body).backgroundColor"
    mark = "() => getComputedStyle(document.querySelector('.plot .mark-symbol path')).fill"
    light, dark = (opened("safe", scheme=scheme).page for scheme in ("light", "dark"))
    assert light.evaluate(background) == "rgb(255, 255, 255)"
    assert dark.evaluate(background) == "rgb(18, 23, 30)"
    assert light.evaluate(mark) != dark.evaluate(mark)


def test_report_on_paper_shows_everything_and_cuts_nothing(opened: Callable[..., Any]) -> None:
    page = opened("unsafe", scheme="dark").page
    made = page.pdf(format="A4")
    assert made.startswith(b"%PDF-")
    page.emulate_media(media="print")
    # 182 mm between the margins of A4, at 96 dots an inch.
    page.set_viewport_size({"width": 688, "height": 1000})
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("table:visible").count() == page.locator("table").count()
    cut = """() => [...document.querySelectorAll('.scroll')].filter(
        s => s.scrollWidth > s.clientWidth + 1 || s.scrollHeight > s.clientHeight + 1).length"""
    assert page.evaluate(cut) == 0
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0


def test_report_can_be_read_with_the_keyboard_alone(opened: Callable[..., Any]) -> None:
    page = opened("safe").page
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    page.locator("figure summary").first.focus()
    page.keyboard.press("Enter")
    region = page.locator("figure details[open] .scroll").first
    page.keyboard.press("Tab")
    assert region.evaluate("element => element === document.activeElement")
    assert region.get_attribute("aria-label")


def test_plot_tells_its_figures_under_the_pointer(opened: Callable[..., Any]) -> None:
    page = opened("safe").page
    page.locator(".plot .mark-symbol path").first.hover()
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert "Marginal risk" in tip.inner_text()


def test_hostile_label_is_shown_and_not_run(opened: Callable[..., Any]) -> None:
    found = opened("spiteful")
    assert "<script>alert(1)</script>" in found.page.inner_text("header")
    assert found.page.locator("body script:not([type])").count() == 2
    assert found.complaints == []


def test_comparison_draws_its_map(opened: Callable[..., Any]) -> None:
    found = opened("comparison", width=360)
    assert found.page.locator(".plot .mark-symbol path").count() >= 2
    assert found.page.evaluate(OUTSIDE) == []
    assert found.complaints == []
