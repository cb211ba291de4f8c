"""Runs inside the environment of pytauargus: tables in, unsafe cells and audit intervals out, as JSON.

tau-ARGUS (EUPL) is a program to compare with; it is never imported by ours.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytauargus
from pytauargus._tauargus import audit_jj


def ask(folder: Path, number: int, call: dict[str, Any]) -> dict[str, Any]:
    frame = pd.read_csv(folder / f"{call['table']}.csv", dtype=dict.fromkeys(call["dims"], str))
    work = folder / f"work{number}"
    work.mkdir()
    result = pytauargus.protect(
        frame,
        call["dims"],
        "V",
        call["rule"],
        suppress="OPT(1)",
        hrc=call.get("hrc") or None,
        workdir=str(work),
    )
    found = result.tables[0].dataframe()
    cells = [[str(row[d]) for d in call["dims"]] for _, row in found.iterrows()]
    status = found["status"].tolist()
    values = [float(v) for v in found["V"]]
    tool = Path(sys.executable).parent / "tauargus"
    said = subprocess.run([str(tool), "audit", result.files["arb"]], capture_output=True, text=True, check=False).stdout
    audited = re.findall(r"cell (\d+): \[(-?[\d.]+), (-?[\d.]+|inf)\]", said)
    intervals = {int(c): [float(low), float(high)] for c, low, high in audited}
    return {"cells": cells, "status": status, "values": values, "open": found["lower"].tolist(), "intervals": intervals}


def linked(file: Path) -> dict[str, list[float]]:
    """The intervals of the withheld cells of linked tables, in one file of cells and equations."""
    return {str(row["cell"]): [row["min"], row["max"]] for row in audit_jj(str(file))}


if __name__ == "__main__":
    place = Path(sys.argv[1])
    calls = json.loads((place / "calls.json").read_text(encoding="utf-8"))
    with contextlib.redirect_stdout(sys.stderr):
        answers = [ask(place, i, call) for i, call in enumerate(calls)]
        together = [linked(file) for file in sorted(place.glob("*.jj"), key=lambda f: int(f.stem))]
    print(json.dumps({"answers": answers, "linked": together}))
