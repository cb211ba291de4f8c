"""The largest runs of `measures` and `microdata`, each in a process of its own: prints seconds and memory as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measures import COUNTED, MILLIONS, drawn, millions_schema
from benchmarks.microdata import NAMES
from divulge.measures import measure
from divulge.measures.counting.out_of_core import measure_parquet
from divulge.table import Table, table_from_frame

KEYS = list(MILLIONS)[:-1]
BLOCK = 1_000_000  # rows drawn at once, so that drawing leaves no mark on the memory


def _block(rng: np.random.Generator, name: str, n: int) -> np.ndarray:
    return (rng.random(n, dtype=np.float32) ** 2 * MILLIONS[name]).astype(np.uint8)


def _memory(field: str) -> float:
    """MB of this process now (VmRSS) or at its largest (VmHWM); getrusage would begin with the parent's."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1000


def _table(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    columns = {name: np.empty(n, np.uint8) for name in MILLIONS}
    for start in range(0, n, BLOCK):
        for name, column in columns.items():
            column[start : start + BLOCK] = _block(rng, name, min(BLOCK, n - start))
    for column in columns.values():
        column.setflags(write=False)
    return Table(millions_schema(), tuple(columns.values()))


def ten_million() -> dict[str, Any]:
    people, synthetic = _table(10_000_000, 1), _table(10_000_000, 2)
    few = people.take(slice(0, 1000))
    measure(few, few, KEYS, "TENURE", measures=COUNTED)
    before = _memory("VmRSS")
    start = time.perf_counter()
    measure(people, synthetic, KEYS, "TENURE", measures=COUNTED)
    return {"seconds": time.perf_counter() - start, "MB_beyond_tables": _memory("VmHWM") - before}


def hundred_million() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{seed}.parquet" for seed in (1, 2)]
        for seed, path in enumerate(paths):
            rng = np.random.default_rng(seed)
            schema = pa.schema([(name, pa.uint8()) for name in MILLIONS])
            with pq.ParquetWriter(path, schema, compression="zstd") as writer:
                for _ in range(100):
                    writer.write_table(pa.table({name: _block(rng, name, BLOCK) for name in MILLIONS}, schema=schema))
        start = time.perf_counter()
        measure_parquet(paths[0], paths[1:], KEYS, ["TENURE"], measures=COUNTED)
        return {"seconds": time.perf_counter() - start, "MB": _memory("VmHWM")}


def whole_battery() -> dict[str, Any]:
    """Every measure of a million people, as many synthetic rows and as many held out."""
    people, synthetic, others = (table_from_frame(drawn(BLOCK, seed)[NAMES]) for seed in (1, 2, 3))
    few = [t.take(slice(0, 500)) for t in (people, synthetic, others)]
    measure(few[0], few[1], NAMES[:-1], NAMES[-1], measures=["all"], holdout=few[2])
    before, start, used = _memory("VmRSS"), time.perf_counter(), time.process_time()
    measure(people, synthetic, NAMES[:-1], NAMES[-1], measures=["all"], holdout=others)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    return {"seconds": seconds, "processor": used, "MB_beyond_tables": _memory("VmHWM") - before}


if __name__ == "__main__":
    runs = {"ten_million": ten_million, "hundred_million": hundred_million, "whole_battery": whole_battery}
    print(json.dumps(runs[sys.argv[1]]()))
