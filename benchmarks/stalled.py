"""Seven outputs on which an earlier search stalled, each by the whole command with nothing but data and outputs.

The data lie outside the project (`../shared`), since they are not ours to hand on; `SHARED=FOLDER` names another place.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

PLACE = Path(__file__).resolve().parents[2] / "shared"

WITHIN, FOLDER_WITHIN = 30.0, 90.0
"""Seconds for one output, and for a folder of ACRO."""

MANY = "income ~ age + C(sex) + C(race) + C(marital_status) + C(full_part_time)"
FEW_POSITIVE = "income ~ age + C(sex) + C(hispanic_origin)"


def run() -> list[dict[str, Any]]:
    place = Path(os.environ.get("SHARED", PLACE))
    if not (place / "wild").exists():
        return [{"what": "not run: the data are not here", "reached": ""}]
    with tempfile.TemporaryDirectory() as name:
        return [_timed(*case) for case in _cases(place, Path(name))]


def _cases(place: Path, folder: Path) -> Iterator[tuple[str, list[str], float]]:
    """What each is, the command without its first word, and the seconds it has."""
    adults = pd.read_parquet(place / "data" / "cps_1994_95_adults.parquet")
    yield "20 coefficients, 50,000 people, without data (embed)", _without_data(adults, folder), WITHIN
    yield "a level in which one person of some 80 has the outcome", _rare(adults, folder), WITHIN
    for what, case in (
        ("three-way table of row percentages, 9,822 people", "000"),
        ("two means at 2 decimals, 1,260 people", "007"),
        ("mean and standard deviation in 2 groups, 753 people", "005"),
        ("19 coefficients, 46,033 people", "011"),
    ):
        spec = next((place / "wild" / "cases").glob(f"{case}*")) / "spec.yaml"
        yield what, ["assess", str(spec), "-o", str(folder / case), "--json"], WITHIN
    acro = place / "data" / "acro-1.0.2" / "plain"
    given = ["--data", str(place / "data" / "nursery.csv"), "-o", str(folder / "acro"), "--json"]
    yield "plain folder of ACRO 1.0.2", ["acro", str(acro), *given], FOLDER_WITHIN


def _without_data(adults: pd.DataFrame, folder: Path) -> list[str]:
    """Released coefficients and a schema alone."""
    own = folder / "many"
    own.mkdir()
    adults.sample(50_000, random_state=1).to_csv(own / "data.csv", index=False)
    output = f'{{kind: logistic, formula: "{MANY}", decimals: 4'
    (own / "whole.yaml").write_text(f"data: data.csv\noutputs:\n  - {output}, compute: true}}\n")
    found = json.loads(_divulge("compute", str(own / "whole.yaml"), "--json"))["outputs"][0]
    released = {f["label"]: round(f["value"], 4) for f in found["figures"]}
    _divulge("inspect", str(own / "data.csv"), "--private", "--save-schema", str(own / "schema.json"))
    given = json.dumps(released)
    (own / "spec.yaml").write_text(
        f"schema: schema.json\nrows: 50000\noutputs:\n  - {output}, released: {given}}}\n", encoding="utf-8"
    )
    return ["embed", str(own / "spec.yaml"), "-o", str(own / "out.csv"), "--json"]


def _rare(adults: pd.DataFrame, folder: Path) -> list[str]:
    """20,000 adults with one person of a small level who has the outcome: the first such sample."""
    own = folder / "rare"
    own.mkdir()
    positive = adults["income"].cat.categories[-1]
    for seed in range(1000):
        sample = adults.sample(20_000, random_state=seed)
        levels = sample.groupby("hispanic_origin", observed=True)["income"]
        ones, sizes = levels.agg(lambda s: int((s == positive).sum())), levels.size()
        if (ones == 1).any() and (sizes[ones == 1] < 100).any() and (ones > 0).all():
            break
    sample.to_csv(own / "data.csv", index=False)
    (own / "spec.yaml").write_text(
        f'data: data.csv\noutputs:\n  - {{kind: logistic, formula: "{FEW_POSITIVE}", decimals: 4, compute: true}}\n'
    )
    return ["assess", str(own / "spec.yaml"), "-o", str(own / "out"), "--json"]


def _divulge(*arguments: str) -> str:
    command = [sys.executable, "-m", "divulge", "--quiet", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _timed(what: str, arguments: list[str], within: float) -> dict[str, Any]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    found = json.loads(_divulge(*arguments))
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outputs = found["outputs"]
    as_printed = [(sum(f["reproduced"] for f in o.get("values", o.get("figures"))), o) for o in outputs]
    n = sum(len(o.get("values", o.get("figures"))) for o in outputs)
    return {
        "what": what,
        "seconds": round(seconds, 1),
        "processor seconds": round(after.ru_utime - before.ru_utime, 1),
        "answer": found.get("verdict") or found.get("status"),
        "as printed": f"{sum(k for k, _ in as_printed)} of {n}",
        "dropped": len(found.get("splits", {}).get("failed", ())),
        "target": within,
        "passed": bool(seconds <= within),
    }
