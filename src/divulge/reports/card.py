"""The verdict as a small piece of HTML, for a notebook: `_repr_html_` of what the Python interface returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.reports.blocks import Source
from divulge.reports.page import environment
from divulge.reports.sections.outputs import released_grid
from divulge.reports.sections.verdict import exposed_people, output_name, summary

TONES = {"release": "#1a6b3c", "review": "#8a5800", "refuse": "#b3261e"}
"""As in the report. Text keeps the notebook's own colour, so that light and dark both work."""

LONGEST = 15
"""Rows of an output that a card still shows."""


def card(record: Mapping[str, Any]) -> str:
    """Verdict, why, what to do, the figures behind it, and each output's own verdict where there are several."""
    source = Source(record)
    seen = summary(source)
    outputs = [
        ((output_name(source, p),), str(source.get(*p, "verdict")), exposed_people(source, *p))
        for p in source.many("outputs")
    ]
    grids = [grid for p in source.many("outputs") if (grid := released_grid(source, p)) is not None]
    template = environment().get_template("card.html.jinja")
    return template.render(
        summary=seen,
        tone=TONES.get(seen.verdict, "#53606f"),
        tones=TONES,
        outputs=outputs if len(outputs) > 1 else [],
        grids=[g for g in grids if len(g.rows) <= LONGEST],
    )
