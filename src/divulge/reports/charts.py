"""Plots as Vega-Lite documents, made from rows of the record. Nothing is drawn or computed here.

The documents are written as they are: a library that writes them takes longer to import than a page takes to make.

Colours are names of CSS variables, which a browser looks up where it draws: one plot serves light, dark and print.
`PALETTE` has the same colours for where there is no style sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from divulge.reports import released_charts
from divulge.reports.marks import (
    BAD,
    CONFIG,
    G4,
    GOOD,
    IN,
    INK,
    LINE,
    OUT,
    SOFT,
    WARN,
    Part,
    Rows,
    categories,
    label_above,
    labelled,
    layered,
    lines,
    mark,
    nominal,
    place,
    quantity,
    told,
)


def document(name: str, data: Mapping[str, Any]) -> Part:
    """The Vega-Lite document of one plot, as wide as where it stands."""
    return {
        **CHARTS[name](**data),
        "width": "container",
        "config": CONFIG,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
    }


def _intervals(rows: Rows, release: float | None, refuse: float | None) -> Part:
    """A value with its interval for each label, beside the thresholds of the policy."""
    made, height = labelled(rows)
    title = {"title": "Marginal risk"}
    tips = [
        nominal("label", title="Inferring"),
        told("value", "Marginal risk"),
        told("low", "From"),
        told("high", "To"),
    ]
    row = {"y": place(1), "tooltip": tips}
    ends = {"x": quantity("low", **title), "x2": {"field": "high"}, **row}
    span = mark("rule", made, ends, color=IN, strokeWidth=3, yOffset=-9)
    at = {"x": quantity("value", **title, axis=G4), **row}
    point = mark("point", made, at, color=IN, filled=True, size=90, opacity=1, yOffset=-9)
    marks: list[Part] = [
        {"at": at, "what": what, "colour": colour}
        for at, what, colour in ((release, "released up to here", GOOD), (refuse, "refused above", BAD))
        if at is not None
    ]
    # A threshold far beyond every interval would press them flat, so the second is drawn only where it is near.
    highest = max((row["high"] or 0.0 for row in rows if row["high"] is not None), default=0.0)
    marks = [m for i, m in enumerate(marks) if i == 0 or highest > (release or 0.0)]
    colours = categories("what", [m["what"] for m in marks], [m["colour"] for m in marks], symbolType="stroke")
    tips = [nominal("what", title="Threshold"), told("at", "At", ".4~g")]
    thresholds = {"x": quantity("at", **title), "color": colours, "tooltip": tips}
    rules = mark("rule", marks, thresholds, strokeDash=[5, 4], strokeWidth=2)
    return layered(height, rules, span, point, label_above(made))


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
    y = nominal("measure", sort=[row["measure"] for row in rows], title=None, axis=axis)
    title = {"title": "Share inferred"}
    kinds = ["in", "out", "baseline"]
    encoding = {
        "x": quantity("value", **title, scale={"domain": [0, 1]}, axis={"tickCount": 5}),
        "y": y,
        "color": categories("who", kinds, [IN, OUT, SOFT]),
        "fill": _either("datum.who == 'in'", IN, "transparent"),
        "shape": categories("who", kinds, ["circle", "diamond", "stroke"]),
        "angle": _either("datum.who == 'baseline'", 90, 0),
        "tooltip": [nominal("measure", title="Measure"), nominal("who", title="People"), told("value", "Value")],
    }
    points = mark("point", long, encoding, size=90, opacity=1, strokeWidth=2)
    # No share is below 0 or above 1, wherever the interval of a difference ends.
    known = [
        {**row, "low": max(row["low"], 0.0), "high": min(row["high"], 1.0)}
        for row in rows
        if row["low"] is not None and row["high"] is not None
    ]
    ends = {"x": quantity("low", **title), "x2": {"field": "high"}, "y": y}
    span = mark("rule", known, ends, color=IN, strokeWidth=6, opacity=0.3)
    both = {"x": quantity("holdout", **title), "x2": {"field": "original"}, "y": y}
    return layered(30 * len(rows) + 10, mark("rule", rows, both, color=LINE, strokeWidth=2), span, points)


def _spread(rows: Rows) -> Part:
    """How many people in each class of exposure, on a scale on which three people among 50,000 are seen."""
    axis = {"ticks": False, "domain": False, "labelPadding": 6}
    powers = {"values": [10**k for k in range(7)], "format": ",d", "labelOverlap": "greedy"}
    scale = {"type": "symlog", "constant": 1, "nice": False}
    encoding = {
        "x": quantity("people", title="People", scale=scale, axis=powers),
        "y": nominal("between", sort=[row["between"] for row in reversed(rows)], title="Exposure", axis=axis),
        "color": _either("datum.above", BAD, IN),
        "tooltip": [nominal("between", title="Exposure"), told("people", "People", ",")],
    }
    return {**mark("bar", rows, encoding, cornerRadiusEnd=2), "height": 20 * len(rows)}


def _groups(rows: Rows) -> Part:
    """The share of exposed people in each group."""
    made, height = labelled([{**row, "zero": 0} for row in rows])
    tips = [
        nominal("label", title="Group"),
        told("share", "Share", ".1%"),
        told("exposed", "Exposed", ","),
        told("people", "People", ","),
    ]
    axis = {"format": ".0~%", "tickCount": 4}
    x = quantity("zero", title="Share of the group that is exposed", axis=axis)
    ends = {"x": x, "x2": {"field": "share"}, "y": place(1), "tooltip": tips}
    return layered(height, mark("rule", made, ends, color=BAD, strokeWidth=9, yOffset=-9), label_above(made, tips))


def _path(rows: Rows, what: str) -> Part:
    """The error along a search."""
    is_log = all(row["error"] is not None and row["error"] > 0 for row in rows)
    encoding = {
        "x": quantity("steps", title="Changes tried", axis={"format": "~s", "tickCount": 4}),
        "y": quantity(
            "error", title=what, scale={"type": "log"} if is_log else {}, axis={"format": ".4~g", "tickCount": 4}
        ),
        "tooltip": [told("steps", "Changes tried", ","), told("error", what, ".4~g")],
    }
    line = mark("line", rows, encoding, color=IN, strokeWidth=2)
    return layered(220, line, mark("point", rows, encoding, color=IN, filled=True, opacity=1, size=40))


def _against(rows: Rows, measure: str, at_zero: float | None, slope: float | None) -> Part:
    """Risk against error, with the fitted line where there is one."""
    at = {
        "x": quantity("error", title="Mean error of the figures", axis=G4),
        "y": quantity("risk", title=lines(measure, 30), scale={"zero": False}, axis=G4),
    }
    tips = {"tooltip": [told("error", "Mean error", ".4~g"), told("risk", measure)]}
    points = mark("point", rows, {**at, **tips}, color=IN, filled=True, opacity=1, size=60)
    if at_zero is None or slope is None:
        return {**points, "height": 240}
    far = max(row["error"] for row in rows)
    ends = [{"error": 0.0, "risk": at_zero}, {"error": far, "risk": at_zero + slope * far}]
    line = mark("line", ends, at, color=OUT, strokeDash=[5, 4], strokeWidth=2)
    tips = {"tooltip": [told("risk", "At an error of zero")]}
    zero = mark("point", ends[:1], {**at, **tips}, color=OUT, size=110, strokeWidth=2, opacity=1)
    return layered(240, line, points, zero)


def _curve(rows: Rows) -> Part:
    """The marginal risk by size: measured, and extrapolated to all rows."""
    known = [row for row in rows if row["value"] is not None]
    title = {"title": "Marginal risk"}
    axis = {"values": sorted({row["rows"] for row in known}), "format": ".3~s", "grid": False}
    scale = {"type": "log", "base": 2, "nice": False, "padding": 16}
    shared = {
        "x": quantity("rows", title="Rows", scale=scale, axis=axis),
        "color": categories("kind", ["measured", "extrapolated"], [IN, OUT]),
        "tooltip": [
            nominal("kind", title="How"),
            told("rows", "Rows", ","),
            told("value", "Marginal risk"),
            told("low", "From"),
            told("high", "To"),
        ],
    }
    ends = {**shared, "y": quantity("low", **title), "y2": {"field": "high"}}
    at = {**shared, "y": quantity("value", **title, axis=G4)}
    return layered(
        240,
        mark("rule", [{"value": 0.0}], {"y": quantity("value", **title)}, color=LINE, strokeWidth=2),
        mark("rule", known, ends, strokeWidth=3),
        mark("point", known, at, filled=True, opacity=1, size=80),
    )


def _utility(rows: Rows, what: str, release: float | None) -> Part:
    """A map of risk and utility (Duncan et al. 2001): each assessment a point, the best at the lower right."""
    made = [{**row, "lines": lines(f"{row['number']} {row['label']}")} for row in rows]
    verdicts = ["release", "review", "refuse"]
    y = quantity("risk", title="Marginal risk, upper bound", axis=G4)
    at = {"x": quantity("utility", title=what, scale={"padding": 30}, axis=G4), "y": y}
    encoding = {
        **at,
        "color": categories("verdict", verdicts, [GOOD, WARN, BAD]),
        "shape": categories("verdict", verdicts, ["circle", "diamond", "square"]),
        "tooltip": [
            nominal("label", title="Assessment"),
            nominal("verdict", title="Verdict"),
            told("risk", "Marginal risk, upper bound"),
            told("utility", what, ",.4~g"),
            told("exposed", "Exposed", ","),
        ],
    }
    style = {"align": "center", "baseline": "bottom", "dy": -10, "color": INK, "fontSize": 12, "fontWeight": "bold"}
    layers = [
        mark("point", made, encoding, filled=True, opacity=1, size=140),
        mark("text", made, {**at, "text": nominal("number")}, **style),
    ]
    if release is not None:
        limit = {"y": y, "tooltip": [told("risk", "Released up to", ".4~g")]}
        layers.insert(0, mark("rule", [{"risk": release}], limit, color=GOOD, strokeDash=[5, 4], strokeWidth=2))
    return layered(320, *layers)


def _accusations(rows: Rows) -> Part:
    """Right against wrong accusations on logarithmic axes, with chance as the diagonal."""
    scale = {"type": "log", "domain": [0.001, 1], "clamp": True}
    at = {
        "x": quantity("wrong", title="Wrongly accused", scale=scale, axis={"format": ".1~%", "tickCount": 4}),
        "y": quantity("right", title="Rightly accused", scale=scale, axis={"format": ".1~%", "tickCount": 4}),
    }
    # Scenarios have long names: they are numbered here, in the order of the table below.
    names = list(dict.fromkeys(row["label"] for row in rows))
    rows = [{**row, "number": str(names.index(row["label"]) + 1)} for row in rows]
    numbers = [str(k + 1) for k in range(len(names))]
    colour = categories("number", numbers, [IN, OUT, BAD, GOOD][: len(names)])
    tips = [nominal("label", title="Inferring"), told("wrong", "Wrongly", ".1~%"), told("right", "Rightly", ".2~%")]
    chance = [{"wrong": 0.001, "right": 0.001}, {"wrong": 1.0, "right": 1.0}]
    line = mark("line", rows, {**at, "color": colour}, strokeWidth=2)
    points = mark("point", rows, {**at, "color": colour, "tooltip": tips}, filled=True, opacity=1, size=50)
    return layered(260, mark("line", chance, at, color=LINE, strokeWidth=2), line, points)


def _files(rows: Rows) -> Part:
    """Synthetic files by utility and risk, the best at the lower right."""
    made = [{**row, "lines": lines(f"{row['number']} {row['label']}")} for row in rows]
    at = {
        "x": quantity("utility", title="Utility: two-way tables", scale={"padding": 30, "zero": False}, axis=G4),
        "y": quantity("risk", title="Given away beyond the holdout", axis=G4),
    }
    tips = [nominal("label", title="File"), told("utility", "Utility"), told("risk", "Risk"), nominal("attack")]
    style = {"align": "center", "baseline": "bottom", "dy": -10, "color": INK, "fontSize": 12, "fontWeight": "bold"}
    return layered(
        320,
        mark("rule", [{"risk": 0.0}], {"y": at["y"]}, color=LINE, strokeWidth=2),
        mark("point", made, {**at, "tooltip": tips}, color=IN, filled=True, opacity=1, size=140),
        mark("text", made, {**at, "text": nominal("number")}, **style),
    )


CHARTS: dict[str, Callable[..., Part]] = {
    "bars": released_charts.bars,
    "coefficients": released_charts.coefficients,
    "steps": released_charts.steps,
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


def _either(test: str, yes: Any, no: Any) -> Part:
    return {"condition": {"test": test, "value": yes}, "value": no}
