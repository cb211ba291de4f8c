"""Outputs of known truth on data that nobody tuned for: safe and unsafe ones in pairs, each with its attack.

The data stay where they are: FOREIGN in the environment names the folder with `data/`, `handed_in/` and `wild/`. ONLY
("nursery sd2011") takes some of the data, CASES ("median of three;mode of two") some of the outputs, SEEDS ("1 2 3")
other seeds; SPLITS and SECONDS other settings than the usual ones, of which none may release what is unsafe. What is
run anew takes the place of what was kept of the same output, seed and settings, as it ends; the rest stays. `load`: how
many programs wanted a processor when the output was done. Searches are limited by the clock, so on a busy machine they
reach less.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from benchmarks.validation.foreign_data import CASES, Foreign
from benchmarks.validation.results import keep, kept
from divulge.assess import assess, plan
from divulge.errors import DivulgeError
from divulge.spec import Inputs, parse_spec
from divulge.table import Table, read_table

FOLDER = Path(os.environ.get("FOREIGN", "/nowhere"))
ONLY = os.environ.get("ONLY", "").split()
NAMES = [name.strip() for name in os.environ.get("CASES", "").split(";") if name.strip()]
SEEDS = [int(seed) for seed in os.environ.get("SEEDS", "1").split()]
SPLITS = [int(n) for n in os.environ.get("SPLITS", "0").split()]
SECONDS = [float(s) for s in os.environ.get("SECONDS", "0").split()]
KEPT_AS = "foreign" if SPLITS == [0] else "foreign_settings"

Frame = pd.DataFrame


@cache
def frame_of(data: str) -> Frame:
    """The data as a frame, with names that formulas can hold."""
    if data == "cps":
        frame = pd.read_parquet(FOLDER / "data" / "cps_1994_95_adults.parquet").head(40_000)
    elif data.startswith("wild/"):
        frame = pd.read_csv(FOLDER / "wild" / "cases" / data.removeprefix("wild/") / "data.csv")
    elif data.startswith("handed_in/"):
        frame = pd.read_csv(FOLDER / "handed_in" / "data" / f"{data.removeprefix('handed_in/')}.csv")
    else:
        frame = pd.read_csv(FOLDER / "data" / f"{data}.csv")
    return frame.rename(columns=lambda name: str(name).replace(".", "_").replace(" ", "_"))


def table_of(frame: Frame, folder: Path) -> Table:
    """The same as anybody would hand it in: a file of the variables that outputs speak of."""
    frame.to_csv(folder / "data.csv", index=False)
    return read_table(folder / "data.csv")


def run_one(case: Foreign, seed: int, splits: int, seconds: float, folder: Path) -> dict[str, Any]:
    """One output assessed, and how many people the attack gets something of."""
    frame = case.prepare(frame_of(case.data))
    design: dict[str, Any] = {"kind": "repeated-halves", "curve": False} | ({"splits": splits} if splits else {})
    document: dict[str, Any] = {"data": "data.csv", "outputs": [dict(o) for o in case.outputs], "seed": seed}
    # No verdict needs the learning curve or measures beside the scores.
    document |= {"design": design, "measures": ["DCAP"]}
    document |= {"scenario": dict(case.scenario)} if case.scenario else {}
    document |= {"synthesiser": {"kind": "descent", "seconds": seconds}} if seconds else {}
    started = time.process_time()
    line = {
        "output": case.name,
        "data": case.data,
        "rows": len(frame),
        "seed": seed,
        "splits": splits or "usual",
        "seconds a search": seconds or "usual",
        "given away": case.attack(frame),
        "truth": truth_of(case, frame),
    }
    try:
        table = table_of(frame, folder)
        inputs = Inputs(table.schema, table, table.n_rows, (None,) * len(case.outputs))
        record = assess(plan(parse_spec(document, Path()), inputs), workers=1).record
    except DivulgeError as error:
        return line | {"verdict": "error", "reasons": [str(error)]}
    return line | {
        "verdict": record["verdict"],
        "exposed": record["exposure"]["exposed"],
        "power": record["exposure"]["power"],
        "reasons": record["reasons"][:2],
        "seconds": round(time.process_time() - started, 1),
        "load": round(os.getloadavg()[0], 1),
    }


def truth_of(case: Foreign, frame: Frame) -> str:
    return "between" if case.truth == "between" else "unsafe" if case.attack(frame) else "safe"


def lines_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Every output with every seed and setting, one after the other, told as it ends."""
    chosen = [c for c in CASES if not ONLY or any(c.data.startswith(name) for name in ONLY)]
    chosen = [c for c in chosen if not NAMES or c.name in NAMES]
    for case, seed, splits, seconds in product(chosen, SEEDS, SPLITS, SECONDS):
        line = run_one(case, seed, splits, seconds, folder)
        print(f"  {line}", flush=True)
        keep_with_earlier(KEPT_AS, [line])
        yield line


def check() -> list[str]:
    assert FOLDER.is_dir(), "name the folder that holds data/ and wild/cases/ in FOREIGN"
    with TemporaryDirectory() as folder:
        lines = list(lines_of(Path(folder)))
    wrong = [x for x in lines if (x["truth"], x["verdict"]) in (("unsafe", "release"), ("safe", "refuse"))]
    assert not wrong, wrong
    totals = totals_of(lines)
    is_usual = SPLITS == [0] and SECONDS == [0]
    not_released = [x for x in lines if x["truth"] == "safe" and x["verdict"] != "release"]
    assert not is_usual or len(not_released) <= 0.05 * totals["safe"], not_released
    return [", ".join(f"{k}: {v}" for k, v in totals.items())]


def keep_with_earlier(name: str, lines: list[dict[str, Any]]) -> None:
    """Keep these lines, and those of earlier runs that were not run anew, in the order of the list."""
    fresh = {_key(name, x) for x in lines}
    every = [x for x in kept(name) if _key(name, x) not in fresh] + lines
    order = {(c.name, c.data): i for i, c in enumerate(CASES)}
    every = sorted((x for x in every if (x["output"], x["data"]) in order), key=lambda x: order[x["output"], x["data"]])
    keep(name, every, totals_of(every))


def _key(name: str, line: dict[str, Any]) -> tuple[Any, ...]:
    """Which line is the same one, run again. With the usual settings a longer or a shorter search is no other line."""
    settings = () if name == "foreign" else (line["splits"], line["seconds a search"])
    return line["output"], line["data"], line["seed"], *settings


def totals_of(lines: list[dict[str, Any]]) -> dict[str, int]:
    """How many of the safe and of the unsafe were released and refused."""
    found = {"outputs": len(CASES), "run": len({(x["output"], x["data"]) for x in lines})}
    found |= {"data sets": len({x["data"] for x in lines})}
    for truth in ("safe", "unsafe"):
        verdicts = [x["verdict"] for x in lines if x["truth"] == truth]
        found |= {truth: len(verdicts), f"{truth} released": verdicts.count("release")}
        found |= {f"{truth} refused": verdicts.count("refuse")}
    return found
