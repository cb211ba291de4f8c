"""What the R package takes from curves, baselines and trees is what the data give."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from divulge.outputs import read_released
from divulge.outputs.released.computed import compute
from divulge.spec import parse_output
from divulge.table import table_from_frame
from tests.support.repository import ROOT

KINDS = ("cox", "cox", "survival", "tree", "regression-tree")


@pytest.mark.needs("r")
def test_curves_baselines_and_trees_of_r_are_what_the_data_give(tmp_path: Path) -> None:
    words = ["Rscript", str(ROOT / "tests" / "doors" / "more_fits.R"), str(ROOT / "r" / "R"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has not all of survival, MASS and rpart.")
    assert done.returncode == 0, done.stderr
    for number, kind in enumerate(KINDS, 1):
        folder = tmp_path / str(number)
        (spec,) = json.loads((folder / "spec.json").read_text(encoding="utf-8"))["outputs"]
        assert spec["kind"] == kind
        table = table_from_frame(pd.read_csv(folder / "data.csv"))
        output = parse_output(spec)
        output.check(table.schema)
        computed = compute(output, table, read_released(output, table.schema, folder, table.n_rows))
        assert computed.agrees is not None
        assert computed.agrees.all(), kind
