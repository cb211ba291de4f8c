"""What needs rows, searched for in a sample beside all suspects, and on all rows: the same verdict, the same people?

People with an income as in `nation_people.py`, with those who are alone in their region and without them.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.nation_people import PLANTED_INCOMES

COMPARED = {
    "medians": {"kind": "position", "variables": ["income"], "by": ["region", "sex"], "decimals": 0},
    "deciles": {"kind": "position", "variables": ["income"], "by": ["sex"], "quantiles": [0.1, 0.5, 0.9]},
    "Gini": {"kind": "gini", "variables": ["income"], "by": ["region"], "decimals": 3},
}
"""Outputs that counts alone do not say."""

CASES = (
    (200_000, "medians", 1, True),
    (200_000, "medians", 2, False),
    (200_000, "deciles", 3, False),
    (200_000, "Gini", 4, False),
    (600_000, "medians", 5, True),
)
"""People, output, seed, and whether three of them are alone in their region."""

_DESIGN = {"kind": "repeated-halves", "splits": 20, "curve": False}
_SEARCH = {"kind": "descent", "seconds": 10}
"""Long enough for what can be found: what is compared is the sample, not the time."""


def compare(path: Path, name: str, seed: int, planted: bool) -> dict[str, Any]:
    """One output of the people of a file, both ways; planted: with those who are alone in their region."""
    from divulge.assess import assess, plan
    from divulge.spec import parse_spec

    output = {**COMPARED[name], "compute": True, **({} if planted else {"where": f"region < {PLANTED_INCOMES}"})}
    given = {"data": str(path), "outputs": [output], "seed": seed, "synthesiser": _SEARCH, "design": _DESIGN}
    ready = plan(parse_spec(given, Path()))
    assert ready.is_sampled, "it is what is compared"
    whole = replace(ready, why_rows="", table=ready.table.expanded())
    found, seconds = [], []
    for one in (ready, whole):
        start = time.process_time()
        found.append(assess(one, workers=1))
        seconds.append(time.process_time() - start)
    sampled, by_row = (f.record for f in found)
    exposed = [_rows(f.exposed, p.table) for f, p in zip(found, (ready, whole), strict=True)]
    risks = [[r["marginal_risk"] for r in record["risk"]] for record in (sampled, by_row)]
    off = [a["value"] - b["value"] for a, b in zip(*risks, strict=True)]
    inside = [a["interval"][0] <= b["value"] <= a["interval"][1] for a, b in zip(*risks, strict=True)]
    return {
        "verdicts": f"{sampled['verdict']}, {by_row['verdict']}",
        "exposed": f"{sampled['exposure']['exposed']}, {by_row['exposure']['exposed']}",
        "same people": exposed[0] == exposed[1],
        "risk on all rows": max(b["value"] for b in risks[1]),
        "farthest off": max(off, key=abs),
        "within the interval": f"{sum(inside)} of {len(inside)}",
        "figures": ", ".join(str(record["outputs"][0]["reproduced"]) for record in (sampled, by_row)),
        "seconds": seconds[0],
        "seconds on all rows": seconds[1],
    }


def _rows(exposed: Any, table: Any) -> list[tuple[int, ...]]:
    """The exposed people by their values, in order."""
    at = np.flatnonzero(exposed)
    return sorted(zip(*(column[at].tolist() for column in table.columns), strict=True))
