"""Released figures as people draw them: bars, coefficients with their intervals, a curve over time. What gives somebody
away is marked, by colour and by shape."""

from __future__ import annotations

from divulge.reports.marks import (
    BAD,
    G4,
    IN,
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
    mark,
    nominal,
    place,
    quantity,
    told,
)

RISKS = ("", "has a part in it", "gives most away")
"""What a plot says of figures of each grade of blame."""

_COLOURS = {2: BAD, 1: WARN}
_SHAPES = {2: "diamond", 1: "triangle-up"}


def _risk(rows: Rows, shapes: bool = True) -> Part:
    """Colour, and where points are drawn shape, by what a figure gives away; no legend where none does."""
    known = [grade for grade in (2, 1) if any(row["grade"] == grade for row in rows)]
    values = [*(RISKS[grade] for grade in known), RISKS[0]]
    made = {"color": categories("risk", values, [*(_COLOURS[grade] for grade in known), IN])}
    if shapes:
        made["shape"] = categories("risk", values, [*(_SHAPES[grade] for grade in known), "circle"])
    for channel in made.values():
        channel["legend"] = {**channel["legend"], "values": values[:-1]} if known else None
    return made


def _with_risk(rows: Rows) -> list[Part]:
    return [{**row, "risk": RISKS[row["grade"]]} for row in rows]


def bars(rows: Rows, what: str) -> Part:
    """A bar for each figure, from zero."""
    made, height = labelled([{**row, "zero": 0} for row in _with_risk(rows)])
    tips = [nominal("label", title="Figure"), told("value", what, ",.6~g"), nominal("risk", title="Blame")]
    ends = {
        "x": quantity("zero", title=what, axis=G4),
        "x2": {"field": "value"},
        "y": place(1),
        "tooltip": tips,
        **_risk(made, shapes=False),
    }
    return layered(height, mark("rule", made, ends, strokeWidth=9, yOffset=-9), label_above(made, tips))


def coefficients(rows: Rows) -> Part:
    """A coefficient with its interval (95 %) for each term, beside zero."""
    made, height = labelled(_with_risk(rows))
    tips = [
        nominal("label", title="Term"),
        told("value", "Coefficient", ".4~g"),
        told("low", "From", ".4~g"),
        told("high", "To", ".4~g"),
        nominal("risk", title="Blame"),
    ]
    row = {"y": place(1), "tooltip": tips, **_risk(made)}
    ends = {**row, "x": quantity("low", title="Coefficient"), "x2": {"field": "high"}}
    ends.pop("shape", None)
    at = {**row, "x": quantity("value", title="Coefficient", axis=G4)}
    return layered(
        height,
        mark("rule", [{"value": 0.0}], {"x": quantity("value")}, color=LINE, strokeWidth=2),
        mark("rule", made, ends, strokeWidth=3, yOffset=-9),
        mark("point", made, at, filled=True, opacity=1, size=90, yOffset=-9),
        label_above(made, tips),
    )


def steps(rows: Rows, time: str, what: str) -> Part:
    """A curve over time for each group, that stays until the next time; risky times as points of their own."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    dashes = [[1, 0], [6, 3], [2, 3], [8, 3, 2, 3]]
    shown = [IN, OUT, SOFT]
    x = quantity("time", title=time, axis={"tickCount": 6, "format": ",.6~r"})
    y = quantity("value", title=what, scale={"domain": [0, 1]}, axis={"tickCount": 5})
    line: Part = {"x": x, "y": y}
    if len(groups) > 1:
        line["color"] = categories("group", groups, [shown[i % len(shown)] for i in range(len(groups))])
        dash = categories("group", groups, [dashes[i % len(dashes)] for i in range(len(groups))])
        line["strokeDash"] = {**dash, "legend": None}
    risky = [row for row in _with_risk(rows) if row["grade"]]
    tips = [
        nominal("group", title="Group"),
        told("time", time, "~g"),
        told("value", what),
        nominal("risk", title="Blame"),
    ]
    style = {} if len(groups) > 1 else {"color": IN}
    points = {"x": x, "y": y, "tooltip": tips, **_risk(risky)}
    curve = mark("line", rows, line, interpolate="step-after", strokeWidth=2, **style)
    if not risky:
        return layered(260, curve)
    made = layered(260, curve, mark("point", risky, points, filled=True, opacity=1, size=90))
    return {**made, "resolve": {"scale": {"color": "independent", "shape": "independent"}}}
