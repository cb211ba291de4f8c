"""The page about synthesisers names every synthesiser, every setting with its default, and every way to end."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from divulge.objective import Outcome
from divulge.synthesisers import SYNTHESISERS
from divulge.synthesisers.evolutionary.mutation import Stepped

PAGE = (Path(__file__).parents[2] / "docs" / "synthesisers.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def _shown(default: object) -> str:
    if isinstance(default, Stepped):
        return f"`{{rate: {default.rate:g}, divide: {default.divide:g}, every: {default.every}}}`"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, str):
        return f"`{default}`"
    return f"{default:g}"


@pytest.mark.parametrize("kind", SYNTHESISERS, ids=lambda s: s.kind)
def test_page_names_every_setting_with_its_default(kind: type) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", _section(kind.kind.capitalize()), re.MULTILINE))
    assert list(rows) == [f.name for f in fields(kind)]
    for field in fields(kind):
        assert field.default is not MISSING
        if field.default is not None:
            assert rows[field.name] == _shown(field.default), field.name


def test_page_names_every_way_to_end() -> None:
    listed = re.findall(r"^\| `([\w ]+)` \|", _section("How a search ends"), re.MULTILINE)
    assert sorted(listed) == sorted(Outcome)
