"""What a report says of a folder that was handed in: nothing of it slips by."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from divulge.reports import Html, Markdown

SPITE = "<script>alert(1)</script>.log"
RECORD = Path(__file__).parents[2] / "golden" / "crosstab.json"

FOLDER: dict[str, Any] = {
    "files": [
        {"file": "analysis.log", "status": "not confirmed", "outputs": 2, "reasons": []},
        {"file": "chart.png", "status": "not read", "outputs": 0, "reasons": ["a picture"]},
    ],
    "outputs": [
        {
            "file": "analysis.log",
            "lines": [12, 1_034],
            "kind": "linear",
            "formula": "wage ~ age",
            "where": "age < 40",
            "confirmed": False,
            "note": "1 of 2 figures are not what the data give",
            "agreeing": 1,
            "compared": 2,
            "disagreeing": ["age: coefficient"],
            "figures": [
                {"label": "age: coefficient", "what": "coefficient", "printed": "0.72", "line": 14, "agrees": False},
                {"label": "n", "what": "n", "printed": "200", "line": 15, "agrees": True},
                {"label": "age: t", "what": "t", "printed": "3.1", "line": 14, "agrees": None},
            ],
        },
        {
            "file": SPITE,
            "lines": [3, 7],
            "kind": "crosstab",
            "variables": ["town"],
            "by": ["sex"],
            "where": None,
            "confirmed": True,
            "note": None,
            "agreeing": 6,
            "compared": 6,
            "disagreeing": [],
            "not_compared": ["p-value"],
            "figures": [],
        },
    ],
    "unread": [
        {"file": "chart.png", "reason": "a picture"},
        {"file": "analysis.log", "lines": [40, 41], "reason": "?"},
    ],
    "finds": [{"file": "analysis.log", "line": 2, "what": "a path with a user's name"}],
}


def with_folder() -> dict[str, Any]:
    return {**json.loads(RECORD.read_text(encoding="utf-8")), "handed_in": FOLDER}


def test_every_file_every_output_and_everything_unread_is_in_the_report() -> None:
    text = html.unescape(Markdown().render(with_folder()).replace("\\", ""))
    for said in (
        "What was handed in",
        "linear: wage ~ age, where age < 40",
        "NOT confirmed",
        "1 of 2",
        "the data do not give age: coefficient",
        "do NOT give it",
        "not computed again: p-value",
        "not computed again",
        "crosstab: town × sex",
        "chart.png",
        "a picture",
        "a path with a user's name",
        "look at it yourself",
    ):
        assert said in text, said


def test_name_of_a_file_cannot_write_into_the_page() -> None:
    assert SPITE not in Html().render(with_folder())


def test_report_of_an_ordinary_assessment_says_nothing_of_a_folder() -> None:
    assert "What was handed in" not in Html().render(json.loads(RECORD.read_text(encoding="utf-8")))
