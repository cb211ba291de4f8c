"""Refused outputs of several lists, as anybody would ask for them: what the ways to a release are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.validation.foreign import frame_of, table_of
from benchmarks.validation.foreign_data import CASES, Foreign
from benchmarks.validation.known_outputs import KNOWN_OUTPUTS, KnownOutput, asked, people_of
from divulge.spec import Assessment, Inputs, parse_spec

Asked = tuple[Assessment, Inputs]

DATA = 7
"""The seed of the sample of known outputs, which no search was tried on before."""

N = 600
"""People of the outputs that are made by hand."""


@dataclass(frozen=True)
class RefusedOutput:
    """ask: the assessment and what it reads, with this seed."""

    name: str
    data: str
    rows: int
    ask: Callable[[int], Asked]


def known_refused(rows: int) -> list[RefusedOutput]:
    """The unsafe outputs of known truth, on a sample of so many people."""

    def ask(known: KnownOutput) -> Callable[[int], Asked]:
        return lambda seed: asked(known, people_of(known, rows, DATA)[0], seed)

    return [RefusedOutput(k.name, k.data, rows, ask(k)) for k in KNOWN_OUTPUTS if k.truth == "unsafe"]


def foreign_refused() -> list[RefusedOutput]:
    """The unsafe outputs of the foreign list."""

    def ask(case: Foreign) -> Callable[[int], Asked]:
        return lambda seed: _asked(case.prepare(frame_of(case.data)), case.outputs, seed, case.scenario)

    found = []
    for case in CASES:
        frame = case.prepare(frame_of(case.data))
        if case.truth != "between" and case.attack(frame):
            found.append(RefusedOutput(case.name, case.data, len(frame), ask(case)))
    return found


def made_refused() -> list[RefusedOutput]:
    """Four outputs of invented people, each of another sort of danger."""
    means = {"kind": "means", "variables": ["income"], "by": ["sex"], "decimals": 2}
    three = {"sex": ["m"] * 3 + ["f"] * (N - 3)}
    listed: list[tuple[str, dict[str, list[Any]], tuple[dict[str, Any], ...]]] = [
        ("dominated total", {"income": [9_000_000]}, ({"kind": "totals", "variables": ["income"], "by": ["area"]},)),
        ("t-test of three", three, ({"kind": "t-test", "variable": "income", "by": "sex", "decimals": 2},)),
        ("means that differ by one", {"age": [95]}, (means, {**means, "where": "age < 95"})),
        (
            "thin level of a model",
            {"area": ["island"]},
            ({"kind": "linear", "formula": "income ~ age + C(area)", "decimals": 2},),
        ),
    ]
    return [RefusedOutput(name, "made", N, _asking(columns, outputs)) for name, columns, outputs in listed]


def _asking(columns: dict[str, list[Any]], outputs: tuple[dict[str, Any], ...]) -> Callable[[int], Asked]:
    return lambda seed: _asked(_people(columns), tuple({"compute": True, **o} for o in outputs), seed)


def _people(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Invented people; the last of them are those of the columns."""
    rng = np.random.default_rng(11)  # any seed: whoever stands out is put there by hand
    made: dict[str, list[Any]] = {
        "area": rng.choice(["east", "north", "south"], N).tolist(),
        "sex": ["f", "m"] * (N // 2),
        "age": rng.integers(20, 80, N).tolist(),
        "income": rng.integers(1_000, 5_000, N).tolist(),
    }
    for name, values in columns.items():
        made[name][N - len(values) :] = values
    return pd.DataFrame(made)


def _asked(frame: pd.DataFrame, outputs: tuple[Any, ...], seed: int, scenario: Any = None) -> Asked:
    with TemporaryDirectory() as folder:
        table = table_of(frame, Path(folder))
    document: dict[str, Any] = {"data": "none.csv", "outputs": [dict(o) for o in outputs], "seed": seed}
    # No verdict needs the learning curve or measures beside the scores.
    document |= {"design": {"kind": "repeated-halves", "curve": False}, "measures": ["DCAP"]}
    document |= {"scenario": dict(scenario)} if scenario else {}
    return parse_spec(document, Path()), Inputs(table.schema, table, table.n_rows, (None,) * len(outputs))
