"""Plots as Vega-Lite documents, made with altair from rows of the record. Nothing is drawn or computed here.

Colours are names of CSS variables, which a browser looks up where it draws: one plot serves light, dark and print.
`PALETTE` has the same colours for where there is no style sheet.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

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


def document(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The Vega-Lite document of one plot, as wide as where it stands."""
    chart = CHARTS[name](**data)
    made: dict[str, Any] = chart.properties(width="container").to_dict(validate=False)
    made["config"] = CONFIG
    made["autosize"] = {"type": "fit-x", "contains": "padding"}
    made["background"] = "transparent"
    # The address of the schema is for editors; a report names no address.
    made.pop("$schema", None)
    return made


def lines(text: str, width: int = LABEL_WIDTH) -> list[str]:
    """A label in lines that fit; long words are broken, nothing is cut."""
    return textwrap.wrap(text, width, break_long_words=True) or [""]


def _data(rows: Rows) -> Any:
    return alt.InlineData(values=[dict(row) for row in rows])


def _labelled(rows: Rows) -> tuple[list[dict[str, Any]], int]:
    """Rows with their place and their label in lines, and the height that they need together."""
    made = [{**row, "place": i, "lines": lines(str(row["label"]))} for i, row in enumerate(rows)]
    most = max((len(row["lines"]) for row in made), default=1)
    return made, (14 * most + 24) * len(made)


def _number(field: str, title: str, **options: Any) -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", title=title, format=options.get("format", ".4f"))


def _label_above(base: alt.Chart) -> alt.Chart:
    return base.mark_text(align="left", baseline="top", lineHeight=14, color=INK, fontSize=12, dy=4).encode(
        x=alt.value(0), y=_place(0), text="lines:N"
    )


def _place(band: float) -> alt.Y:
    """Where a row is drawn: 0 is its top, under the line above, 1 its bottom."""
    return alt.Y("place:O", axis=None, bandPosition=band)


def intervals(rows: Rows, release: float | None, refuse: float | None) -> Any:
    """A value with its interval for each label, beside the thresholds of the policy."""
    made, height = _labelled(rows)
    tips = [
        alt.Tooltip("label:N", title="Inferring"),
        _number("value", "Marginal risk"),
        _number("low", "From"),
        _number("high", "To"),
    ]
    base = alt.Chart(_data(made))
    title = "Marginal risk"
    x = alt.X("value:Q", title=title, axis=alt.Axis(format=".4~g", tickCount=5))
    span = base.mark_rule(color=IN, strokeWidth=3, yOffset=-9).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=_place(1), tooltip=tips
    )
    point = base.mark_point(color=IN, filled=True, size=90, opacity=1, yOffset=-9).encode(
        x=x, y=_place(1), tooltip=tips
    )
    marks: list[dict[str, Any]] = [
        {"at": at, "what": what, "colour": colour}
        for at, what, colour in ((release, "released up to here", GOOD), (refuse, "refused above", BAD))
        if at is not None
    ]
    # A threshold far beyond every interval would press them flat, so the second is drawn only where it is near.
    highest = max((row["high"] or 0.0 for row in rows if row["high"] is not None), default=0.0)
    marks = [m for i, m in enumerate(marks) if i == 0 or highest > (release or 0.0)]
    rules = (
        alt.Chart(_data(marks))
        .mark_rule(strokeDash=[5, 4], strokeWidth=2)
        .encode(
            x=alt.X("at:Q", title=title),
            color=alt.Color(
                "what:N",
                scale=alt.Scale(domain=[m["what"] for m in marks], range=[m["colour"] for m in marks]),
                legend=alt.Legend(title=None, symbolType="stroke"),
            ),
            tooltip=[alt.Tooltip("what:N", title="Threshold"), _number("at", "At", format=".4~g")],
        )
    )
    return alt.layer(rules, span, point, _label_above(base)).properties(height=height)


def contrast(rows: Rows) -> Any:
    """Each measure in, out, and by chance, with the interval of the difference drawn from "out"."""
    # A measure's name is short, unless somebody gave it a long one.
    rows = [{**row, "measure": "\n".join(lines(str(row["measure"]), 16))} for row in rows]
    long = [
        {"measure": row["measure"], "who": who, "value": row[key]}
        for row in rows
        for who, key in (("in", "original"), ("out", "holdout"), ("baseline", "baseline"))
        if row[key] is not None
    ]
    order = [row["measure"] for row in rows]
    axis = alt.Axis(labelColor=INK, ticks=False, domain=False, labelPadding=8, labelExpr="split(datum.label, '\\n')")
    y = alt.Y("measure:N", sort=order, title=None, axis=axis)
    tips = [alt.Tooltip("measure:N", title="Measure"), alt.Tooltip("who:N", title="People"), _number("value", "Value")]
    kinds = ["in", "out", "baseline"]
    points = (
        alt.Chart(_data(long))
        .mark_point(size=90, opacity=1, strokeWidth=2)
        .encode(
            x=alt.X("value:Q", title="Share inferred", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
            y=y,
            color=alt.Color(
                "who:N", scale=alt.Scale(domain=kinds, range=[IN, OUT, SOFT]), legend=alt.Legend(title=None)
            ),
            fill=alt.condition("datum.who == 'in'", alt.value(IN), alt.value("transparent")),
            shape=alt.Shape(
                "who:N",
                scale=alt.Scale(domain=kinds, range=["circle", "diamond", "stroke"]),
                legend=alt.Legend(title=None),
            ),
            angle=alt.condition("datum.who == 'baseline'", alt.value(90), alt.value(0)),
            tooltip=tips,
        )
    )
    # No share is below 0 or above 1, wherever the interval of a difference ends.
    known = [
        {**row, "low": max(row["low"], 0.0), "high": min(row["high"], 1.0)}
        for row in rows
        if row["low"] is not None and row["high"] is not None
    ]
    span = (
        alt.Chart(_data(known))
        .mark_rule(color=IN, strokeWidth=6, opacity=0.3)
        .encode(x=alt.X("low:Q", title="Share inferred"), x2="high:Q", y=y)
    )
    join = (
        alt.Chart(_data(rows))
        .mark_rule(color=LINE, strokeWidth=2)
        .encode(x=alt.X("holdout:Q", title="Share inferred"), x2="original:Q", y=y)
    )
    return alt.layer(join, span, points).properties(height=30 * len(rows) + 10)


def spread(rows: Rows) -> Any:
    """How many people in each class of exposure, on a scale on which three people among 50,000 are seen."""
    order = [row["between"] for row in reversed(rows)]
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("between:N", sort=order, title="Exposure", axis=alt.Axis(ticks=False, domain=False, labelPadding=6)),
        tooltip=[alt.Tooltip("between:N", title="Exposure"), _number("people", "People", format=",")],
    )
    x = alt.X(
        "people:Q",
        title="People",
        scale=alt.Scale(type="symlog", constant=1, nice=False),
        axis=alt.Axis(values=[1, 10, 100, 1000, 10_000, 100_000, 1_000_000], format=",d", labelOverlap="greedy"),
    )
    colour = alt.condition("datum.above", alt.value(BAD), alt.value(IN))
    return base.mark_bar(cornerRadiusEnd=2).encode(x=x, color=colour).properties(height=20 * len(rows))


def groups(rows: Rows) -> Any:
    """The share of exposed people in each group."""
    made, height = _labelled([{**row, "zero": 0} for row in rows])
    base = alt.Chart(_data(made)).encode(
        tooltip=[
            alt.Tooltip("label:N", title="Group"),
            _number("share", "Share", format=".1%"),
            _number("exposed", "Exposed", format=","),
            _number("people", "People", format=","),
        ],
    )
    x = alt.X("zero:Q", title="Share of the group that is exposed", axis=alt.Axis(format=".0~%", tickCount=4))
    bars = base.mark_rule(color=BAD, strokeWidth=9, yOffset=-9).encode(x=x, x2="share:Q", y=_place(1))
    return alt.layer(bars, _label_above(base)).properties(height=height)


def path(rows: Rows, what: str) -> Any:
    """The error along a search."""
    is_log = all(row["error"] is not None and row["error"] > 0 for row in rows)
    scale = alt.Scale(type="log") if is_log else alt.Scale()
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("steps:Q", title="Changes tried", axis=alt.Axis(format="~s", tickCount=4)),
        y=alt.Y("error:Q", title=what, scale=scale, axis=alt.Axis(format=".4~g", tickCount=4)),
        tooltip=[_number("steps", "Changes tried", format=","), _number("error", what, format=".4~g")],
    )
    return alt.layer(
        base.mark_line(color=IN, strokeWidth=2), base.mark_point(color=IN, filled=True, opacity=1, size=40)
    ).properties(height=220)


def against(rows: Rows, measure: str, at_zero: float | None, slope: float | None) -> Any:
    """Risk against error, with the fitted line where there is one."""
    x = alt.X("error:Q", title="Mean error of the figures", axis=alt.Axis(format=".4~g", tickCount=5))
    y = alt.Y(
        "risk:Q", title=lines(measure, 30), scale=alt.Scale(zero=False), axis=alt.Axis(format=".4~g", tickCount=5)
    )
    points = (
        alt.Chart(_data(rows))
        .mark_point(color=IN, filled=True, opacity=1, size=60)
        .encode(x=x, y=y, tooltip=[_number("error", "Mean error", format=".4~g"), _number("risk", measure)])
    )
    if at_zero is None or slope is None:
        return points.properties(height=240)
    far = max(row["error"] for row in rows)
    ends = [{"error": 0.0, "risk": at_zero}, {"error": far, "risk": at_zero + slope * far}]
    line = alt.Chart(_data(ends)).mark_line(color=OUT, strokeDash=[5, 4], strokeWidth=2).encode(x=x, y=y)
    zero = (
        alt.Chart(_data(ends[:1]))
        .mark_point(color=OUT, size=110, strokeWidth=2, opacity=1)
        .encode(x=x, y=y, tooltip=[_number("risk", "At an error of zero")])
    )
    return alt.layer(line, points, zero).properties(height=240)


def curve(rows: Rows) -> Any:
    """The marginal risk by size: measured, and extrapolated to all rows."""
    known = [row for row in rows if row["value"] is not None]
    kinds = alt.Scale(domain=["measured", "extrapolated"], range=[IN, OUT])
    tips = [
        alt.Tooltip("kind:N", title="How"),
        _number("rows", "Rows", format=","),
        _number("value", "Marginal risk"),
        _number("low", "From"),
        _number("high", "To"),
    ]
    x = alt.X(
        "rows:Q",
        title="Rows",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=alt.Axis(values=sorted({row["rows"] for row in known}), format=".3~s", grid=False),
    )
    base = alt.Chart(_data(known)).encode(
        x=x, color=alt.Color("kind:N", scale=kinds, legend=alt.Legend(title=None)), tooltip=tips
    )
    title = "Marginal risk"
    zero = (
        alt.Chart(_data([{"value": 0.0}])).mark_rule(color=LINE, strokeWidth=2).encode(y=alt.Y("value:Q", title=title))
    )
    return alt.layer(
        zero,
        base.mark_rule(strokeWidth=3).encode(y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=80).encode(
            y=alt.Y("value:Q", title=title, axis=alt.Axis(format=".4~g", tickCount=5))
        ),
    ).properties(height=240)


def utility(rows: Rows, what: str, release: float | None) -> Any:
    """A map of risk and utility (Duncan et al. 2001): each assessment a point, the best at the lower right."""
    made = [{**row, "lines": lines(f"{row['number']} {row['label']}")} for row in rows]
    verdicts = ["release", "review", "refuse"]
    x = alt.X("utility:Q", title=what, scale=alt.Scale(padding=30), axis=alt.Axis(format=".4~g", tickCount=5))
    y = alt.Y("risk:Q", title="Marginal risk, upper bound", axis=alt.Axis(format=".4~g", tickCount=5))
    base = alt.Chart(_data(made)).encode(x=x, y=y)
    points = base.mark_point(filled=True, opacity=1, size=140).encode(
        color=alt.Color(
            "verdict:N", scale=alt.Scale(domain=verdicts, range=[GOOD, WARN, BAD]), legend=alt.Legend(title=None)
        ),
        shape=alt.Shape(
            "verdict:N",
            scale=alt.Scale(domain=verdicts, range=["circle", "diamond", "square"]),
            legend=alt.Legend(title=None),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Assessment"),
            alt.Tooltip("verdict:N", title="Verdict"),
            _number("risk", "Marginal risk, upper bound"),
            _number("utility", what, format=",.4~g"),
            _number("exposed", "Exposed", format=","),
        ],
    )
    names = base.mark_text(align="center", baseline="bottom", dy=-10, color=INK, fontSize=12, fontWeight="bold").encode(
        text="number:N"
    )
    layers = [points, names]
    if release is not None:
        threshold = alt.Chart(_data([{"risk": release}])).mark_rule(color=GOOD, strokeDash=[5, 4], strokeWidth=2)
        layers.insert(0, threshold.encode(y=y, tooltip=[_number("risk", "Released up to", format=".4~g")]))
    return alt.layer(*layers).properties(height=320)


CHARTS: dict[str, Callable[..., Any]] = {
    "intervals": intervals,
    "contrast": contrast,
    "spread": spread,
    "groups": groups,
    "path": path,
    "against": against,
    "curve": curve,
    "utility": utility,
}
