"""How long a report takes, in a new process and in one that has made one before, and whether it grows with rows."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from divulge.assess import assess, plan
from divulge.demo import simulated_census
from divulge.reports import REPORTS, Html
from divulge.spec import read_spec
from divulge.table import write_schema, write_table

SIZES = (5_000, 50_000)
SPEC = """data: census.csv
schema: census.schema.json
outputs:
  - {kind: crosstab, variables: [AREAP, ETHGROUP, MSTATUS, LTILL], compute: true}
design: {kind: repeated-halves, splits: 10, curve_splits: 3}
"""
REPEATS = 3  # the least of a few: what else the machine does only ever adds time


def run() -> list[dict[str, Any]]:
    lines = []
    with TemporaryDirectory() as name:
        for n_rows in SIZES:
            record = _record(Path(name), n_rows)
            size = len(record.read_bytes())
            lines += [_line(record, n_rows, report.format, size) for report in REPORTS]
            document = json.loads(record.read_text(encoding="utf-8"))
            Html().render(document)
            again = min(_seconds(lambda d=document: Html().render(d)) for _ in range(REPEATS))
            lines.append({"rows": n_rows, "what": "html again", "seconds": round(again, 3), "record_bytes": size})
    return lines


def _record(folder: Path, n_rows: int) -> Path:
    census = simulated_census(n_rows)
    write_table(census, folder / "census.csv")
    write_schema(census.schema, folder / "census.schema.json")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    found = assess(plan(read_spec(folder / "spec.yaml")), spec_text=SPEC.encode(), workers=1)
    path = folder / f"{n_rows}.json"
    path.write_text(json.dumps(found.record), encoding="utf-8")
    return path


def _line(record: Path, n_rows: int, what: str, size: int) -> dict[str, Any]:
    made = record.with_name("report")
    command = [sys.executable, "-m", "divulge", "report", str(record), "--format", what, "-o", str(made)]
    seconds = min(_seconds(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in range(REPEATS))
    bytes_made = len(made.read_bytes())
    return {"rows": n_rows, "what": what, "seconds": round(seconds, 3), "bytes": bytes_made, "record_bytes": size}


def _seconds(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
