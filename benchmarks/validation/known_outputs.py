"""Outputs of known truth, on the simulated census and on the CPS extract, with people planted in them.

A planted person has a value that nobody else has (an area, a place in the household, the highest age or wage), so that
an output that shows the value shows the person.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.assess import Assessed, assess, plan
from divulge.demo import cps_extract, simulated_census
from divulge.spec import Assessment, Inputs, parse_spec
from divulge.table import Schema, Table

Mask = NDArray[np.bool_]

PLANTED = {"census": ("AREAP", (64, 65, 66)), "cps": ("hh_summary", ("Planted 1", "Planted 2", "Planted 3"))}
"""The variable of each dataset that has values which nobody else has."""

OLDEST, BEST_PAID = 95, 9999
"""The highest age of the census and an hourly wage above all others: held by the planted person alone."""


@dataclass(frozen=True)
class KnownOutput:
    """An output or several, what is known about it, and whom it gives away.

    truth: `between` where it depends on how many people there are.
    people: what is planted; the rest of each person is that of an existing row.
    without: rows for which this is true are taken out first, so that the planted person is the only one.
    determined: variables of a full table; those of whom it gives one away count beside the planted.
    is_emergent: only the outputs together give somebody away. level: place in a series, for tables finer and finer.
    acro: how ACRO is asked for the same: each a call as (kind, arguments); none where it has no such analysis.
    """

    name: str
    data: str
    outputs: tuple[Mapping[str, Any], ...]
    truth: Literal["safe", "unsafe", "between"] = "unsafe"
    people: tuple[Mapping[str, Any], ...] = ()
    without: Mapping[str, Any] = field(default_factory=dict)
    determined: tuple[str, ...] = ()
    is_emergent: bool = False
    level: int | None = None
    scenario: Mapping[str, Any] | None = None
    acro: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def _table(*variables: str, **more: Any) -> dict[str, Any]:
    return {"kind": "crosstab", "variables": list(variables), "compute": True, **more}


def _model(kind: str, formula: str, decimals: int = 3) -> dict[str, Any]:
    return {"kind": kind, "formula": formula, "decimals": decimals, "compute": True}


def _means(variable: str, *by: str) -> dict[str, Any]:
    return {"kind": "means", "variables": [variable], "by": list(by), "compute": True}


def _maximum(variable: str) -> dict[str, Any]:
    return {"kind": "extremes", "variables": [variable], "show": ["maximum"], "compute": True}


def _crosstab(index: list[str], column: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "crosstab", {"index": index, "columns": column, **more}


_ALONE = tuple({"AREAP": area, "TENURE": 1, "LTILL": 1, "SEX": 1} for area in PLANTED["census"][1])
_ALONE_CPS = tuple({"hh_summary": place, "income": "50000+."} for place in PLANTED["cps"][1])
_FINER = ("SEX", "LTILL", "MSTATUS", "AREAP", "AGE")

SAFE = (
    KnownOutput(
        "logistic regression",
        "census",
        (_model("logistic", "TENURE ~ AGE + SEX + LTILL"),),
        "safe",
        acro=(("logit", {"formula": "TENURE ~ AGE + C(SEX) + C(LTILL)"}),),
    ),
    KnownOutput(
        "linear regression",
        "census",
        (_model("linear", "AGE ~ SEX + LTILL + TENURE"),),
        "safe",
        acro=(("ols", {"formula": "AGE ~ SEX + LTILL + TENURE"}),),
    ),
    KnownOutput(
        "Poisson regression",
        "cps",
        (_model("poisson", "weeks_worked ~ age + sex"),),
        "safe",
    ),
    KnownOutput(
        "large table",
        "census",
        (_table("TENURE", "SEX", "LTILL"),),
        "safe",
        acro=(_crosstab(["SEX", "LTILL"], "TENURE"),),
    ),
    KnownOutput("large table", "cps", (_table("sex", "income"),), "safe", acro=(_crosstab(["sex"], "income"),)),
    KnownOutput(
        "means",
        "census",
        (_means("AGE", "SEX"),),
        "safe",
        acro=(_crosstab(["SEX"], "TENURE", values="AGE", aggfunc="mean"),),
    ),
    KnownOutput(
        "means",
        "cps",
        (_means("age", "sex"),),
        "safe",
        acro=(_crosstab(["sex"], "income", values="age", aggfunc="mean"),),
    ),
)

UNSAFE = (
    KnownOutput(
        "full table",
        "census",
        (_table("AREAP", "ETHGROUP", "MSTATUS", "LTILL", "SEX", "TENURE"),),
        determined=("AREAP", "ETHGROUP", "MSTATUS", "LTILL", "SEX", "TENURE"),
        acro=(_crosstab(["AREAP", "ETHGROUP", "MSTATUS", "LTILL", "SEX"], "TENURE"),),
    ),
    KnownOutput(
        "full table",
        "cps",
        (_table("education", "race", "marital_status", "sex", "income"),),
        determined=("education", "race", "marital_status", "sex", "income"),
        acro=(_crosstab(["education", "race", "marital_status", "sex"], "income"),),
    ),
    KnownOutput(
        "table with three unique people",
        "census",
        (_table("AREAP", "TENURE"),),
        people=_ALONE,
        acro=(_crosstab(["AREAP"], "TENURE"),),
    ),
    KnownOutput(
        "table with three unique people",
        "cps",
        (_table("hh_summary", "income"),),
        people=_ALONE_CPS,
        without={"hh_summary": ("Child under 18 ever married", "Group Quarters- Secondary individual")},
        acro=(_crosstab(["hh_summary"], "income"),),
    ),
    KnownOutput(
        "saturated regression",
        "census",
        (_model("linear", "TENURE ~ C(AREAP)*C(SEX)", 2),),
        people=_ALONE,
        scenario={"target": "TENURE", "keys": ["AREAP", "SEX"]},
        acro=(("ols", {"formula": "TENURE ~ C(AREAP)*C(SEX)"}),),
    ),
    KnownOutput(
        "regression with a dummy for one person",
        "census",
        (_model("linear", "TENURE ~ C(AREAP) + SEX", 2),),
        people=_ALONE[:1],
        scenario={"target": "TENURE", "keys": ["AREAP"]},
        acro=(("ols", {"formula": "TENURE ~ C(AREAP) + SEX"}),),
    ),
    KnownOutput(
        "maximum",
        "census",
        (_maximum("AGE"),),
        people=({"AGE": OLDEST},),
        without={"AGE": (OLDEST,)},
        acro=(_crosstab(["SEX"], "TENURE", values="AGE", aggfunc="max"),),
    ),
    KnownOutput(
        "maximum",
        "cps",
        (_maximum("wage_per_hour"),),
        people=({"wage_per_hour": BEST_PAID},),
        acro=(_crosstab(["sex"], "income", values="wage_per_hour", aggfunc="max"),),
    ),
    KnownOutput(
        "two tables that differ by one person",
        "census",
        (_table("TENURE", "LTILL"), _table("TENURE", "LTILL", where=f"AGE < {OLDEST}")),
        people=({"AGE": OLDEST, "TENURE": 1, "LTILL": 1},),
        without={"AGE": (OLDEST,)},
        is_emergent=True,
        acro=(_crosstab(["LTILL"], "TENURE"), _crosstab(["LTILL"], "TENURE", where=f"AGE < {OLDEST}")),
    ),
)

FINER = tuple(
    KnownOutput(
        f"TENURE by {' × '.join(_FINER[: n + 1])}",
        "census",
        (_table("TENURE", *_FINER[: n + 1]),),
        truth="safe" if n < 2 else "between" if n == 2 else "unsafe",
        determined=("TENURE", *_FINER[: n + 1]) if n >= 2 else (),
        level=n,
        acro=(_crosstab(list(_FINER[: n + 1]), "TENURE"),),
    )
    for n in range(len(_FINER))
)
"""One table at finer and finer keys. The first two have hundreds in each cell; in the third it depends on the number of
people; in the last hardly anybody has company."""

KNOWN_OUTPUTS = (*SAFE, *UNSAFE, *FINER)
"""All of them."""


@cache
def _everybody(data: str) -> Table:
    """The dataset with the values that only planted people have."""
    table = simulated_census() if data == "census" else cps_extract()
    name, values = PLANTED[data]
    wider = [table.schema[name].with_values([*table.schema[name].values.tolist(), *values])]
    if data == "cps":
        wage = table.schema["wage_per_hour"]
        wider.append(wage.with_values([*wage.values.tolist(), BEST_PAID]))
    schema = table.schema
    for variable in wider:
        schema = schema.with_variable(variable)
    return Table(Schema(schema.variables), table.columns)


def people_of(known: KnownOutput, n_rows: int, seed: int) -> tuple[Table, Mask]:
    """A random sample of the dataset with the output's people planted at the end, and who these are."""
    table = _everybody(known.data)
    keep = np.ones(table.n_rows, dtype=bool)
    for name, values in known.without.items():
        keep &= ~np.isin(table[name], [table.schema[name].code(v) for v in values])
    rows = np.random.default_rng([seed, 7]).permutation(np.flatnonzero(keep))[:n_rows]
    planted = np.zeros(n_rows + len(known.people), dtype=bool)
    planted[n_rows:] = True
    columns = []
    for variable, column in zip(table.schema, table.columns, strict=True):
        codes = column[rows].tolist()
        for i, person in enumerate(known.people):
            code = variable.code(person[variable.name]) if variable.name in person else codes[i]
            assert code is not None, f"{variable.name} of {known.name}"
            codes.append(code)
        columns.append(np.array(codes))
    return Table(table.schema, tuple(columns)), planted


def determined(known: KnownOutput, table: Table) -> Mask:
    """Those of whom the table gives a value away: all who are like them in its other variables have the same."""
    found = np.zeros(table.n_rows, dtype=bool)
    for target in known.determined:
        keys = np.column_stack([table[n] for n in known.determined if n != target])
        _, where = np.unique(keys, axis=0, return_inverse=True)
        low = np.full(table.n_rows, np.iinfo(np.int64).max)
        high = np.full(table.n_rows, -1)
        np.minimum.at(low, where.ravel(), table[target])
        np.maximum.at(high, where.ravel(), table[target])
        found |= (low == high)[where.ravel()]
    return found


def asked(known: KnownOutput, table: Table, seed: int) -> tuple[Assessment, Inputs]:
    """Its outputs on these people, as anybody would ask; without the learning curve, which no verdict needs."""
    document: dict[str, Any] = {"data": "none.csv", "outputs": [dict(o) for o in known.outputs], "seed": seed}
    document |= {"design": {"kind": "repeated-halves", "curve": False}, "measures": ["DCAP"]}
    if known.scenario:
        document["scenario"] = dict(known.scenario)
    return parse_spec(document, Path()), Inputs(table.schema, table, table.n_rows, (None,) * len(known.outputs))


def assessed(known: KnownOutput, table: Table, seed: int) -> Assessed:
    """The same, assessed."""
    return assess(plan(*asked(known, table, seed)), workers=1)


def sizes_of(usual: str) -> list[tuple[int, int]]:
    """Rows and seeds, as `SIZES` in the environment says ("2000:20 10000:5"), or as usual."""
    pairs = (part.split(":") for part in os.environ.get("SIZES", usual).split())
    return [(int(n_rows), int(n_seeds)) for n_rows, n_seeds in pairs]
