"""Several targets at once: Raab's (2024) table of what original and synthetic data disclose, and her arrow plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from divulge.errors import MeasureError
from divulge.measures.run import Measured


def target_table(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """One row a target, the most disclosed first: means over the synthetic tables, and which checks are flagged."""
    rows = []
    for measured in found:
        if "DiSCO" not in measured.measures or "Dorig" not in measured.measures:
            continue
        disclosed = measured.measures["DiSCO"]
        flags = []
        if any(e.details.get("one_way") for e in disclosed):
            flags.append("one-way")
        if any(e.details.get("two_way") for e in disclosed):
            flags.append("two-way")
        names = ("Dorig", "DiSCO", "CAPd", "DCAP", "TCAP")
        means = {n: _mean([e.value for e in measured.measures[n]]) for n in names if n in measured.measures}
        rows.append({"target": measured.target, **means, "checks": flags})
    return sorted(rows, key=lambda row: -row["DiSCO"] if not math.isnan(row["DiSCO"]) else math.inf)


def arrow_plot(table: Sequence[dict[str, Any]]) -> str:
    """An SVG with an arrow from Dorig to DiSCO for every target (Raab 2024, figure 1)."""
    if not table:
        raise MeasureError("the plot needs Dorig and DiSCO.", where="plot", hint="Add identity to the measures.")
    # Both are slow to import, and only this function draws.
    import altair as alt
    import vl_convert

    rows = [
        {
            "target": row["target"] + (f"  (check {', '.join(row['checks'])})" if row["checks"] else ""),
            "original": row["Dorig"],
            "synthetic": row["DiSCO"],
            "side": -90 if row["DiSCO"] <= row["Dorig"] else 90,
        }
        for row in table
    ]
    order = [row["target"] for row in rows]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("target:N", sort=order, title=None, axis=alt.Axis(labelLimit=400)),
    )
    share = alt.X(
        "original:Q",
        title="share of people disclosed: original (Dorig) → synthetic (DiSCO)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%"),
    )
    lines = base.mark_rule(color="#4c6a92", strokeWidth=2).encode(x=share, x2="synthetic:Q")
    starts = base.mark_point(color="#4c6a92", filled=True, size=50).encode(x=share)
    # The angle of the arrow's head is in the data: left where the synthetic data disclose less, right where more.
    heads = base.mark_point(shape="triangle", color="#b3372f", filled=True, size=90).encode(
        x="synthetic:Q", angle=alt.Angle("side:Q", scale=None)
    )
    chart = (lines + starts + heads).properties(width=480, height=alt.Step(26)).configure_view(stroke=None)
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
