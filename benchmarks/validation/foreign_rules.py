"""What rules, audit and attacks say of the foreign outputs before any search: it holds at every setting.

The strictest reason makes the verdict, so what is held back here is released with no number of splits and no length of
a search. FOREIGN in the environment names the folder of the data, as for `foreign`.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.validation.foreign import FOLDER, frame_of, table_of, truth_of
from benchmarks.validation.foreign_data import CASES, Foreign
from benchmarks.validation.results import keep
from divulge.assess import plan
from divulge.assess.arithmetic import work_out
from divulge.spec import Inputs, parse_spec

_SAID = ("refuse", "review", "nothing said")
"""From the strictest on; a note is no reason."""


def line_of(case: Foreign, folder: Path) -> dict[str, Any]:
    """What is said of one output, and how long that took."""
    frame = case.prepare(frame_of(case.data))
    document: dict[str, Any] = {"data": "data.csv", "outputs": [dict(o) for o in case.outputs]}
    document |= {"scenario": dict(case.scenario)} if case.scenario else {}
    table = table_of(frame, folder)
    inputs = Inputs(table.schema, table, table.n_rows, (None,) * len(case.outputs))
    started = time.process_time()
    found = work_out(plan(parse_spec(document, Path()), inputs)).breaches(range(len(case.outputs)))
    does = {b.does for b in found}
    worst = next((word for word in _SAID if word in does), _SAID[-1])
    return {
        "output": case.name,
        "data": case.data,
        "truth": truth_of(case, frame),
        "before any search": worst,
        "reason": next((b.sentence for b in found if b.does == worst), ""),
        "seconds": round(time.process_time() - started, 2),
    }


def check() -> list[str]:
    assert FOLDER.is_dir(), "name the folder that holds the data in FOREIGN"
    with TemporaryDirectory() as folder:
        lines = [line_of(case, Path(folder)) for case in CASES]
    totals: dict[str, int] = {}
    for truth in ("safe", "unsafe"):
        said = [x["before any search"] for x in lines if x["truth"] == truth]
        totals |= {truth: len(said), **{f"{truth}, {word}": said.count(word) for word in _SAID}}
    keep("foreign_rules", lines, totals)
    wrong = [x for x in lines if x["truth"] == "safe" and x["before any search"] == "refuse"]
    assert not wrong, wrong
    shown = [f"{x['output']} ({x['data']}): {x['reason']}" for x in lines if x["truth"] == "safe" and x["reason"]]
    silent = [x for x in lines if x["truth"] == "unsafe" and not x["reason"]]
    shown += [f"{x['output']} ({x['data']}): unsafe, and nothing is said" for x in silent]
    return [*shown, ", ".join(f"{k}: {v}" for k, v in totals.items())]
