"""Outputs of known truth on data that nobody tuned for: safe and unsafe ones in pairs, each with its attack.

The data stay where they are: FOREIGN in the environment names the folder that holds `data/`. ONLY ("nursery sd2011")
takes some of the files, SEEDS ("1 2 3") other seeds. An attack is a few lines on the data frame: it says of how many
people the output gives something away, without any part of Divulge.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.validation.results import keep
from divulge.assess import assess, plan
from divulge.spec import Inputs, parse_spec
from divulge.table import read_table

FOLDER = Path(os.environ.get("FOREIGN", "/nowhere"))
ONLY = os.environ.get("ONLY", "").split()
SEEDS = [int(seed) for seed in os.environ.get("SEEDS", "1").split()]

Frame = pd.DataFrame
Attack = Callable[[Frame], int]


@dataclass(frozen=True)
class Foreign:
    """An output on somebody's data. attack: of how many people it gives something away; 0: it is safe."""

    name: str
    data: str
    outputs: tuple[Mapping[str, Any], ...]
    attack: Attack
    scenario: Mapping[str, Any] | None = None


def alone(*variables: str) -> Attack:
    """In a table: people in classes of one or two whose value is certain for whoever knows the other variables."""

    def attack(frame: Frame) -> int:
        rows = frame[list(variables)].dropna()
        given = 0
        for target in variables:
            keys = [v for v in variables if v != target]
            classes = rows.groupby(keys, observed=True)[target].agg(["size", "nunique"])
            given += int(classes["size"][(classes["size"] < 3) & (classes["nunique"] == 1)].sum())
        return given

    return attack


def nobody(frame: Frame) -> int:
    """Large groups and few parameters: nothing follows about anybody."""
    del frame
    return 0


def _table(*variables: str, **more: Any) -> dict[str, Any]:
    return {"kind": "crosstab", "variables": list(variables), "compute": True, **more}


def _means(variable: str, *by: str, decimals: int = 1) -> dict[str, Any]:
    return {"kind": "means", "variables": [variable], "by": list(by), "decimals": decimals, "compute": True}


def _pair(data: str, safe: tuple[str, ...], unsafe: tuple[str, ...], **more: Any) -> tuple[Foreign, Foreign]:
    names = " × ".join(safe), " × ".join(unsafe)
    return (
        Foreign(names[0], data, (_table(*safe),), alone(*safe), **more),
        Foreign(names[1], data, (_table(*unsafe),), alone(*unsafe), **more),
    )


CASES = (
    *_pair("nursery", ("parents", "finance"), ("parents", "recommend")),
    *_pair("nursery", ("form", "children"), ("recommend", "children", "form")),
    *_pair("sd2011_orig", ("sex", "placesize"), ("region", "marital", "workab")),
    *_pair("sd2011_orig", ("sex", "workab"), ("age", "marital")),
    *_pair("adult_orig", ("sex", "income"), ("native.country", "income")),
    *_pair("adult_orig", ("race", "income"), ("workclass", "race", "sex")),
    *_pair("sdcmicro_testdata", ("urbrur", "sex"), ("age", "sex")),
    *_pair("sdcmicro_testdata", ("electcon", "sex"), ("age", "hhcivil")),
    *_pair("uk_census_2011_teaching", ("Region", "Sex"), ("Region", "Ethnic Group", "Religion", "Health")),
    *_pair("uk_census_2011_teaching", ("Age", "Sex"), ("Industry", "Occupation", "Religion")),
    Foreign(
        "one more key than the table has",
        "nursery",
        (_table("parents", "recommend"),),
        alone("parents", "recommend"),
        {"keys": ["recommend", "health", "social"], "target": "parents"},
    ),
    Foreign("share of incomes", "adult_orig", (_table("sex", "income", statistic="percentages", decimals=1),), nobody),
    Foreign("mean by sex", "sd2011_orig", (_means("age", "sex"),), nobody),
    Foreign("mean by place", "sdcmicro_testdata", (_means("age", "urbrur"),), nobody),
)
"""Tables mostly: their truth needs no argument. Regressions with people alone are in `known_outputs.py`."""


def run_one(case: Foreign, seed: int) -> dict[str, Any]:
    """One output assessed with default settings, and whether the verdict is what the attack says."""
    path = FOLDER / "data" / f"{case.data}.csv"
    table = read_table(path)
    n_given_away = case.attack(table.to_pandas())
    document = {"data": path.name, "outputs": [dict(o) for o in case.outputs], "seed": seed}
    if case.scenario:
        document["scenario"] = dict(case.scenario)
    inputs = Inputs(table.schema, table, table.n_rows, (None,) * len(case.outputs))
    started = time.process_time()
    record = assess(plan(parse_spec(document, Path()), inputs), workers=1).record
    return {
        "output": case.name,
        "data": case.data,
        "seed": seed,
        "given away": n_given_away,
        "verdict": record["verdict"],
        "exposed": record["exposure"]["exposed"],
        "power": record["exposure"]["power"],
        "reasons": record["reasons"][:2],
        "seconds": round(time.process_time() - started, 1),
    }


def check() -> list[str]:
    assert FOLDER.is_dir(), "name the folder that holds data/ in FOREIGN"
    chosen = [c for c in CASES if not ONLY or any(c.data.startswith(name) for name in ONLY)]
    lines = []
    for case in chosen:
        for seed in SEEDS:
            lines.append(run_one(case, seed))
            print(f"  {lines[-1]}", flush=True)
    safe = [x for x in lines if not x["given away"]]
    released = sum(x["verdict"] == "release" for x in safe)
    totals = {"safe": len(safe), "safe released": released, "unsafe": len(lines) - len(safe)}
    keep("foreign", lines, totals)
    wrong = [x for x in lines if x["given away"] and x["verdict"] == "release"]
    wrong += [x for x in safe if x["verdict"] == "refuse"]
    assert not wrong, wrong
    assert released >= 0.95 * len(safe), [x for x in safe if x["verdict"] != "release"]
    return [", ".join(f"{k}: {v}" for k, v in totals.items())]
