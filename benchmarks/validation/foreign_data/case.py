"""What an output of known truth is, and which rows of somebody's data it is computed on.

Rows are real people's (or inspections', births', prisoners'): groups of two or three are made by keeping only so many
of a group, never by inventing anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from benchmarks.validation.foreign_data.attacks import Attack, Frame

Prepare = Callable[[Frame], Frame]


@dataclass(frozen=True)
class Foreign:
    """An output on somebody's data. attack: of how many people it gives something away; 0: it is safe.

    prepare: which rows. truth: `between` where a custodian's policy says, as for means of four people.
    """

    name: str
    data: str
    outputs: tuple[Mapping[str, Any], ...]
    attack: Attack
    scenario: Mapping[str, Any] | None = None
    prepare: Prepare = lambda frame: frame
    truth: Literal["by attack", "between"] = "by attack"


def some(n: int, *names: str) -> Prepare:
    """So many rows, always the same; only those in which the named variables are known."""
    return lambda frame: frame.dropna(subset=list(names)).sample(n, random_state=1)


def few(k: int, by: str, value: Any, *names: str, n: int = 1500) -> Prepare:
    """Of a group only k people, and n others."""

    def prepare(frame: Frame) -> Frame:
        known = frame.dropna(subset=[by, *names])
        group, others = known[known[by] == value], known[known[by] != value]
        return pd.concat([group.sample(k, random_state=1), others.sample(n, random_state=1)]).reset_index(drop=True)

    return prepare


def of(kind: str, variable: str, *by: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "variables": [variable], "by": list(by), "compute": True, **more}


def table(*variables: str, **more: Any) -> dict[str, Any]:
    return {"kind": "crosstab", "variables": list(variables), "compute": True, **more}


def model(kind: str, formula: str, decimals: int = 3, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "formula": formula, "decimals": decimals, "compute": True, **more}


SD, ADULT, TEST, CENSUS, CPS = "sd2011_orig", "adult_orig", "sdcmicro_testdata", "uk_census_2011_teaching", "cps"
ROSSI, HAPPY, BIRTHS, TITANIC, CRIME = "wild/047", "wild/018", "wild/030", "wild/010", "wild/014"
WAGES, TRANSPLANTS, PRISONERS = "wild/039", "wild/037", "wild/056"
