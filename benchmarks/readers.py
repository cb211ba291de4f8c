"""Handed-in files with the truth beside them: how many outputs and figures are read, by program and by kind.

`python -m benchmarks.readers FOLDER [--misses]`: FOLDER holds one folder a case, and `data/`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.changed_digits import changed
from divulge.readers.handed_in.folder import FolderRead, read_folder
from divulge.readers.handed_in.matching.reading import Reading
from divulge.table import Table, read_table

BESIDE = frozenset({"source.json", "truth.json"})


def names_in(text: str | None) -> set[str]:
    """The variables of a formula, without functions and levels."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|Treatment\([^)]*\)", "", text or "")
    words = set(re.findall(r"[A-Za-z_][\w.]*", bare))
    return {w for w in words if w not in {"C", "I", "log", "Treatment", "sqrt", "exp", "np", "factor", "Surv"}}


def wanted(output: dict[str, Any]) -> set[str]:
    """The variables that a reading must name."""
    if output.get("formula"):
        return names_in(output["formula"])
    return {*output.get("variables", []), *output.get("by", [])}


def named(reading: Reading) -> set[str]:
    if reading.formula:
        return names_in(reading.formula)
    return {*reading.variables, *reading.by}


def recognised(output: dict[str, Any], found: list[Reading]) -> list[Reading]:
    """The readings of the right kind and variables."""
    asked = wanted(output)
    return [r for r in found if r.kind == output["kind"] and named(r) == asked]


def figures_read(output: dict[str, Any], found: list[Reading]) -> tuple[int, list[str]]:
    """How many true figures are among those read, each used once, and the labels of those that are not."""
    left = Counter()
    for reading in found:
        for checked in reading.figures:
            printed = checked.figure.printed
            left["hidden" if printed.value is None else f"{printed.value:.10g}"] += 1
    read, missed = 0, []
    for figure in output["figures"]:
        key = "hidden" if figure["value"] is None else f"{figure['value']:.10g}"
        share = f"{figure['value'] * 100:.10g}" if figure["value"] is not None and "stored" in figure else key
        for tried in (key, share):
            if left[tried] > 0:
                left[tried] -= 1
                read += 1
                break
        else:
            missed.append(figure["label"])
    return read, missed


def disagreements(output: dict[str, Any], found: list[Reading]) -> tuple[int, int]:
    """How many planted disagreements there are, and how many were found."""
    planted = [f for f in output["figures"] if f["label"] in output.get("disagrees", [])]
    wrong = {c.figure.printed.value for r in found for c in r.figures if c.agrees is False}
    return len(planted), sum(f["value"] in wrong for f in planted)


def cases(root: Path) -> list[Path]:
    return sorted(p.parent for p in root.glob("*/truth.json"))


def run() -> list[dict[str, Any]]:
    """The table as `make bench ARGS=readers` keeps it; DIVULGE_HANDED_IN names the folder of cases."""
    root = os.environ.get("DIVULGE_HANDED_IN")
    if root is None:
        return [{"skipped": "set DIVULGE_HANDED_IN to a folder of handed-in files with the truth beside them"}]
    rows = counted(Path(root), False)
    shown = [("program", grouped(rows, 0)), ("kind", grouped(rows, 1)), ("all", {"all": sum(rows.values(), Counter())})]
    table = [{"by": by, "name": name, **row} for by, group in shown for name, row in group.items()]
    # Any seed: another one changes other digits.
    digits = {"folder": "single digits changed", **changed(Path(root), 3313, 600)[0]}
    return [*table, digits, measured("100 files beside 50,000 rows", root), measured("a log of 500 MB", root)]


_MEASURED = """
import json, sys, time
from pathlib import Path
from benchmarks.readers import WRITTEN
from divulge.readers.handed_in.folder import read_folder
from divulge.table import read_table

def peak():
    # Not getrusage: a child's peak there begins with its parent's.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

folder = Path(sys.argv[3])
WRITTEN[sys.argv[1]](Path(sys.argv[2]), folder)
data = read_table(folder / "data.csv")
clock, processor = time.perf_counter(), time.process_time()
found = read_folder(folder / "in", data)
print(json.dumps({
    "files": len(found.files),
    "outputs in it": len(list(found.readings)),
    "confirmed by its data": sum(r.confirmed for _, r in found.readings),
    "seconds": time.perf_counter() - clock,
    "processor seconds": time.process_time() - processor,
    "peak MB": peak(),
}))
"""


def measured(what: str, root: str) -> dict[str, Any]:
    """How long a folder takes in a process of its own, and how much memory."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _MEASURED, what, root, folder]
        found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return {"folder": what, **found, "load": os.getloadavg()[0]}


def _hundred(root: Path, folder: Path) -> None:
    """The files of all cases, some twice, beside rows that most of them are not of: the search is longest there."""
    files = [f for case in cases(root) for f in sorted(case.parent.glob(f"{case.name}/*")) if f.name not in BESIDE]
    for number in range(100):
        file = files[number % len(files)]
        target = folder / "in" / f"{number:03d}"
        target.mkdir(parents=True)
        shutil.copyfile(file, target / file.name)
    frame = pd.read_csv(root / "data" / "adult_20000.csv")
    # Any seed: which rows there are matters little, only how many.
    frame.sample(50_000, replace=True, random_state=1).to_csv(folder / "data.csv", index=False)


def _long_log(root: Path, folder: Path) -> None:
    """A console with a table here and there among the steps of a simulation."""
    shutil.copyfile(root / "data" / "birthwt.csv", folder / "data.csv")
    (folder / "in").mkdir()
    table = (root / "001-r-lm-birthwt-console" / "analysis.Rout").read_text(encoding="utf-8")
    steps = "".join(f"step {i:>9}  value {i * 0.37:12.5f}  gradient {1 / (i + 1):.3e}\n" for i in range(200_000))
    with (folder / "in" / "simulation.log").open("w", encoding="utf-8") as file:
        while file.tell() < 500_000_000:
            file.write(table + "\n" + steps + "\n")


WRITTEN = {"100 files beside 50,000 rows": _hundred, "a log of 500 MB": _long_log}
"""Folders that are measured, by who writes them."""


def main(root: Path, misses: bool) -> None:
    """Print the table."""
    started = time.perf_counter()
    rows = counted(root, misses)
    seconds = time.perf_counter() - started
    show("program", grouped(rows, 0))
    show("kind", grouped(rows, 1))
    show("all", {"all": sum(rows.values(), Counter())})
    print(f"{len(cases(root))} folders in {seconds:.1f} s")


def counted(root: Path, misses: bool) -> dict[tuple[str, str], Counter[str]]:
    """Every case read and scored, by program and kind."""
    tables: dict[str, Table] = {}
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases(root):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        source = json.loads((case / "source.json").read_text(encoding="utf-8"))
        data = truth["data"]
        if data is not None and data not in tables:
            tables[data] = read_table(root / "data" / data)
        folder = read_folder(case, tables[data] if data is not None else None, BESIDE)
        score(case.name, truth, str(source.get("software", "?")).split()[0].strip(",;"), folder, rows, misses)
    return rows


def score(
    name: str,
    truth: dict[str, Any],
    program: str,
    folder: FolderRead,
    rows: dict[tuple[str, str], Counter[str]],
    misses: bool,
) -> None:
    matched: set[int] = set()
    for output in truth["outputs"]:
        here = [r for f, r in folder.readings if f == output["file"]]
        right = recognised(output, here)
        matched |= {id(r) for r in right}
        read, missed = figures_read(output, right or [r for r in here if r.kind == output["kind"]] or here)
        planted, found = disagreements(output, right or here)
        row = rows[program, output["kind"]]
        row["outputs"] += 1
        row["recognised"] += bool(right)
        row["confirmed"] += any(r.confirmed for r in right)
        row["figures"] += len(output["figures"])
        row["read"] += read
        row["planted"] += planted
        row["found"] += found
        if misses and (not right or missed or not any(r.confirmed for r in right) or found < planted):
            report(name, output, right, here, missed)
    for _, reading in folder.readings:
        if misses and id(reading) not in matched and reading.confirmed:
            print(f"  + {name}: confirmed beyond the truth: {reading.kind} {sorted(named(reading))}")


def report(name: str, output: dict[str, Any], right: list[Reading], here: list[Reading], missed: list[str]) -> None:
    state = "read" if right else "MISSED"
    print(
        f"- {name}: {state} {output['kind']} {output.get('formula') or sorted(wanted(output))}"
        f" where {output.get('where')}"
    )
    if not right:
        for reading in here:
            print(
                f"      have {reading.kind} {reading.formula or sorted(named(reading))}"
                f" {reading.candidate.lines} {reading.note or ''}"
            )
    for reading in right:
        if not reading.confirmed:
            print(
                f"      not confirmed: {reading.agreeing} of {reading.compared} agree, where {reading.where},"
                f" {reading.note or ''} {list(reading.disagreeing[:4])}"
            )
    if missed:
        print(f"      figures missed ({len(missed)}): {missed[:5]}")


def grouped(rows: dict[tuple[str, str], Counter[str]], at: int) -> dict[str, Counter[str]]:
    out: dict[str, Counter[str]] = defaultdict(Counter)
    for key, row in rows.items():
        out[key[at]].update(row)
    return dict(sorted(out.items()))


def show(title: str, rows: dict[str, Counter[str]]) -> None:
    print(
        f"\n{title:<20}{'outputs':>9}{'recognised':>12}{'confirmed':>11}{'figures':>9}{'read':>8}{'planted':>9}{'found':>7}"
    )
    for name, r in rows.items():
        share = f"{r['recognised'] / max(r['outputs'], 1):.0%}"
        figures = f"{r['read'] / max(r['figures'], 1):.1%}"
        print(
            f"{name:<20}{r['outputs']:>9}{r['recognised']:>6} {share:>5}{r['confirmed']:>11}"
            f"{r['figures']:>9}{figures:>8}{r['planted']:>9}{r['found']:>7}"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--misses" in sys.argv)
