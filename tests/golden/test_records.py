"""Whole records of small assessments, kept as JSON: `make golden` writes them anew after a change that is meant."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from divulge.assess import assess
from tests.support.assessing import CROSSTAB, REGRESSION, people, ready

FOLDER = Path(__file__).parent
SEX = {"kind": "crosstab", "variables": ["SEX", "ILL"], "compute": True}
HALVES = {"kind": "repeated-halves", "splits": 10, "curve_splits": 2}

CASES: dict[str, dict[str, Any]] = {
    "crosstab": {"outputs": [CROSSTAB], "design": HALVES, "measures": ["TCAP", "DCAP", "DiSCO"]},
    # So long that no search is cut off by the clock, however busy the machine is.
    "regression": {"outputs": [REGRESSION], "design": HALVES, "synthesiser": {"kind": "descent", "seconds": 30}},
    "together": {"outputs": [CROSSTAB, SEX]},
    "earlier": {"outputs": [CROSSTAB], "earlier": [SEX]},
    "granted": {"outputs": [CROSSTAB], "earlier": [SEX], "scenario": {"knows": "earlier outputs"}},
    "folds": {
        "outputs": [CROSSTAB],
        "design": {"kind": "folds-of-folds", "folds": 2},
        "scenario": {"target": "ILL", "keys": ["AREA", "SEX"], "key_sizes": "1-2"},
        "measures": ["TCAP"],
    },
    "frequencies": {"outputs": [{"kind": "frequencies", "variables": ["ILL"], "compute": True}]},
}


def _record(case: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in case.items() if name != "outputs"}
    record = dict(assess(ready(*case["outputs"], table=people(), **given), workers=1).record)
    for name in ("timings", "versions", "divulge"):
        del record[name]
    return record


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_record_is_what_it_was(name: str) -> None:
    file = FOLDER / f"{name}.json"
    found = _record(CASES[name])
    if os.environ.get("GOLDEN") == "write":
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    kept = json.loads(file.read_text(encoding="utf-8"))
    changed = list(_changes(found, kept))
    assert not changed, f"{', '.join(changed[:5])}: changed; where that is meant, make golden"


def _changes(found: Any, kept: Any, place: str = "record") -> Iterator[str]:
    """Where two records differ by more than another processor's last digits."""
    if isinstance(found, dict) and isinstance(kept, dict) and found.keys() == kept.keys():
        for name in kept:
            yield from _changes(found[name], kept[name], f"{place}.{name}")
    elif isinstance(found, list) and isinstance(kept, list) and len(found) == len(kept):
        for i, (one, other) in enumerate(zip(found, kept, strict=True)):
            yield from _changes(one, other, f"{place}[{i}]")
    elif isinstance(found, float) and isinstance(kept, float):
        if not isclose(found, kept, rel_tol=1e-9, abs_tol=1e-12):
            yield place
    elif found != kept:
        yield place


def test_every_record_is_of_a_case() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == set(CASES)
