"""Outputs whose truth is known: every planted person found, few others; safe outputs released, unsafe ones refused.

Every run is kept in `.venv/validation/known_truth.jsonl` as it ends, so that a check which was interrupted goes on
where it was; remove the file to start anew. `SIZES` in the environment ("2000:20 10000:5": rows and seeds) shortens it.
Who else is called exposed by full tables is held against the truth at full size in `true_exposure`, of all sizes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.validation.known_outputs import KNOWN_OUTPUTS, KnownOutput, assessed, determined, people_of, sizes_of
from benchmarks.validation.results import keep

SIZES = sizes_of("1000:4 2000:20 10000:10 50000:1")
"""In the order in which they are run: small, so that chance has its say; fewer seeds of more rows."""

FIRST_SEED = 201
"""The rules were made, and the search was mended, while looking at seeds below 121: these are others."""

KEPT = Path(sys.prefix) / "validation" / "known_truth.jsonl"


def run_one(known: KnownOutput, n_rows: int, seed: int) -> dict[str, Any]:
    """One output of known truth assessed as anybody would, and what was found held against the truth."""
    table, planted = people_of(known, n_rows, seed)
    started = time.perf_counter()
    found = assessed(known, table, seed)
    record, given_away = found.record, determined(known, table)
    risks = [r["marginal_risk"] for r in record["risk"]]
    return {
        "output": known.name,
        "data": known.data,
        "rows": n_rows,
        "seed": seed,
        "verdict": record["verdict"],
        "alone": [o["verdict"] for o in record["outputs"]],
        "reasons": record["reasons"],
        "planted": int(planted.sum()),
        "planted found": int((found.exposed & planted).sum()),
        "determined": int(given_away.sum()),
        "determined found": int((found.exposed & given_away).sum()),
        "exposed": int(found.exposed.sum()),
        "others": int((found.exposed & ~planted & ~given_away).sum()),
        "risk": max(r["value"] for r in risks),
        "upper bound": max(r["interval"][1] for r in risks),
        "reproduced": min(o["reproduced"] / o["figures"] for o in record["outputs"]),
        "splits": record["splits"]["used"],
        "by a part alone": (record["emergent"] or {}).get("exposed_by_parts", 0),
        "seconds": time.perf_counter() - started,
    }


def runs(sizes: Sequence[tuple[int, int]] = SIZES) -> Iterator[dict[str, Any]]:
    """Every run, kept ones first. Seed by seed, so that an early end leaves every output assessed equally often."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    kept = {(r["output"], r["data"], r["rows"], r["seed"]): r for r in map(json.loads, lines)}
    given = set()
    for n_rows, n_seeds in sizes:
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            for known in KNOWN_OUTPUTS:
                # The planted are added; the extract has no more than 50,000 to draw from, some of them taken out.
                size = min(n_rows, 49_900) if known.data == "cps" else n_rows
                key = (known.name, known.data, size, seed)
                if key not in kept:
                    kept[key] = run_one(known, size, seed)
                    with KEPT.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(kept[key]) + "\n")
                if key not in given:
                    given.add(key)
                    yield kept[key]


def summary(known: KnownOutput, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The runs of one output at one size in one line."""
    verdicts = [r["verdict"] for r in found]
    return {
        "output": known.name,
        "data": known.data,
        "rows": found[0]["rows"],
        "truth": known.truth,
        "seeds": len(found),
        **{v: verdicts.count(v) for v in ("release", "review", "refuse")},
        "marginal risk": float(np.mean([r["risk"] for r in found])),
        "planted": sum(r["planted"] for r in found),
        "planted found": sum(r["planted found"] for r in found),
        "determined": sum(r["determined"] for r in found),
        "determined found": sum(r["determined found"] for r in found),
        "exposed": sum(r["exposed"] for r in found),
        "others": sum(r["others"] for r in found),
        "caught by a part alone": sum(r["by a part alone"] > 0 for r in found),
        "seconds": float(np.median([r["seconds"] for r in found])),
    }


def check() -> list[str]:
    """All outputs of known truth, what they show, and whether that is as it should be."""
    found = list(runs())
    lines = []
    for known in KNOWN_OUTPUTS:
        mine = [r for r in found if (r["output"], r["data"]) == (known.name, known.data)]
        for size in sorted({r["rows"] for r in mine}):
            lines.append(summary(known, [r for r in mine if r["rows"] == size]))
    totals = verdict_totals(found)
    keep("known_truth", lines, totals)
    shown = [
        f"{x['output']} ({x['data']}, {x['rows']:,}): {x['release']} released, {x['review']} reviewed, {x['refuse']} "
        f"refused; planted {x['planted found']} of {x['planted']}, others {x['others']}; risk {x['marginal risk']:.4f}"
        for x in lines
    ]
    wrong = faults(totals)
    assert not wrong, "; ".join([*wrong, *shown])
    return [*shown, ", ".join(f"{k}: {v}" for k, v in totals.items())]


def verdict_totals(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What must hold, counted over all runs."""
    names = {(a.name, a.data): a for a in KNOWN_OUTPUTS}
    safe = [r for r in found if names[r["output"], r["data"]].truth == "safe"]
    unsafe = [r for r in found if names[r["output"], r["data"]].truth == "unsafe"]
    with_people = [r for r in unsafe if r["planted"]]
    emergent = [r for r in unsafe if names[r["output"], r["data"]].is_emergent]
    return {
        "safe": len(safe),
        "safe released": sum(r["verdict"] == "release" for r in safe),
        "safe refused": sum(r["verdict"] == "refuse" for r in safe),
        "unsafe": len(unsafe),
        "unsafe refused": sum(r["verdict"] == "refuse" for r in unsafe),
        "unsafe without anybody counted": sum(not r["exposed"] for r in unsafe),
        "planted": sum(r["planted"] for r in with_people),
        "planted found": sum(r["planted found"] for r in with_people),
        "called exposed beside the planted": sum(r["others"] for r in (*with_people, *safe)),
        "called exposed": sum(r["exposed"] for r in (*with_people, *safe)),
        "emergent": len(emergent),
        "emergent caught only together": sum(
            r["verdict"] == "refuse" and not r["by a part alone"] and "refuse" not in r["alone"] for r in emergent
        ),
    }


def faults(t: dict[str, Any]) -> list[str]:
    """What is not as it should be."""
    rules = {
        "a planted person was missed": t["planted found"] < t["planted"],
        "more than 5 % false discoveries": t["called exposed beside the planted"] > 0.05 * t["called exposed"],
        "a safe output was refused": t["safe refused"] > 0,
        "less than 95 % of safe outputs were released": t["safe released"] < 0.95 * t["safe"],
        "an unsafe output was not refused": t["unsafe refused"] < t["unsafe"],
        "an unsafe output was refused without anybody counted": t["unsafe without anybody counted"] > 0,
        "two tables were not caught, or by one alone": t["emergent caught only together"] < t["emergent"],
    }
    return [rule for rule, is_broken in rules.items() if is_broken]
