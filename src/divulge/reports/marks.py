"""Parts of Vega-Lite documents that charts are put together from: marks, fields, colours, labels in lines."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

INK, SOFT, LINE, IN, OUT, BAD, GOOD, WARN = (
    f"var(--{name})" for name in ("ink", "soft", "line", "in", "out", "bad", "good", "warn")
)

PALETTE = {
    "ink": "#1b2430",
    "soft": "#53606f",
    "line": "#d6dde5",
    "in": "#1f5fa8",
    "out": "#8a6d1d",
    "bad": "#b3261e",
    "good": "#1a6b3c",
    "warn": "#8a5800",
}
"""The light colours of report.css."""

LABEL_WIDTH = 40
"""Characters in a line of a label inside a plot: what a screen of 360 pixels has room for. Longer ones are broken."""

CONFIG = {
    "font": "system-ui, sans-serif",
    "aria": False,  # the table behind a plot is what a screen reader reads
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT,
        "titleColor": SOFT,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "titleLimit": 0,
        "labelOverlap": "greedy",
    },
    "legend": {"labelColor": INK, "orient": "top", "labelFontSize": 12, "labelLimit": 0, "symbolOpacity": 1},
}

Rows = Sequence[Mapping[str, Any]]
Part = dict[str, Any]
"""A piece of a Vega-Lite document."""

G4 = {"format": ",.6~r", "tickCount": 5}
NO_TITLE: Part = {"title": None}


def lines(text: str, width: int = LABEL_WIDTH) -> list[str]:
    """A label in lines that fit; long words are broken, nothing is cut."""
    return textwrap.wrap(text, width, break_long_words=True) or [""]


def quantity(field: str, **more: Any) -> Part:
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Part:
    return {"field": field, "type": "nominal", **more}


def told(field: str, title: str, format: str = ".4f") -> Part:
    """A number in what is shown under the pointer."""
    return quantity(field, title=title, format=format)


def mark(kind: str, rows: Rows, encoding: Part, **style: Any) -> Part:
    """One layer: these rows, drawn in one way."""
    return {"data": {"values": [dict(row) for row in rows]}, "mark": {"type": kind, **style}, "encoding": encoding}


def layered(height: int, *layers: Part) -> Part:
    return {"layer": list(layers), "height": height}


def categories(field: str, values: Sequence[Any], shown: Sequence[Any], **legend: Any) -> Part:
    """A colour, a shape or a dash for each value, named above the plot."""
    return nominal(field, scale={"domain": list(values), "range": list(shown)}, legend={**NO_TITLE, **legend})


def labelled(rows: Rows) -> tuple[list[Part], int]:
    """Rows with their place and their label in lines, and the height that they need together."""
    made = [{**row, "place": i, "lines": lines(str(row["label"]))} for i, row in enumerate(rows)]
    most = max((len(row["lines"]) for row in made), default=1)
    return made, (14 * most + 24) * len(made)


def label_above(rows: Rows, tips: Sequence[Part] = ()) -> Part:
    encoding = {"x": {"value": 0}, "y": place(0), "text": nominal("lines"), **({"tooltip": [*tips]} if tips else {})}
    style = {"align": "left", "baseline": "top", "lineHeight": 14, "color": INK, "fontSize": 12, "dy": 4}
    return mark("text", rows, encoding, **style)


def place(band: float) -> Part:
    """Where a row is drawn: 0 is its top, under the line above, 1 its bottom."""
    return {"field": "place", "type": "ordinal", "axis": None, "bandPosition": band}
