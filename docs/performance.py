"""docs/performance.md: what `make bench` measured last, from benchmarks/results, with what it ran on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"

TITLES = {
    "startup": "Starting the command",
    "reading": "Reading files",
    "glm": "Fitting regressions",
    "search": "Reproducing outputs with `descent`",
    "tables": "Many tables, beside private-pgm",
    "evolution": "The paper's algorithm",
    "teaching": "Teaching data",
    "measures": "Measures",
    "assess": "A whole assessment",
}

NOTES = {
    "tables": "All two-way tables of seven variables of the CPS extract, 50,000 rows. mbi (private-pgm) fits a "
    "graphical model, made for tables with noise, and draws rows from it; it ran with its recommended estimator and "
    "default step size, in double precision, compiled first. It was stopped by time, not because it had "
    "converged: a longer run should come closer. `make peers` installs it.",
}
"""What a table cannot say."""


def performance_page() -> str:
    """One table for each benchmark that has results, in the order above."""
    parts = [
        "# Performance",
        "This page is generated from the results of `make bench`. Each figure was measured in one run beside its "
        "baseline where there is one; machines differ, so compare within a table. *Target* is what was aimed at, and "
        "*met* says whether it was reached on the machine named below the table.",
    ]
    for name, title in TITLES.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            result = json.loads(file.read_text(encoding="utf-8"))
            note = [NOTES[name]] if name in NOTES else []
            parts += [f"## {title}", *note, _table(result["lines"]), ran_on(result["ran_on"])]
    return "\n\n".join(parts) + "\n"


def _table(lines: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(key for line in lines for key in line))
    shown = {"passed": "met"}
    rows = [f"| {' | '.join(shown.get(n, n) for n in names)} |", "|" + "---|" * len(names)]
    rows += [f"| {' | '.join(cell(line.get(n)) for n in names)} |" for line in lines]
    return "\n".join(rows)


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value).replace("|", "\\|")


def ran_on(machine: dict[str, Any]) -> str:
    return "Ran on: " + ", ".join(f"{key} {value}" for key, value in machine.items()) + "."
