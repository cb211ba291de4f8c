"""What was read of a folder, as plain data: the JSON of `divulge read`, and a part of the record of a folder."""

from __future__ import annotations

import math
from typing import Any

from divulge.readers.handed_in.candidates.numbers import Printed
from divulge.readers.handed_in.folder import FileRead, FolderRead
from divulge.readers.handed_in.matching.reading import Checked, Reading

_WHAT = {"missing": "count"}
"""Statistics that are told by another name than they are computed by."""


def as_json(folder: FolderRead) -> dict[str, Any]:
    """Files with their status, outputs with file and line, what was not read, and what else was found."""
    return {
        "files": [_file(f) for f in folder.files],
        "outputs": [_output(f.file, r) for f in folder.files for r in f.readings],
        "unread": [
            *({"file": f.file, "reason": u} for f in folder.files for u in f.unread),
            *({"file": f.file, "lines": [a, b], "reason": u} for f in folder.files for a, b, u in f.left),
        ],
        "finds": [{"file": f.file, "line": x.line, "what": x.what} for f in folder.files for x in f.finds],
    }


def _file(file: FileRead) -> dict[str, Any]:
    return {"file": file.file, "status": file.status, "outputs": len(file.readings), "reasons": list(file.unread)}


def _output(file: str, reading: Reading) -> dict[str, Any]:
    candidate = reading.candidate
    out: dict[str, Any] = {
        "file": file,
        "lines": list(candidate.lines),
        "program": candidate.program,
        "kind": reading.kind,
        "statistic": candidate.statistic,
        "where": reading.where,
        "weights": reading.weights,
        "confirmed": reading.confirmed,
        "note": reading.note or _doubt(reading),
        "others": list(reading.others),
        "agreeing": reading.agreeing,
        "compared": reading.compared,
        "disagreeing": list(reading.disagreeing),
        "not_compared": list(reading.not_compared),
        "figures": [_figure(c) for c in reading.figures],
    }
    if reading.formula is not None:
        out["formula"] = reading.formula
    else:
        out["variables"], out["by"] = list(reading.variables), list(reading.by)
    for name, value in (
        ("sheet", candidate.sheet),
        ("column", candidate.column),
        ("standard_errors", reading.facts.get("standard errors") or candidate.errors),
        ("fixed_effects", list(candidate.fixed_effects) or None),
        ("event", reading.facts.get("event")),
        ("corrected", list(candidate.corrected) or None),
    ):
        if value is not None:
            out[name] = value
    return out


def _doubt(reading: Reading) -> str | None:
    if reading.confirmed:
        return None
    if reading.disagreeing:
        return f"{len(reading.disagreeing)} of {reading.compared} figures are not what the data give"
    return "too few of its figures could be computed again"


def _figure(checked: Checked) -> dict[str, Any]:
    printed: Printed = checked.figure.printed
    what = checked.figure.what
    value = printed.value if printed.value is None or math.isfinite(printed.value) else None
    out: dict[str, Any] = {
        "label": checked.figure.label,
        "what": "percentile" if what.startswith("percentile ") else _WHAT.get(what, what),
        "value": value,
        "printed": printed.text,
        "line": checked.figure.line,
        "agrees": checked.agrees,
    }
    if printed.is_suppressed:
        out["suppressed"] = True
    if printed.stars:
        out["stars"] = printed.stars
    if checked.agrees is False and checked.computed is not None and math.isfinite(checked.computed):
        out["from_data"] = checked.computed
    return out
