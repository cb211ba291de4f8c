"""Plots as Vega-Lite documents, made from rows of the record. Nothing is drawn or computed here.

The documents are written as they are: a library that writes them takes longer to import than a page takes to make.

Colours are names of CSS variables, which a browser looks up where it draws: one plot serves light, dark and print.
`PALETTE` has the same colours for where there is no style sheet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
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

_G4 = {"format": ".4~g", "tickCount": 5}
_NO_TITLE: Part = {"title": None}


def document(name: str, data: Mapping[str, Any]) -> Part:
    """The Vega-Lite document of one plot, as wide as where it stands."""
    return {
        **CHARTS[name](**data),
        "width": "container",
        "config": CONFIG,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
    }


def lines(text: str, width: int = LABEL_WIDTH) -> list[str]:
    """A label in lines that fit; long words are broken, nothing is cut."""
    return textwrap.wrap(text, width, break_long_words=True) or [""]


def _quantity(field: str, **more: Any) -> Part:
    return {"field": field, "type": "quantitative", **more}


def _name(field: str, **more: Any) -> Part:
    return {"field": field, "type": "nominal", **more}


def _number(field: str, title: str, format: str = ".4f") -> Part:
    """A number in what is shown under the pointer."""
    return _quantity(field, title=title, format=format)


def _mark(kind: str, rows: Rows, encoding: Part, **style: Any) -> Part:
    """One layer: these rows, drawn in one way."""
    return {"data": {"values": [dict(row) for row in rows]}, "mark": {"type": kind, **style}, "encoding": encoding}


def _layers(height: int, *layers: Part) -> Part:
    return {"layer": list(layers), "height": height}


def _categories(field: str, values: Sequence[Any], shown: Sequence[str], **legend: Any) -> Part:
    """A colour or a shape for each value, named above the plot."""
    return _name(field, scale={"domain": list(values), "range": list(shown)}, legend={**_NO_TITLE, **legend})


def _either(test: str, yes: Any, no: Any) -> Part:
    return {"condition": {"test": test, "value": yes}, "value": no}


def _labelled(rows: Rows) -> tuple[list[Part], int]:
    """Rows with their place and their label in lines, and the height that they need together."""
    made = [{**row, "place": i, "lines": lines(str(row["label"]))} for i, row in enumerate(rows)]
    most = max((len(row["lines"]) for row in made), default=1)
    return made, (14 * most + 24) * len(made)


def _label_above(rows: Rows, tips: Sequence[Part] = ()) -> Part:
    encoding = {"x": {"value": 0}, "y": _place(0), "text": _name("lines"), **({"tooltip": [*tips]} if tips else {})}
    style = {"align": "left", "baseline": "top", "lineHeight": 14, "color": INK, "fontSize": 12, "dy": 4}
    return _mark("text", rows, encoding, **style)


def _place(band: float) -> Part:
    """Where a row is drawn: 0 is its top, under the line above, 1 its bottom."""
    return {"field": "place", "type": "ordinal", "axis": None, "bandPosition": band}


def _intervals(rows: Rows, release: float | None, refuse: float | None) -> Part:
    """A value with its interval for each label, beside the thresholds of the policy."""
    made, height = _labelled(rows)
    title = {"title": "Marginal risk"}
    tips = [
        _name("label", title="Inferring"),
        _number("value", "Marginal risk"),
        _number("low", "From"),
        _number("high", "To"),
    ]
    row = {"y": _place(1), "tooltip": tips}
    ends = {"x": _quantity("low", **title), "x2": {"field": "high"}, **row}
    span = _mark("rule", made, ends, color=IN, strokeWidth=3, yOffset=-9)
    at = {"x": _quantity("value", **title, axis=_G4), **row}
    point = _mark("point", made, at, color=IN, filled=True, size=90, opacity=1, yOffset=-9)
    marks: list[Part] = [
        {"at": at, "what": what, "colour": colour}
        for at, what, colour in ((release, "released up to here", GOOD), (refuse, "refused above", BAD))
        if at is not None
    ]
    # A threshold far beyond every interval would press them flat, so the second is drawn only where it is near.
    highest = max((row["high"] or 0.0 for row in rows if row["high"] is not None), default=0.0)
    marks = [m for i, m in enumerate(marks) if i == 0 or highest > (release or 0.0)]
    colours = _categories("what", [m["what"] for m in marks], [m["colour"] for m in marks], symbolType="stroke")
    tips = [_name("what", title="Threshold"), _number("at", "At", ".4~g")]
    thresholds = {"x": _quantity("at", **title), "color": colours, "tooltip": tips}
    rules = _mark("rule", marks, thresholds, strokeDash=[5, 4], strokeWidth=2)
    return _layers(height, rules, span, point, _label_above(made))


def _contrast(rows: Rows) -> Part:
    """Each measure in, out, and by chance, with the interval of the difference drawn from "out"."""
    # A measure's name is short, unless somebody gave it a long one.
    rows = [{**row, "measure": "\n".join(lines(str(row["measure"]), 16))} for row in rows]
    long = [
        {"measure": row["measure"], "who": who, "value": row[key]}
        for row in rows
        for who, key in (("in", "original"), ("out", "holdout"), ("baseline", "baseline"))
        if row[key] is not None
    ]
    axis = {
        "labelColor": INK,
        "ticks": False,
        "domain": False,
        "labelPadding": 8,
        "labelExpr": "split(datum.label, '\\n')",
    }
    y = _name("measure", sort=[row["measure"] for row in rows], title=None, axis=axis)
    title = {"title": "Share inferred"}
    kinds = ["in", "out", "baseline"]
    encoding = {
        "x": _quantity("value", **title, scale={"domain": [0, 1]}, axis={"tickCount": 5}),
        "y": y,
        "color": _categories("who", kinds, [IN, OUT, SOFT]),
        "fill": _either("datum.who == 'in'", IN, "transparent"),
        "shape": _categories("who", kinds, ["circle", "diamond", "stroke"]),
        "angle": _either("datum.who == 'baseline'", 90, 0),
        "tooltip": [_name("measure", title="Measure"), _name("who", title="People"), _number("value", "Value")],
    }
    points = _mark("point", long, encoding, size=90, opacity=1, strokeWidth=2)
    # No share is below 0 or above 1, wherever the interval of a difference ends.
    known = [
        {**row, "low": max(row["low"], 0.0), "high": min(row["high"], 1.0)}
        for row in rows
        if row["low"] is not None and row["high"] is not None
    ]
    ends = {"x": _quantity("low", **title), "x2": {"field": "high"}, "y": y}
    span = _mark("rule", known, ends, color=IN, strokeWidth=6, opacity=0.3)
    both = {"x": _quantity("holdout", **title), "x2": {"field": "original"}, "y": y}
    return _layers(30 * len(rows) + 10, _mark("rule", rows, both, color=LINE, strokeWidth=2), span, points)


def _spread(rows: Rows) -> Part:
    """How many people in each class of exposure, on a scale on which three people among 50,000 are seen."""
    axis = {"ticks": False, "domain": False, "labelPadding": 6}
    powers = {"values": [10**k for k in range(7)], "format": ",d", "labelOverlap": "greedy"}
    scale = {"type": "symlog", "constant": 1, "nice": False}
    encoding = {
        "x": _quantity("people", title="People", scale=scale, axis=powers),
        "y": _name("between", sort=[row["between"] for row in reversed(rows)], title="Exposure", axis=axis),
        "color": _either("datum.above", BAD, IN),
        "tooltip": [_name("between", title="Exposure"), _number("people", "People", ",")],
    }
    return {**_mark("bar", rows, encoding, cornerRadiusEnd=2), "height": 20 * len(rows)}


def _groups(rows: Rows) -> Part:
    """The share of exposed people in each group."""
    made, height = _labelled([{**row, "zero": 0} for row in rows])
    tips = [
        _name("label", title="Group"),
        _number("share", "Share", ".1%"),
        _number("exposed", "Exposed", ","),
        _number("people", "People", ","),
    ]
    axis = {"format": ".0~%", "tickCount": 4}
    x = _quantity("zero", title="Share of the group that is exposed", axis=axis)
    ends = {"x": x, "x2": {"field": "share"}, "y": _place(1), "tooltip": tips}
    return _layers(height, _mark("rule", made, ends, color=BAD, strokeWidth=9, yOffset=-9), _label_above(made, tips))


def _path(rows: Rows, what: str) -> Part:
    """The error along a search."""
    is_log = all(row["error"] is not None and row["error"] > 0 for row in rows)
    encoding = {
        "x": _quantity("steps", title="Changes tried", axis={"format": "~s", "tickCount": 4}),
        "y": _quantity(
            "error", title=what, scale={"type": "log"} if is_log else {}, axis={"format": ".4~g", "tickCount": 4}
        ),
        "tooltip": [_number("steps", "Changes tried", ","), _number("error", what, ".4~g")],
    }
    line = _mark("line", rows, encoding, color=IN, strokeWidth=2)
    return _layers(220, line, _mark("point", rows, encoding, color=IN, filled=True, opacity=1, size=40))


def _against(rows: Rows, measure: str, at_zero: float | None, slope: float | None) -> Part:
    """Risk against error, with the fitted line where there is one."""
    at = {
        "x": _quantity("error", title="Mean error of the figures", axis=_G4),
        "y": _quantity("risk", title=lines(measure, 30), scale={"zero": False}, axis=_G4),
    }
    tips = {"tooltip": [_number("error", "Mean error", ".4~g"), _number("risk", measure)]}
    points = _mark("point", rows, {**at, **tips}, color=IN, filled=True, opacity=1, size=60)
    if at_zero is None or slope is None:
        return {**points, "height": 240}
    far = max(row["error"] for row in rows)
    ends = [{"error": 0.0, "risk": at_zero}, {"error": far, "risk": at_zero + slope * far}]
    line = _mark("line", ends, at, color=OUT, strokeDash=[5, 4], strokeWidth=2)
    tips = {"tooltip": [_number("risk", "At an error of zero")]}
    zero = _mark("point", ends[:1], {**at, **tips}, color=OUT, size=110, strokeWidth=2, opacity=1)
    return _layers(240, line, points, zero)


def _curve(rows: Rows) -> Part:
    """The marginal risk by size: measured, and extrapolated to all rows."""
    known = [row for row in rows if row["value"] is not None]
    title = {"title": "Marginal risk"}
    axis = {"values": sorted({row["rows"] for row in known}), "format": ".3~s", "grid": False}
    scale = {"type": "log", "base": 2, "nice": False, "padding": 16}
    shared = {
        "x": _quantity("rows", title="Rows", scale=scale, axis=axis),
        "color": _categories("kind", ["measured", "extrapolated"], [IN, OUT]),
        "tooltip": [
            _name("kind", title="How"),
            _number("rows", "Rows", ","),
            _number("value", "Marginal risk"),
            _number("low", "From"),
            _number("high", "To"),
        ],
    }
    ends = {**shared, "y": _quantity("low", **title), "y2": {"field": "high"}}
    at = {**shared, "y": _quantity("value", **title, axis=_G4)}
    return _layers(
        240,
        _mark("rule", [{"value": 0.0}], {"y": _quantity("value", **title)}, color=LINE, strokeWidth=2),
        _mark("rule", known, ends, strokeWidth=3),
        _mark("point", known, at, filled=True, opacity=1, size=80),
    )


def _utility(rows: Rows, what: str, release: float | None) -> Part:
    """A map of risk and utility (Duncan et al. 2001): each assessment a point, the best at the lower right."""
    made = [{**row, "lines": lines(f"{row['number']} {row['label']}")} for row in rows]
    verdicts = ["release", "review", "refuse"]
    y = _quantity("risk", title="Marginal risk, upper bound", axis=_G4)
    at = {"x": _quantity("utility", title=what, scale={"padding": 30}, axis=_G4), "y": y}
    encoding = {
        **at,
        "color": _categories("verdict", verdicts, [GOOD, WARN, BAD]),
        "shape": _categories("verdict", verdicts, ["circle", "diamond", "square"]),
        "tooltip": [
            _name("label", title="Assessment"),
            _name("verdict", title="Verdict"),
            _number("risk", "Marginal risk, upper bound"),
            _number("utility", what, ",.4~g"),
            _number("exposed", "Exposed", ","),
        ],
    }
    style = {"align": "center", "baseline": "bottom", "dy": -10, "color": INK, "fontSize": 12, "fontWeight": "bold"}
    layers = [
        _mark("point", made, encoding, filled=True, opacity=1, size=140),
        _mark("text", made, {**at, "text": _name("number")}, **style),
    ]
    if release is not None:
        limit = {"y": y, "tooltip": [_number("risk", "Released up to", ".4~g")]}
        layers.insert(0, _mark("rule", [{"risk": release}], limit, color=GOOD, strokeDash=[5, 4], strokeWidth=2))
    return _layers(320, *layers)


def _accusations(rows: Rows) -> Part:
    """Right against wrong accusations on logarithmic axes, with chance as the diagonal."""
    scale = {"type": "log", "domain": [0.001, 1], "clamp": True}
    at = {
        "x": _quantity("wrong", title="Wrongly accused", scale=scale, axis={"format": ".1~%", "tickCount": 4}),
        "y": _quantity("right", title="Rightly accused", scale=scale, axis={"format": ".1~%", "tickCount": 4}),
    }
    # Scenarios have long names: they are numbered here, in the order of the table below.
    names = list(dict.fromkeys(row["label"] for row in rows))
    rows = [{**row, "number": str(names.index(row["label"]) + 1)} for row in rows]
    numbers = [str(k + 1) for k in range(len(names))]
    colour = _categories("number", numbers, [IN, OUT, BAD, GOOD][: len(names)])
    tips = [_name("label", title="Inferring"), _number("wrong", "Wrongly", ".1~%"), _number("right", "Rightly", ".2~%")]
    chance = [{"wrong": 0.001, "right": 0.001}, {"wrong": 1.0, "right": 1.0}]
    line = _mark("line", rows, {**at, "color": colour}, strokeWidth=2)
    points = _mark("point", rows, {**at, "color": colour, "tooltip": tips}, filled=True, opacity=1, size=50)
    return _layers(260, _mark("line", chance, at, color=LINE, strokeWidth=2), line, points)


def _files(rows: Rows) -> Part:
    """Synthetic files by utility and risk, the best at the lower right."""
    made = [{**row, "lines": lines(f"{row['number']} {row['label']}")} for row in rows]
    at = {
        "x": _quantity("utility", title="Utility: overlap of intervals", scale={"padding": 30}, axis=_G4),
        "y": _quantity("risk", title="Given away beyond the holdout", axis=_G4),
    }
    tips = [_name("label", title="File"), _number("utility", "Utility"), _number("risk", "Risk"), _name("attack")]
    style = {"align": "center", "baseline": "bottom", "dy": -10, "color": INK, "fontSize": 12, "fontWeight": "bold"}
    return _layers(
        320,
        _mark("rule", [{"risk": 0.0}], {"y": at["y"]}, color=LINE, strokeWidth=2),
        _mark("point", made, {**at, "tooltip": tips}, color=IN, filled=True, opacity=1, size=140),
        _mark("text", made, {**at, "text": _name("number")}, **style),
    )


CHARTS: dict[str, Callable[..., Part]] = {
    "intervals": _intervals,
    "contrast": _contrast,
    "spread": _spread,
    "groups": _groups,
    "path": _path,
    "against": _against,
    "curve": _curve,
    "utility": _utility,
    "accusations": _accusations,
    "files": _files,
}
