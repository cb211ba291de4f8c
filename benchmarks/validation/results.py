"""What the checks found, kept for the documentation: one file a check, with what it ran on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.__main__ import machine

FOLDER = Path(__file__).parent.parent / "results" / "validation"


def keep(name: str, lines: Sequence[dict[str, Any]], totals: dict[str, Any] | None = None) -> None:
    """Write what a check found, whether or not it is as it should be."""
    FOLDER.mkdir(exist_ok=True, parents=True)
    ran_on = {"date": datetime.now(UTC).date().isoformat(), **machine()}
    result = {"check": name, "ran_on": ran_on, "totals": totals or {}, "lines": list(lines)}
    (FOLDER / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept(name: str) -> list[dict[str, Any]]:
    """The lines of a check as they were kept last; none where it was never run."""
    file = FOLDER / f"{name}.json"
    return list(json.loads(file.read_text(encoding="utf-8"))["lines"]) if file.exists() else []
