"""The page of the house says what is there: every step of an assessment names places that exist, from the top down."""

from __future__ import annotations

import re
from pathlib import Path

from docs.house import SOURCE, direct, house_svg, imports, levels

PAGE = (Path(__file__).parents[2] / "docs" / "house.md").read_text(encoding="utf-8")


def test_every_place_on_the_way_of_an_assessment_exists() -> None:
    places = re.findall(r"`([a-z_]+(?:/[a-z_]*)*(?:\.py)?)`", PAGE.split("## The way")[1])
    named = [p for p in places if "/" in p or p.endswith(".py")]
    assert len(named) > 10
    assert [p for p in named if not (SOURCE / p).exists()] == []


def test_arrows_go_downwards_and_every_part_is_drawn() -> None:
    arrows = imports()
    height = levels(arrows)
    assert all(height[a] > height[b] for a, b in direct(arrows))
    drawn = house_svg()
    assert [name for name in arrows if f">{name}" not in drawn] == []
