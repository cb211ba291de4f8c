"""Outputs that nobody tuned for: random outputs of fifty real data sets, assessed with default settings.

The cases and the script that makes and runs them lie outside the project (`../shared/wild`), since the data are not
ours to hand on; `WILD=FOLDER make wild` names another place. What is kept here are counts, times and the misses.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

PLACE = Path(__file__).resolve().parents[2] / "shared" / "wild"

IN_TIME = 60
"""Seconds within which there is to be a verdict."""

LONGEST = 120
"""Seconds after which a case is ended."""


_EVERY = 6


def some_specs() -> list[Path]:
    """Every sixth case, for what takes long; none where the cases are not here."""
    return sorted(Path(os.environ.get("WILD", PLACE), "cases").glob("*/spec.yaml"))[::_EVERY]


def run() -> list[dict[str, Any]]:
    place = Path(os.environ.get("WILD", PLACE))
    if not (place / "wild.py").exists():
        return [{"what": "not run: the cases are not here", "reached": ""}]
    command = str(Path(sys.executable).with_name("divulge"))
    with tempfile.TemporaryDirectory() as folder:
        given = ["--divulge", command, "--out", folder, "--seconds", str(LONGEST)]
        subprocess.run([sys.executable, str(place / "wild.py"), "run", *given], check=True)
        return lines_of(json.loads(Path(folder, "results.json").read_text(encoding="utf-8")))


def lines_of(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line for each target, then one for each case that missed one."""
    n = len(results)
    in_time = [r for r in results if "verdict" in r and r["seconds"] <= IN_TIME]
    full = [r for r in results if "figures" in r and r["figures"] == r["reproduced"]]
    tested = [r for r in results if r.get("tested")]
    dropped = [r for r in results if r.get("failed")]
    review = [r for r in results if _lacks(r)]
    cpu = sorted(r["cpu"] for r in results)
    lines: list[dict[str, Any]] = [
        _line(f"a verdict within {IN_TIME} s, of {n}", len(in_time), "98 %", len(in_time) >= 0.98 * n),
        _line("every figure as printed, or within a twentieth of its SE", len(tested), "95 %", len(tested) >= 0.95 * n),
        _line("every figure as printed", len(full), "", None),
        _line("splits dropped", len(dropped), "0", not dropped),
        _line("review for want of embedding or splits", len(review), "3 %", len(review) <= 0.03 * n),
        _line("processor seconds, median", round(median(cpu), 1), "6", median(cpu) <= 6),
        _line("processor seconds, nine in ten", cpu[min(n - 1, int(0.9 * n))], "", None),
        # Where others work too, clocks run on and processors are shared: all of the above is slower then.
        _line("processes at work on the machine, in the end", round(os.getloadavg()[0], 1), "1", None),
    ]
    missed = [r for r in results if r not in in_time or r not in tested or r in dropped or r in review]
    return lines + [
        {
            "case": r["case"],
            "outputs": r["kinds"],
            "data": r["source"],
            "verdict": r.get("verdict", "none"),
            "as printed": f"{r['reproduced']} of {r['figures']}" if "figures" in r else "",
            "wall seconds": r["seconds"],
            "processor seconds": r["cpu"],
        }
        for r in missed
    ]


def _lacks(result: dict[str, Any]) -> bool:
    """Whether the verdict is *review* because too little could be reproduced or computed."""
    why = " ".join(result.get("reasons", ()))
    return result.get("verdict") == "review" and ("be reproduced" in why or "could not be computed" in why)


def _line(what: str, reached: float, target: str, met: bool | None) -> dict[str, Any]:
    return {"what": what, "reached": reached, "target": target, "met": "" if met is None else "yes" if met else "no"}
