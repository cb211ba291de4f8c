"""Several targets at once: the table of what original and synthetic data disclose (Raab 2024)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

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


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
