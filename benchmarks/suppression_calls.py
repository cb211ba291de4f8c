"""Runs inside the environment of pytauargus: protects tables by OPT and by MOD, and says what was withheld.

tau-ARGUS (EUPL) is a program to compare with; it is never imported by ours. A folder has linked tables as N.jj, and
hierarchical ones as N.csv with N.json (variables, rule) and N.A.hrc …; of these the JJ file is written too.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytauargus
from pytauargus.batch import Suppress
from pytauargus.engine import Engine, run_batch

LIMIT = 10
"""What tau-ARGUS is told of time; who calls it ends it where it takes no notice."""


def opt(file: Path) -> dict[str, Any]:
    out = file.with_suffix(".out")
    started, worked = time.perf_counter(), time.process_time()
    code = Engine()._hitas.full_jj(in_file_jj=str(file), out_file=str(out), max_time=LIMIT)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    cells = [int(cell) for cell in out.read_text(encoding="utf-8").split()] if code <= 1 and out.exists() else None
    return {"code": code, "secondary": cells, "seconds": seconds, "processor_seconds": processor}


def mod(folder: Path, name: str) -> dict[str, Any]:
    given = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(folder / f"{name}.csv", dtype=dict.fromkeys(given["variables"], str))
    hierarchies = {v: str(folder / f"{name}.{v}.hrc") for v in given["hierarchical"]}
    work = folder / f"work{name}"
    written = pytauargus.protect(
        frame, given["variables"], "V", given["rule"], hrc=hierarchies or None, workdir=str(work), run=False
    )
    batch = Path(written.files["arb"])
    kept = [x for x in batch.read_text(encoding="utf-8").split("\n") if "SUPPRESS" not in x and "WRITETABLE" not in x]
    batch.write_text("\n".join(kept), encoding="utf-8")
    engine = run_batch(str(batch))
    low, high = engine._table_cell_bounds(0)
    assert engine._tau.write_jj_format(0, str(folder / f"{name}.jj"), low, high, False, False, False)
    started, worked = time.perf_counter(), time.process_time()
    engine.suppress(Suppress(kind="MOD", tab_no=1, mod_max_time=LIMIT))
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    n, _ = engine._tau.get_total_table_size(0)
    secondary = [i for i in range(n) if engine._tau.get_table_cell_status(0, i) in (11, 12)]
    return {"secondary": secondary, "seconds": seconds, "processor_seconds": processor}


if __name__ == "__main__":
    place, table, method = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    answer = mod(place, table) if method == "MOD" else opt(place / f"{table}.jj")
    (place / f"{table}.{method}").write_text(json.dumps({"version": version("pytauargus"), **answer}), encoding="utf-8")
