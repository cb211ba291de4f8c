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
    "readers": "Files as they were handed in",
    "measures": "Measures",
    "microdata": "Synthetic microdata, beside anonymeter and SDMetrics",
    "assess": "A whole assessment",
    "wild": "In the wild",
    "stalled": "Outputs that once stalled",
    "forecast": "Time, as `divulge check` tells it and in truth",
    "time_left": "Time left, as told and in truth",
    "service": "The service",
    "nation": "A nation",
}

NOTES = {
    "nation": "Sixty million people with eight categorical variables and half a million different rows, in one Parquet "
    "file; three of them are alone in their cell. Seconds are of the processor, unless they say clock.",
    "tables": "All two-way tables of seven variables of the CPS extract, 50,000 rows. mbi (private-pgm) fits a "
    "graphical model, made for tables with noise, and draws rows from it; it ran with its recommended estimator and "
    "default step size, in double precision, compiled first. It was stopped by time, not because it had "
    "converged: a longer run should come closer. `make peers` installs it.",
    "microdata": "Every measure of the catalogue in one pass on files of the size of Adult, then single attacks "
    "beside the packages that have them, on the same files; "
    "*times per person* is how much longer theirs takes for one. anonymeter attacks a sample, so that its rates have "
    "an error; SDMetrics counts a tie as not nearer, which on categorical rows makes most of them look safe.",
    "readers": "Folders with the truth beside them, made by R, Stata, PSPP, gretl, Python's packages and by hand. "
    "*recognised*: outputs with the right kind and variables. *confirmed*: by the data (some folders have no public "
    "data, and some figures are wrong on purpose). *read*: figures as printed. *planted* and *found*: wrong figures. "
    "Aimed at: 95 % of outputs, 98 % of figures, every planted one.",
    "assess": "The whole command, from a CSV file and a spec to record and report, in a process of its own. Aimed at: "
    "12 seconds, 1,000 MB, and 10 times for 1,000,000 rows. The rows below say how the time of one run divides.",
    "wild": "Sixty outputs drawn at random by a script from some fifty real data sets: regressions, tables, table "
    "ones, means, quantiles, correlations. Each is assessed by the whole command with a spec of data and outputs, "
    "nothing else. The second table has every case that missed a target. `make wild` runs it again.",
    "forecast": "Every sixth of the same sixty outputs: what the command `check` tells, then the command `assess` by a "
    "clock.",
    "stalled": "Seven outputs on other people's data on which an earlier search stalled or took minutes, each by the "
    "whole command with nothing set. `make bench ARGS=stalled` runs them again, beside the data.",
    "service": "A ledger in SQLite with 10,000 submissions. First every list by itself; then 200 people, each of whom "
    "looks at a page for one to five seconds and goes to the next, while two assessments run. The server, its workers "
    "and the program that plays the people share the cores.",
}
"""What a table cannot say."""


def performance_page() -> str:
    """One table for each benchmark that has results, in the order above."""
    parts = [
        "# Performance",
        "This page is generated from the results of `make bench`. Each figure was measured in one run beside its "
        "baseline where there is one; machines differ, so compare within a table. *Target* is what was aimed at, and "
        "*met* says whether it was reached on the machine named below the table. Commands are timed once they have "
        "run before: kernels and bytecode are compiled. Where Python may not keep its bytecode, starting one takes "
        "up to four seconds more.",
    ]
    for name, title in TITLES.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            result = json.loads(file.read_text(encoding="utf-8"))
            note = [NOTES[name]] if name in NOTES else []
            parts += [f"## {title}", *note, *_tables(result["lines"]), ran_on(result["ran_on"])]
    return "\n\n".join(parts) + "\n"


def _tables(lines: list[dict[str, Any]]) -> list[str]:
    """One table, or several where lines have nothing in common with those before."""
    groups: list[list[dict[str, Any]]] = []
    for line in lines:
        if not groups or not set(line) & {key for other in groups[-1] for key in other} - {"target ms", "passed"}:
            groups.append([])
        groups[-1].append(line)
    return [_table(group) for group in groups]


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
