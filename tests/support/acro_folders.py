"""Small folders of the shape that ACRO writes, from made-up people: tables by pandas, regressions by statsmodels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

CONFIG = {"safe_threshold": 10, "safe_dof_threshold": 10, "safe_round_base": 5, "zeros_are_disclosive": True}


def people(n: int = 240) -> pd.DataFrame:
    """Made-up people: three towns, two sexes, an age, whether they are ill. Nobody from Ely is ill."""
    rows = []
    for i in range(n):
        town = ("Bath", "York", "Ely")[(i * 7) % 11 % 3]
        ill = int(town != "Ely" and (i * 13) % 10 < 4)
        rows.append({"town": town, "sex": "FM"[i % 2], "age": 20 + (i * 17) % 40 + 5 * ill, "ill": ill})
    return pd.DataFrame(rows)


def table_entry(
    frame: pd.DataFrame,
    command: str,
    *,
    method: str = "crosstab",
    suppressed: Sequence[Sequence[int]] = (),
    **more: Any,
) -> dict[str, Any]:
    """An entry of a table; its CSV is what pandas writes. suppressed: places of cells that are withheld."""
    shown = frame.astype(float).copy() if suppressed else frame
    for row, column in suppressed:
        shown.iloc[row, column] = float("nan")
    mitigation = "suppress" if suppressed else "none"
    cells = {"MinimumThresholdCheck": [list(place) for place in suppressed]}
    return {
        "type": "table",
        "properties": {"method": method, "mitigation": mitigation, **more.pop("properties", {})},
        "csv": [shown.to_csv()],
        "sdc": {"summary": {"suppressed": bool(suppressed)}, "cells": cells},
        "command": command,
        **more,
    }


def regression_entry(result: Any, method: str, command: str, **more: Any) -> dict[str, Any]:
    """An entry of a regression: the tables of statsmodels' summary, with their trailing zeros lost."""
    tables = []
    for table in result.summary().tables:
        lines = [[_without_zeros(str(cell).strip()) for cell in line] for line in table.data]
        tables.append(pd.DataFrame(lines).to_csv(index=False, header=False))
    return {"type": "regression", "properties": {"method": method}, "csv": tables, "command": command, **more}


def _without_zeros(text: str) -> str:
    try:
        return str(float(text)) if "." in text else text
    except ValueError:
        return text


def write_folder(path: Path, entries: Mapping[str, Mapping[str, Any]], version: str = "1.0.2") -> Path:
    """Write a folder with its checksums. Entries may have `csv` texts, or `files` of their own."""
    (path / "checksums").mkdir(parents=True)
    contents: dict[str, bytes] = {}
    results = {}
    for name, given in entries.items():
        entry = {"uid": name, "status": "review", "outcome": {}, "summary": "review", "comments": [], "exception": ""}
        entry |= {k: v for k, v in given.items() if k not in ("csv", "sdc", "content")}
        entry.setdefault("timestamp", "2026-01-02T03:04:05.000006")
        if "csv" in given:
            files = [f"{name}_{i}.csv" for i in range(len(given["csv"]))]
            contents |= {f: text.encode("utf-8") for f, text in zip(files, given["csv"], strict=True)}
            entry["files"] = [{"name": f, "sdc": given.get("sdc", {})} for f in files]
        elif "content" in given:
            contents[given["files"][0]["name"]] = given["content"]
        if version < "1":
            entry.pop("fair", None)
            entry["properties"] = {k: v for k, v in entry.get("properties", {}).items() if k != "mitigation"}
        results[name] = entry
    document = {"version": version, "results": results}
    contents["results.json"] = json.dumps(document, indent=4).encode("utf-8")
    contents["config.json"] = json.dumps(CONFIG).encode("utf-8")
    for file, content in contents.items():
        (path / file).write_bytes(content)
        if file != "config.json":
            (path / "checksums" / f"{file}.txt").write_text(hashlib.sha256(content).hexdigest(), encoding="utf-8")
    return path


def contents(path: Path) -> dict[str, bytes]:
    """Every file of a folder, byte for byte."""
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
