"""The arrow plot of several targets: from what the original data disclose to what the synthetic do (Raab 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.errors import MeasureError

ORIGINAL, SYNTHETIC = "#4c6a92", "#b3372f"


def arrow_plot(table: Sequence[Mapping[str, Any]]) -> str:
    """An SVG with an arrow from Dorig to DiSCO for every target (her figure 1). table: a row for each target."""
    if not table:
        raise MeasureError("the plot needs Dorig and DiSCO.", where="plot", hint="Add identity to the measures.")
    import vl_convert  # slow to import, and only this function draws

    rows = [
        {
            "target": row["target"] + (f"  (check {', '.join(row['checks'])})" if row["checks"] else ""),
            "original": row["Dorig"],
            "synthetic": row["DiSCO"],
            "side": -90 if row["DiSCO"] <= row["Dorig"] else 90,
        }
        for row in table
    ]
    share = {
        "field": "original",
        "type": "quantitative",
        "title": "share of people disclosed: original (Dorig) → synthetic (DiSCO)",
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%"},
    }
    order = [row["target"] for row in rows]
    there = {"field": "synthetic", "type": "quantitative"}
    # The angle of the arrow's head is in the data: left where the synthetic data disclose less, right where more.
    head = {"x": there, "angle": {"field": "side", "type": "quantitative", "scale": None}}
    document = {
        "data": {"values": rows},
        "encoding": {
            "y": {"field": "target", "type": "nominal", "sort": order, "title": None, "axis": {"labelLimit": 400}}
        },
        "layer": [
            {
                "mark": {"type": "rule", "color": ORIGINAL, "strokeWidth": 2},
                "encoding": {"x": share, "x2": {"field": "synthetic"}},
            },
            {"mark": {"type": "point", "color": ORIGINAL, "filled": True, "size": 50}, "encoding": {"x": share}},
            {
                "mark": {"type": "point", "shape": "triangle", "color": SYNTHETIC, "filled": True, "size": 90},
                "encoding": head,
            },
        ],
        "width": 480,
        "height": {"step": 26},
        "config": {"view": {"stroke": None}},
    }
    return str(vl_convert.vegalite_to_svg(document))
