"""Refused outputs of known truth: a proposal for each that ends in *release*, and none that fresh seeds refuse.

Every run is kept in `.venv/validation/proposals.jsonl` as it ends; remove the file to start anew. In the environment
PROPOSALS_ROWS (1000), PROPOSALS_SEEDS (20) and PROPOSALS_SECONDS (no end) let it be run in parts: what is not reached
in the seconds is left to the next call.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.validation.known_outputs import KNOWN_OUTPUTS, KnownOutput, asked, people_of
from benchmarks.validation.results import keep
from divulge.assess import assess, plan
from divulge.errors import DivulgeError
from divulge.mitigations.drop_variable import DropVariable
from divulge.safer.loss import find_loss
from divulge.safer.propose import Mitigated, Proposal, mitigate

ROWS = int(os.environ.get("PROPOSALS_ROWS", "1000"))
SEEDS = int(os.environ.get("PROPOSALS_SEEDS", "20"))
SECONDS = float(os.environ.get("PROPOSALS_SECONDS", "inf"))
FIRST_SEED = 70_001
"""Far from the seeds by which proposals are found and confirmed."""

DATA = 7
"""The seed of the sample, which no search was tried on before."""

KEPT = Path(sys.prefix) / "validation" / "proposals.jsonl"
UNSAFE = [known for known in KNOWN_OUTPUTS if known.truth == "unsafe"]


def _dropping(known: KnownOutput, found: Mitigated, proposal: Proposal) -> list[float]:
    """What dropping each variable of a changed output would lose, in the mean over the outputs; the least first."""
    table, losses = found.inputs.table, []
    assert table is not None, "outputs were assessed on it"
    for number in sorted({step.output for step in proposal.steps}):
        output = found.assessment.outputs[number]
        released = output.publish(output.evaluate(table), table.schema)
        for name in output.own_variables():
            try:
                made = DropVariable(variable=name).apply(output, table.schema)
                made.check(table.schema)
                printed = made.publish(made.evaluate(table), table.schema)
                loss = find_loss(output, released, made, printed, table).information
                losses.append(loss / len(found.assessment.outputs))
            except DivulgeError:
                continue  # the output is nothing without it
    return sorted(losses)


def run_one(known: KnownOutput) -> dict[str, Any]:
    """One refused output, its best proposal, and what fresh seeds say of it."""
    table = people_of(known, ROWS, DATA)[0]
    assessment, inputs = asked(known, table, 1)
    started, worked = time.perf_counter(), time.process_time()
    found = mitigate(assessment, inputs=inputs, most=4, workers=1)
    line: dict[str, Any] = {
        "output": known.name,
        "data": known.data,
        "rows": ROWS,
        "before": found.before["verdict"],
        "proposals": len(found.proposals),
        "tried": len(found.proposals) + len(found.tried),
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - worked,
    }
    if not found.proposals:
        return line
    best = found.proposals[0]
    verdicts = []
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        again = replace(assessment, outputs=best.outputs, design=best.design, seed=seed)
        verdicts.append(assess(plan(again, inputs), workers=1).record["verdict"])
    return line | {
        "best": best.sentence,
        "loss": best.information,
        "loss of dropping a variable": _dropping(known, found, best),
        "seeds": SEEDS,
        **{v: verdicts.count(v) for v in ("release", "review", "refuse")},
    }


def runs() -> Iterator[dict[str, Any]]:
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    kept = {(r["output"], r["data"], r["rows"]): r for r in map(json.loads, lines)}
    until = time.monotonic() + SECONDS
    for known in UNSAFE:
        key = (known.name, known.data, ROWS)
        if key not in kept:
            if time.monotonic() > until:
                continue
            kept[key] = run_one(known)
            with KEPT.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept[key]) + "\n")
        yield kept[key]


def check() -> list[str]:
    found = list(runs())
    refused = [r for r in found if r["before"] != "release"]
    lost = [r for r in refused if r["proposals"] and r["loss of dropping a variable"]]
    totals = {
        "outputs": len(UNSAFE),
        "reached": len(found),
        "not released before": len(refused),
        "with a proposal": sum(r["proposals"] > 0 for r in refused),
        "later refused": sum(r.get("refuse", 0) for r in refused),
        "later reviewed": sum(r.get("review", 0) for r in refused),
        "fresh assessments": sum(r.get("seeds", 0) for r in refused),
        "loss at most that of dropping the worst variable": sum(
            r["loss"] <= max(r["loss of dropping a variable"]) + 1e-9 for r in lost
        ),
        "compared so": len(lost),
        "median processor seconds": float(np.median([r["processor_seconds"] for r in refused])) if refused else None,
    }
    keep("proposals", found, totals)
    shown = [f"{r['output']} ({r['data']}): {r.get('best', 'no proposal')}" for r in refused]
    assert totals["later refused"] == 0, "; ".join(shown)
    return [*shown, ", ".join(f"{k}: {v}" for k, v in totals.items())]
