"""docs/limits-kinds.md: how far and how fast each kind is embedded, from benchmarks/results/kinds.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from divulge.outputs import OUTPUTS
from docs.performance import ran_on

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results" / "kinds.json"

LIMIT = 5.0
"""Seconds within which a kind should be embedded."""


_WHY = (
    "With thousands of people one row moves a test statistic, a sum of squares or a threshold by more than its last "
    "printed digit, and several such figures have to fall into place at once. Where far fewer than 20 seconds of the "
    "processor are shown, other work on the machine had the rest of the clock."
)


def embedded_kinds_page() -> str:
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines: list[dict[str, Any]] = result["lines"]
    slow = [x for x in lines if x["reproduced"] == x["figures"] and x["seconds"] > LIMIT]
    short = [x for x in lines if x["reproduced"] < x["figures"]]
    never = [kind for kind in OUTPUTS if not kind.can_lower]
    loads = sorted(x["load"] for x in lines)
    parts = [
        "# How far each kind is embedded",
        "This page is generated from the results of `make bench ARGS=kinds`: one output of each kind, printed with 3 "
        "decimals (counts with none), on 5,000 people of the Current Population Surveys. A figure counts where the "
        "synthetic people give it as it is printed. Standard errors, tests and AIC are not among these figures. "
        f"Seconds are of the processor, one run each (load of the machine {loads[0]:g} to {loads[-1]:g} on two cores); "
        "a search ends after 20 seconds of the clock.",
        f"{len(lines) - len(slow) - len(short)} of {len(lines)} kinds are embedded within {LIMIT:g} seconds.",
        *_listed("These take longer:", slow),
        *_listed("Of these the search did not reach every figure in its time:", short),
        *([_WHY] if short else []),
        "| kind | figures | as printed | seconds |\n|---|---|---|---|\n"
        + "\n".join(
            f"| [{x['kind']}](reference/catalogue.md#{x['kind']}) | {x['figures']} | {x['reproduced']} | "
            f"{x['seconds']:.2f} |"
            for x in lines
        ),
        *(f"`{kind.kind}` cannot be searched for: {kind.why_not}" for kind in never),
        "A model with more figures takes longer, and the last digits of many figures that hang together may not be "
        "reached: [limits](limits.md) says what follows.",
        ran_on(result["ran_on"]),
    ]
    return "\n\n".join(parts) + "\n"


def _listed(title: str, lines: list[dict[str, Any]]) -> list[str]:
    named = ", ".join(f"`{x['kind']}` ({x['reproduced']} of {x['figures']}, {x['seconds']:.1f} s)" for x in lines)
    return [f"{title} {named}."] if lines else []
