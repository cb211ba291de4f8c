"""The page of the house says what is there: every step of an assessment names places that exist, from the top down."""

from __future__ import annotations

import re
from pathlib import Path

from docs.house import SOURCE, direct, house_svg, imports, levels

PAGE = (Path(__file__).parents[2] / "docs" / "house.md").read_text(encoding="utf-8")


def test_every_place_on_the_way_of_an_assessment_and_of_the_words_of_the_paper_exists() -> None:
    places = re.findall(r"`([a-z_]+(?:/[a-z_0-9]*)*(?:\.py)?)`", PAGE.split("## The way")[1])
    named = [p for p in places if "/" in p or p.endswith(".py")]
    assert len(named) > 60
    assert [p for p in named if not (SOURCE / p).exists()] == []


def test_arrows_go_downwards_and_every_part_is_drawn() -> None:
    arrows = imports()
    height = levels(arrows)
    assert all(height[a] > height[b] for a, b in direct(arrows))
    drawn = house_svg()
    assert [name for name in arrows if f">{name}" not in drawn] == []


def test_no_arrow_goes_behind_a_box() -> None:
    drawn = house_svg()
    boxes = [
        tuple(map(int, box)) for box in re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" rx', drawn)
    ]
    curves = [
        re.findall(r"(\d+),(\d+)(?: C|$)", curve) for curve in re.findall(r'<path d="(M[^Z"]*)" fill="none"', drawn)
    ]
    passed = [(int(x), int(y)) for curve in curves for x, y in curve[1:-1]]
    assert len(passed) > 20
    assert [(x, y) for x, y in passed for left, top, w, h in boxes if left < x < left + w and top <= y <= top + h] == []
