"""Runs inside the environment of the ONS package: its own test data and p-tables, and the tables that it prints."""

from __future__ import annotations

import contextlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from cell_key_perturbation.create_perturbed_table import create_perturbed_table
from cell_key_perturbation.utils.generate_test_data import generate_test_data
from cell_key_perturbation.utils.generate_test_ptable import generate_ptable_10_5_rule

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    calls = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
    answers = []
    with contextlib.redirect_stdout(sys.stderr):
        for size in sorted({call["rows"] for call in calls}):
            generate_test_data(size=size).to_csv(folder / f"{size}.csv", index=False)
        generate_ptable_10_5_rule().to_csv(folder / "rule.csv", index=False)
        for call in calls:
            printed = create_perturbed_table(
                data=pd.read_csv(folder / f"{call['rows']}.csv"),
                ptable=pd.read_csv(folder / call["ptable"]),
                geog=call["variables"][:1],
                tab_vars=call["variables"][1:],
                record_key="record_key",
                threshold=call["threshold"],
            )
            counts = [None if pd.isna(n) else int(n) for n in printed["count"]]
            cells = printed[call["variables"]].astype(str).to_numpy().tolist()
            answers.append([[*cell, n] for cell, n in zip(cells, counts, strict=True)])
    print(json.dumps({"version": version("cell_key_perturbation"), "answers": answers}))
