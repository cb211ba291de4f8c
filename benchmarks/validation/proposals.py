"""Refused outputs: a proposal for each that ends in *release*, and none that fresh seeds refuse.

LISTS in the environment names the outputs ("known made foreign"; known where nothing is said), NAMES some of them
("maximum;mode of two"). Every search and every fresh assessment is kept as it ends in the file that KEPT names (remove
it to start anew), so that it is run in parts: what is not reached in SECONDS is left to the next call. ROWS (1000) is
the sample of known outputs, SEEDS (20) the number of fresh seeds, MOST (8) how many candidates are assessed in full.
CLOCK=processor counts the seconds of every limit as the processor works them, so that a busy machine finds the same.
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

from benchmarks.validation.refused_outputs import RefusedOutput, foreign_refused, known_refused, made_refused
from benchmarks.validation.results import keep
from divulge.assess import assess, plan
from divulge.errors import DivulgeError
from divulge.mitigations.drop_variable import DropVariable
from divulge.safer.loss import find_loss
from divulge.safer.propose import Mitigated, Proposal, mitigate
from divulge.spec import format_output, format_settings, parse_output, parse_spec

LISTS = os.environ.get("LISTS", "known").split()
NAMES = [name.strip() for name in os.environ.get("NAMES", "").split(";") if name.strip()]
ROWS = int(os.environ.get("ROWS", "1000"))
SEEDS = int(os.environ.get("SEEDS", "20"))
SECONDS = float(os.environ.get("SECONDS", "inf"))
MOST = int(os.environ.get("MOST", "8"))
KEPT = Path(os.environ.get("KEPT", Path(sys.prefix) / "validation" / "proposals.jsonl"))
if os.environ.get("CLOCK") == "processor":
    time.perf_counter = time.monotonic = time.process_time
FIRST_SEED = 70_001
"""Far from the seeds by which proposals are found and confirmed."""

Line = dict[str, Any]


def _listed() -> list[RefusedOutput]:
    made = {"known": lambda: known_refused(ROWS), "made": made_refused, "foreign": foreign_refused}
    every = [one for name in LISTS for one in made[name]()]
    return [one for one in every if not NAMES or one.name in NAMES]


def _dropping(found: Mitigated, proposal: Proposal) -> list[float]:
    """What dropping each variable of the changed outputs would lose, in the mean over the outputs; the least first."""
    table, losses = found.inputs.table, dict[str, float]()
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
                losses[name] = losses.get(name, 0.0) + loss / len(found.assessment.outputs)
            except DivulgeError:
                continue  # the output is nothing without it
    return sorted(losses.values())


def _searched(one: RefusedOutput) -> Line:
    """The search for one output: its best proposal, as a spec has it, and what became of the others."""
    assessment, inputs = one.ask(1)
    told: list[str] = []
    started, worked = time.perf_counter(), time.process_time()
    found = mitigate(assessment, inputs=inputs, most=MOST, workers=1, tell=told.append)
    line: Line = {
        "before": found.before["verdict"],
        "proposals": len(found.proposals),
        "tried": len(found.proposals) + len(found.tried),
        "seconds": round(time.perf_counter() - started, 1),
        "processor seconds": round(time.process_time() - worked, 1),
        "candidates": told[:2],
        "not released": [[p.sentence, p.verdict, p.after["reasons"]] for p in found.tried],
    }
    if not found.proposals:
        return line
    best = found.proposals[0]
    return line | {
        "best": best.sentence,
        "loss": best.information,
        "loss of dropping a variable": _dropping(found, best),
        "outputs": [format_output(o) for o in best.outputs],
        "design": None if best.design is None else format_settings(best.design),
    }


def _again(one: RefusedOutput, searched: Line, seed: int) -> Line:
    """The best proposal, assessed with a fresh seed as anybody would who has its spec."""
    assessment, inputs = one.ask(seed)
    outputs = tuple(parse_output(o) for o in searched["outputs"])
    document = {"data": "none.csv", "outputs": searched["outputs"]}
    document |= {"design": searched["design"]} if searched["design"] else {}
    design = parse_spec(document, Path()).design
    started = time.process_time()
    done = assess(plan(replace(assessment, outputs=outputs, design=design), inputs), workers=1)
    reasons = [] if done.record["verdict"] == "release" else done.record["reasons"]
    return {"verdict": done.record["verdict"], "reasons": reasons, "took": round(time.process_time() - started, 1)}


def _kept() -> dict[tuple[Any, ...], Line]:
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return {(r["output"], r["data"], r["rows"], r["seed"]): r for r in map(json.loads, lines)}


def _run(listed: list[RefusedOutput]) -> Iterator[Line]:
    """Searches first, then one fresh seed of each after the other, as far as time reaches."""
    until, kept = time.monotonic() + SECONDS, _kept()
    for seed in (None, *range(FIRST_SEED, FIRST_SEED + SEEDS)):
        for one in listed:
            key = (one.name, one.data, one.rows, seed)
            searched = kept.get((*key[:3], None), {})
            is_done = key in kept or (seed is not None and "best" not in searched)
            if is_done or time.monotonic() > until:
                continue
            named = {"output": one.name, "data": one.data, "rows": one.rows, "seed": seed}
            kept[key] = named | (_searched(one) if seed is None else _again(one, searched, seed))
            print(f"  {kept[key]}", flush=True)
            KEPT.parent.mkdir(exist_ok=True)
            with KEPT.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept[key], ensure_ascii=False) + "\n")
    for one in listed:
        found = kept.get((one.name, one.data, one.rows, None))
        if found is None:
            continue
        fresh = [kept.get((one.name, one.data, one.rows, s)) for s in range(FIRST_SEED, FIRST_SEED + SEEDS)]
        verdicts = [line["verdict"] for line in fresh if line is not None]
        counted = {v: verdicts.count(v) for v in ("release", "review", "refuse")}
        yield found | {"seeds": len(verdicts)} | counted


def check() -> list[str]:
    listed = _listed()
    found = list(_run(listed))
    refused = [r for r in found if r["before"] != "release"]
    lost = [r for r in refused if r["proposals"] and r["loss of dropping a variable"]]
    totals = {
        "outputs": len(listed),
        "reached": len(found),
        "not released before": len(refused),
        "with a proposal": sum(r["proposals"] > 0 for r in refused),
        "later refused": sum(r["refuse"] for r in refused),
        "later reviewed": sum(r["review"] for r in refused),
        "fresh assessments": sum(r["seeds"] for r in refused),
        "loss at most that of dropping the worst variable": sum(
            r["loss"] <= max(r["loss of dropping a variable"]) + 1e-9 for r in lost
        ),
        "compared so": len(lost),
        "median processor seconds": float(np.median([r["processor seconds"] for r in refused])) if refused else None,
    }
    keep("proposals" if LISTS == ["known"] else f"proposals_{'_'.join(LISTS)}", found, totals)
    shown = [f"{r['output']} ({r['data']}): {r.get('best', 'no proposal')}" for r in refused]
    assert totals["later refused"] == 0, "; ".join(shown)
    return [*shown, ", ".join(f"{k}: {v}" for k, v in totals.items())]
