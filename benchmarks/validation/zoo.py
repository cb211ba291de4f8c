"""Outputs whose truth is known: every planted person found, few others; safe outputs released; intervals that cover.

`N_SEEDS` and `N_INTERVALS` in the environment make it shorter.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import assess, plan
from divulge.demo import simulated_census
from divulge.spec import Inputs, parse_spec
from divulge.table import Schema, Table

N_SEEDS = int(os.environ.get("N_SEEDS", "20"))
N_INTERVALS = int(os.environ.get("N_INTERVALS", "400"))
N_ROWS = 3000
"""Small, so that chance has its say; the sizes of the paper are in the benchmark."""

AREAS = (64, 65, 66)
"""Areas that the census does not have: one planted person lives in each."""


def _census(seed: int, n_rows: int = N_ROWS) -> Table:
    census = simulated_census()
    area = census.schema["AREAP"]
    wider = area.with_values([*area.values.tolist(), *AREAS])
    schema = Schema(census.schema.with_variable(wider).variables)
    rows = np.random.default_rng([seed, 7]).permutation(census.n_rows)[:n_rows]
    return Table(schema, tuple(c[rows] for c in census.columns))


def _with_people(table: Table, people: list[dict[str, Any]]) -> Table:
    """The table with further rows: an existing one with some values changed."""
    columns = [list(c) for c in table.columns]
    for i, person in enumerate(people):
        for j, variable in enumerate(table.schema):
            code = variable.code(person[variable.name]) if variable.name in person else columns[j][i]
            assert code is not None, variable.name
            columns[j].append(code)
    return Table(table.schema, tuple(np.array(c) for c in columns))


@dataclass(frozen=True)
class Animal:
    """An output, the people planted for it, and whether it is safe. emergent: only the outputs together are not."""

    name: str
    outputs: list[dict[str, Any]]
    people: tuple[dict[str, Any], ...] = ()
    is_safe: bool = False
    knows_who: bool = True
    emergent: bool = False
    scenario: dict[str, Any] | None = None


def _table(*variables: str, **more: Any) -> dict[str, Any]:
    return {"kind": "crosstab", "variables": list(variables), "compute": True, **more}


_ALONE = tuple({"AREAP": area, "TENURE": 1, "LTILL": 1} for area in AREAS)
_OLDEST = {"AGE": 95, "TENURE": 1, "LTILL": 1}

ZOO = (
    Animal("large table", [_table("TENURE", "SEX", "LTILL")], is_safe=True),
    Animal("means", [{"kind": "means", "variables": ["AGE"], "by": ["SEX"], "compute": True}], is_safe=True),
    Animal("logistic", [{"kind": "logistic", "formula": "TENURE ~ AGE + SEX + LTILL", "compute": True}], is_safe=True),
    Animal("linear", [{"kind": "linear", "formula": "AGE ~ SEX + LTILL + TENURE", "compute": True}], is_safe=True),
    Animal("full table", [_table("AREAP", "ETHGROUP", "MSTATUS", "LTILL", "SEX", "TENURE")], knows_who=False),
    Animal("three unique people", [_table("AREAP", "TENURE")], _ALONE),
    Animal(
        "a dummy for one person",
        [{"kind": "linear", "formula": "TENURE ~ C(AREAP) + SEX", "compute": True}],
        _ALONE[:1],
        scenario={"target": "TENURE", "keys": ["AREAP"]},
    ),
    Animal(
        "saturated regression",
        [{"kind": "linear", "formula": "TENURE ~ C(AREAP) * C(MSTATUS)", "compute": True}],
        knows_who=False,
        scenario={"target": "TENURE", "keys": ["AREAP", "MSTATUS"]},
    ),
    Animal(
        "a maximum",
        [{"kind": "extremes", "variables": ["AGE"], "by": ["AREAP"], "compute": True, "empty": "allow"}],
        _ALONE,
        scenario={"target": "AGE", "keys": ["AREAP"]},
    ),
    Animal(
        "two tables that differ by one person",
        [_table("TENURE", "LTILL"), _table("TENURE", "LTILL", where="AGE < 95")],
        (_OLDEST,),
        emergent=True,
    ),
)


def _run(animal: Animal, seed: int) -> tuple[str, Any, set[int], Table]:
    table = _census(seed)
    if animal.emergent:
        age = table.schema["AGE"].code(95)
        table = table.take(table["AGE"] != age)
    table = _with_people(table, list(animal.people))
    document: dict[str, Any] = {"data": "none.csv", "outputs": animal.outputs, "seed": seed}
    document["design"] = {"kind": "repeated-halves", "curve": False}
    if animal.scenario:
        document["scenario"] = animal.scenario
    assessment = parse_spec(document, Path())
    ready = plan(assessment, Inputs(table.schema, table, table.n_rows, (None,) * len(animal.outputs)))
    found = assess(ready, workers=1)
    return str(found.verdict), found, set(np.flatnonzero(found.exposed).tolist()), table


def check() -> list[str]:
    """Every animal at every seed, then the coverage of the intervals."""
    lines, wrong = [], []
    false, all_found, safe = 0, 0, []
    for animal in ZOO:
        verdicts, n_found, missed, risks = [], [], 0, []
        for seed in range(1, N_SEEDS + 1):
            verdict, found, exposed, table = _run(animal, seed)
            verdicts.append(verdict)
            n_found.append(len(exposed))
            risks.append(max(r["marginal_risk"]["value"] for r in found.record["risk"]))
            if animal.knows_who and not animal.is_safe:
                planted = set(range(table.n_rows - len(animal.people), table.n_rows))
                missed += len(planted - exposed)
                false += len(exposed - planted)
                all_found += len(exposed)
            if animal.emergent and found.record["emergent"]["exposed_by_parts"]:
                wrong.append(f"{animal.name}: caught by a part alone")
        counts = {v: verdicts.count(v) for v in ("release", "review", "refuse")}
        lines.append(
            f"{animal.name}: {counts}, exposed {np.mean(n_found):.1f}, missed {missed}, "
            f"marginal risk {np.mean(risks):.4f}"
        )
        print("  " + lines[-1], flush=True)
        if animal.is_safe:
            safe += verdicts
        if animal.is_safe and counts["refuse"]:
            wrong.append(f"{animal.name}: safe, and refused {counts['refuse']} times")
        if not animal.is_safe and counts["refuse"] < N_SEEDS:
            wrong.append(f"{animal.name}: unsafe, and not refused {N_SEEDS - counts['refuse']} times")
        if missed:
            wrong.append(f"{animal.name}: {missed} planted people missed")
    rate = false / max(all_found, 1)
    lines.append(f"false discoveries among those called exposed: {false} of {all_found} ({rate:.1%})")
    lines.append(f"safe outputs released: {safe.count('release')} of {len(safe)}")
    lines.append(_coverage())
    assert rate <= 0.05, lines[-3]
    assert safe.count("release") >= 0.95 * len(safe), lines[-2]
    assert not wrong, "; ".join(wrong)
    return lines


def _coverage() -> str:
    """How often the 95 % interval of 30 splits holds the mean of all of them, for a table and a small model."""
    said: Callable[[str, float], str] = lambda name, share: f"{name} {share:.1%}"  # noqa: E731 (one line, used twice)
    parts = []
    for animal in (ZOO[0], ZOO[5]):
        table = _with_people(_census(1, 1000), list(animal.people))
        intervals = []
        for seed in range(N_INTERVALS):
            document = {"data": "none.csv", "outputs": animal.outputs, "seed": seed}
            document["design"] = {"kind": "repeated-halves", "curve": False, "stop_early": False}
            ready = plan(parse_spec(document, Path()), Inputs(table.schema, table, table.n_rows, (None,)))
            risk = assess(ready, workers=1).record["risk"][0]["marginal_risk"]
            intervals.append([risk["value"], *risk["interval"]])
        value, low, high = np.array(intervals).T
        covered = float(((low <= value.mean()) & (value.mean() <= high)).mean())
        parts.append(said(animal.name, covered))
        # 93 to 97 %, and twice the standard error that so many intervals have.
        assert abs(covered - 0.95) <= 0.02 + 2 * np.sqrt(0.05 * 0.95 / N_INTERVALS), parts
    return f"coverage of 95 % intervals over {N_INTERVALS} runs: " + ", ".join(parts)
