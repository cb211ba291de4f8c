"""The whole battery on a file of Adult's size and on a million rows; single attacks beside anonymeter and SDMetrics.

The data are drawn here, as in `benchmarks.measures`; DIVULGE_BENCH_DATA names a folder with the real files, whose
holdout is drawn from the same rows: it serves to take time. Each peer runs in an environment of its own. anonymeter
attacks a sample of people, so that its figures have an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measures import ADULT, adult_rows, alone, drawn
from benchmarks.peers import environment
from divulge.measures import measure
from divulge.table import Table, table_from_frame, write_table

NAMES = [*list(ADULT)[:9], "income"]
KEYS, TARGET = NAMES[:9], "income"
FEW = ["age", "sex", "race", "occupation"]
ATTACKS = 2_000
"""People whom anonymeter attacks: its documentation has as many."""

_ANONYMETER = """
import json, sys, time
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator
people, synthetic, holdout = (pd.read_csv(path) for path in sys.argv[1:4])
keys, target, attacks = sys.argv[4].split(","), sys.argv[5], int(sys.argv[6])
found = {}
def attacked(name, make):
    start = time.perf_counter()
    evaluator = make().evaluate(n_jobs=1)
    rate, control = evaluator.results().attack_rate, evaluator.results().control_rate
    found[name] = {
        "seconds": time.perf_counter() - start,
        "rate": rate.value, "error": rate.error, "holdout": control.value, "holdout_error": control.error}
attacked("inference", lambda: InferenceEvaluator(
    people, synthetic, aux_cols=keys, secret=target, n_attacks=attacks, control=holdout, regression=False))
attacked("linkability", lambda: LinkabilityEvaluator(
    people, synthetic, aux_cols=(keys[::2], keys[1::2]), n_attacks=attacks, n_neighbors=1, control=holdout))
print(json.dumps(found))
"""

_SDMETRICS = """
import json, sys, time
import pandas as pd
from sdmetrics.single_table import DCROverfittingProtection, NewRowSynthesis
people, synthetic, holdout = (pd.read_csv(path) for path in sys.argv[1:4])
metadata = {"tables": {"all": {"columns": {name: {"sdtype": "categorical"} for name in people}}}}
people, synthetic, holdout = (frame.astype(str) for frame in (people, synthetic, holdout))
found = {}
start = time.perf_counter()
score = NewRowSynthesis.compute(real_data=people, synthetic_data=synthetic, metadata=metadata, table_name="all")
found["new rows"] = {"seconds": time.perf_counter() - start, "score": score}
start = time.perf_counter()
parts = DCROverfittingProtection.compute_breakdown(
    real_training_data=people, synthetic_data=synthetic, real_validation_data=holdout, metadata=metadata,
    table_name="all")
found["overfitting"] = {"seconds": time.perf_counter() - start, "score": parts["score"],
                        "nearer": parts["synthetic_data_percentages"]["closer_to_training"]}
print(json.dumps(found))
"""


def run() -> list[dict[str, Any]]:
    drawn_rows = [table_from_frame(drawn(48_842, seed)[NAMES]) for seed in (1, 2, 3)]
    whole = [_battery("rows of Adult's shape", *drawn_rows)]
    if "DIVULGE_BENCH_DATA" in os.environ:
        whole.append(_battery("Adult and a CART synthesis of it", *_files(48_842)))
    # SDMetrics compares row by row in pandas: of more rows it takes minutes.
    return [*whole, _million(), *_beside_anonymeter(*_files(5_000)), *_beside_sdmetrics(*_files(500))]


def _files(n: int) -> tuple[Table, Table, Table]:
    """People, synthetic rows, and people of the same kind who were not in."""
    people, synthetic = adult_rows()
    if people.n_rows < 2 * n:  # one file: others are drawn like it
        others = table_from_frame(people.to_pandas().sample(n, replace=True, random_state=3))
    else:
        others = people.take(slice(n, 2 * n))
    return tuple(t.select(NAMES).take(slice(0, n)) for t in (people, synthetic, others))


def _battery(name: str, people: Table, synthetic: Table, holdout: Table) -> dict[str, Any]:
    """Every family, people and holdout, once. Compiled code is loaded by a run on few rows."""
    few = [t.take(slice(0, 500)) for t in (people, synthetic, holdout)]
    measure(few[0], few[1], KEYS, TARGET, measures=["all"], holdout=few[2])
    start, used = time.perf_counter(), time.process_time()
    found = measure(people, synthetic, KEYS, TARGET, measures=["all"], holdout=holdout)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    what = f"{name}: all {len(found.measures)} measures, {people.n_rows:,} × {len(NAMES)}, with a holdout of as many"
    return {"what": what, "seconds": seconds, "processor": used, "target": 60, "passed": seconds <= 60}


def _million() -> dict[str, Any]:
    """Models learn from 100,000 of the rows and attack as many people, as their figures say; all else counts all."""
    what = f"rows of Adult's shape: all measures, 1,000,000 × {len(NAMES)}, with a holdout of as many"
    return {"what": what, **alone("whole_battery")}


def _beside_anonymeter(people: Table, synthetic: Table, holdout: Table) -> list[dict[str, Any]]:
    theirs = _theirs("anonymeter", _ANONYMETER, (people, synthetic, holdout), ",".join(FEW), TARGET, str(ATTACKS))
    lines = []
    for name in ("inference", "linkability"):
        keys = FEW if name == "inference" else FEW[::2] + FEW[1::2]
        start = time.perf_counter()
        found = measure(people, synthetic, keys, TARGET, measures=[name], holdout=holdout)
        line = {
            "what": f"{name}, {people.n_rows:,} people",
            "seconds": time.perf_counter() - start,
            "rate": found[name].value,
        }
        if theirs is not None:
            peer = theirs[name]
            each = peer["seconds"] / ATTACKS / (line["seconds"] / people.n_rows)
            line |= {
                "anonymeter": peer["rate"],
                "its_error": peer["error"],
                "its_seconds": peer["seconds"],
                "times_per_person": each,
                "agrees": abs(found[name].value - peer["rate"]) <= 2 * peer["error"],
            }
        lines.append(line)
    return lines


def _beside_sdmetrics(people: Table, synthetic: Table, holdout: Table) -> list[dict[str, Any]]:
    theirs = _theirs("sdmetrics", _SDMETRICS, (people, synthetic, holdout))
    start = time.perf_counter()
    found = measure(people, synthetic, KEYS, TARGET, measures=["distances"], holdout=holdout)
    seconds = time.perf_counter() - start
    line: dict[str, Any] = {
        "what": "nearest rows: DCR, NNDR, identical, overfitting",
        "seconds": seconds,
        "nearer to the people": found["DCR_share"].value,
    }
    if theirs is not None:
        line |= {
            "SDMetrics, ties not nearer": theirs["overfitting"]["nearer"],
            "its_seconds": theirs["overfitting"]["seconds"],
        }
        line["times"] = theirs["overfitting"]["seconds"] / seconds
    new = _share_of_new_rows(people, synthetic)
    other: dict[str, Any] = {"what": "synthetic rows that nobody has", "value": new}
    if theirs is not None:
        other |= {"SDMetrics": theirs["new rows"]["score"], "its_seconds": theirs["new rows"]["seconds"]}
        other["agrees"] = abs(new - theirs["new rows"]["score"]) < 1e-9
    return [line, other]


def _share_of_new_rows(people: Table, synthetic: Table) -> float:
    rows = [pd.MultiIndex.from_frame(t.to_pandas().astype(str)) for t in (people, synthetic)]
    return float(np.mean(~rows[1].isin(rows[0])))


def _theirs(package: str, script: str, tables: tuple[Table, ...], *words: str) -> dict[str, Any] | None:
    """What a peer says of the same files; None where it cannot be installed or does not run."""
    python = environment(package)
    if python is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{i}.csv" for i in range(len(tables))]
        for path, table in zip(paths, tables, strict=True):
            write_table(table, path)
        command = [str(python), "-W", "ignore", "-c", script, *map(str, paths), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:])
        return None
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))
