"""sdcLog's own example under `profile: rdc`: groups with too few ids, and the shares of the two largest.

SDCLOG_FILE names sdc_descriptives_DT as CSV (GPL, not ours to keep); without it the check says so. What is expected are
the numbers of sdcLog's own tests.
"""

from __future__ import annotations

import os
from typing import Any

import pandas as pd

from benchmarks.validation.results import keep
from divulge.checking import check_outputs, make_cases, read_profile
from divulge.outputs.kinds.totals import Totals
from divulge.table import table_from_frame

CASES: tuple[tuple[tuple[str, ...], str | None, dict[str, float], list[str], list[str]], ...] = (
    ((), None, {"val_1": 0.7413301}, [], []),
    (
        ("sector",),
        "A",
        {"val_1 | sector=S1": 0.60400376, "val_1 | sector=S2": 0.84650585},
        ["val_1 | sector=S1"],
        [],
    ),
    (
        ("sector", "year"),
        None,
        {
            "val_1 | sector=S1 & year=2019": 0.6815010551185098,
            "val_1 | sector=S1 & year=2020": 0.87768517,
            "val_1 | sector=S2 & year=2019": 0.5506964573607419,
            "val_1 | sector=S2 & year=2020": 0.90563139,
        },
        ["val_1 | sector=S1 & year=2019"],
        ["val_1 | sector=S1 & year=2020", "val_1 | sector=S2 & year=2020"],
    ),
)
"""Groups by, the id left out, then sdcLog's answers: the share of each figure, too few ids, dominated."""


def check() -> list[str]:
    file = os.environ.get("SDCLOG_FILE")
    if file is None:
        return ["SDCLOG_FILE names no file: nothing was compared."]
    frame = pd.read_csv(file)[["id", "sector", "year", "val_1"]]
    profile, lines = read_profile("rdc"), []
    for by, without, shares, few, dominated in CASES:
        table = table_from_frame(frame[frame["id"] != without].reset_index(drop=True))
        output = Totals(variables=("val_1",), by=by, compute=True)
        cases = make_cases([output], [None], table, entity="id")
        found = {f.rule: list(f.figures) for f in check_outputs(cases, profile).findings}
        held = [cases[0].contributions(behind, "total") for behind in cases[0].of_amounts()]
        labels = [cases[0].released.labels[i] for behind in cases[0].of_amounts() for i in behind.figures]
        ours = [s for h in held for s in (h.largest[:, :2].sum(axis=1) / h.total).tolist()]
        line: dict[str, Any] = {
            "by": list(by),
            "shares differ": sum(abs(s - shares[label]) > 1e-7 for label, s in zip(labels, ours, strict=True)),
            "too few": found.get("small group", []) == few,
            "dominated": found.get("dominance", []) == dominated,
        }
        lines.append(line)
    keep("sdclog", lines)
    assert all(x["too few"] and x["dominated"] and not x["shares differ"] for x in lines), str(lines)
    return [f"{len(lines)} examples: the same groups, the same shares to seven digits"]
