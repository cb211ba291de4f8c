"""A folder that ACRO wrote: `results.json`, its files and its checksums, as frozen things. Nothing of it is written to.

What the entries mean for a table of people is in `reading.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from divulge.errors import AcroError, FileMissingError

METADATA = ("outputs.json", "results.json")
"""Where ACRO and SACRO-Viewer keep what they know of the outputs, in the order in which the viewer looks."""

LARGEST_METADATA = 100_000_000
"""Bytes. A thousand tables of a thousand cells, each flagged by every check, take a third of it."""

LARGEST_FILE = 20_000_000
"""Bytes of one table or regression. A crosstab that large is no output but the data."""

OLDEST = (0, 4)
"""ACRO 0.4 is the first version whose folders name files and checks as today's do; SACRO-Viewer reads no older one."""


@dataclass(frozen=True)
class Entry:
    """One output as the folder describes it. status: ACRO's own. flagged: cells that ACRO's checks found, by check.

    is_intact: whether every file is as its checksum says; None where a checksum is missing.
    """

    name: str
    kind: str
    method: str
    status: str
    command: str
    summary: str
    mitigation: str
    dependent: str | None
    independent: tuple[str, ...]
    files: tuple[Path, ...]
    flagged: Mapping[str, tuple[tuple[int, int], ...]]
    is_suppressed: bool
    is_intact: bool | None


@dataclass(frozen=True)
class Folder:
    """What a folder holds. threshold, base: the smallest count and the rounding base of ACRO's settings."""

    path: Path
    metadata: str
    version: str
    entries: tuple[Entry, ...]
    threshold: float | None
    base: float | None


def read_folder(path: str | Path) -> Folder:
    """The outputs of a folder of ACRO 0.4 or later. AcroError where it is none, or names a file outside itself."""
    folder = Path(path)
    if not folder.is_dir():
        raise FileMissingError(
            "there is no such folder.", where=str(folder), hint="Give the folder that ACRO's finalise wrote."
        )
    name = next((n for n in METADATA if (folder / n).is_file()), None)
    if name is None:
        raise AcroError(
            f"a folder of ACRO has {' or '.join(reversed(METADATA))}, this one has neither.",
            where=str(folder),
            hint="Give the folder that ACRO's finalise wrote, with format json.",
        )
    document = _read_json(_inside(folder, name, str(folder)), str(folder / name))
    version, results = document.get("version"), document.get("results")
    if not isinstance(version, str) or not isinstance(results, dict):
        raise AcroError("this is not what ACRO writes: version and results are needed.", where=str(folder / name))
    if _numbers(version) < OLDEST:
        raise AcroError(
            f"ACRO 0.4 or later is needed, this folder is of version {version[:20]!r}.", where=str(folder / name)
        )
    config = _config(folder)
    entries = tuple(_entry(folder, str(key), value) for key, value in results.items())
    return Folder(folder, name, version, entries, config.get("safe_threshold"), config.get("safe_round_base"))


def _read_json(path: Path, where: str) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_METADATA:
            raise AcroError(f"the file is larger than {LARGEST_METADATA:,} bytes.", where=where)
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise AcroError(f"the file cannot be read: {error.strerror}.", where=where) from None
    except (ValueError, RecursionError):
        raise AcroError("this is not JSON.", where=where) from None
    if not isinstance(found, dict):
        raise AcroError("this is not what ACRO writes: a mapping is needed.", where=where)
    return found


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(p) if p.isdigit() else -1 for p in parts)


def _config(folder: Path) -> dict[str, float]:
    """The numbers of ACRO's settings; none where there is no file of them."""
    path = folder / "config.json"
    if not path.is_file():
        return {}
    found = _read_json(_inside(folder, path.name, str(path)), str(path))
    return {k: float(v) for k, v in found.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def _entry(folder: Path, name: str, found: Any) -> Entry:
    where = f"{folder}: results.{name[:80]}"
    if not isinstance(found, dict) or not isinstance(found.get("files"), list):
        raise AcroError("this is not what ACRO writes: an output has files.", where=where)
    files, flagged, intact, is_suppressed = [], {}, [], False
    for each in found["files"]:
        # SACRO-ML and hand-made folders list names alone.
        file_name = each.get("name") if isinstance(each, dict) else each
        if not isinstance(file_name, str):
            raise AcroError("a file without a name.", where=where)
        files.append(_inside(folder, file_name, where))
        intact.append(_is_intact(folder, file_name, files[-1]))
        sdc = each.get("sdc") if isinstance(each, dict) else None
        if isinstance(sdc, dict):
            flagged.update(_cells(sdc.get("cells")))
            is_suppressed |= isinstance(sdc.get("summary"), dict) and sdc["summary"].get("suppressed") is True
    properties, fair = _mapping(found.get("properties")), _mapping(found.get("fair"))
    mitigation = _text(properties.get("mitigation"))
    dependent = _text(fair.get("dependent"))
    return Entry(
        name=name,
        kind=_text(found.get("type")),
        method=_text(properties.get("method")),
        status=_text(found.get("status")),
        command=_text(found.get("command")),
        summary=_text(found.get("summary")),
        mitigation=mitigation,
        dependent=dependent if dependent not in ("", "unknown") else None,
        independent=tuple(n for n in _list(fair.get("independent")) if isinstance(n, str)),
        files=tuple(files),
        flagged=flagged,
        is_suppressed=is_suppressed or mitigation == "suppress",
        is_intact=None if None in intact else all(intact),
    )


def _inside(folder: Path, name: str, where: str) -> Path:
    """The path of a file of the folder. Names that lead out of it, also by a link, are refused."""
    parts = (*PurePosixPath(name).parts, *PureWindowsPath(name).parts)
    path = folder / name
    if not name or "\0" in name or ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor:
        _refuse(name, where)
    if not path.resolve().is_relative_to(folder.resolve()):
        _refuse(name, where)
    return path


def _refuse(name: str, where: str) -> None:
    raise AcroError(
        f"the file {name[:80]!r} is not inside the folder.",
        where=where,
        hint="An output's files stand in its own folder; ask whoever made it.",
    )


def _is_intact(folder: Path, name: str, path: Path) -> bool | None:
    checksum = _inside(folder / "checksums", f"{name}.txt", str(folder)) if (folder / "checksums").is_dir() else None
    if checksum is None or not checksum.is_file() or not path.is_file():
        return None
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return checksum.read_text(encoding="utf-8", errors="replace").strip() == found


def _cells(found: Any) -> dict[str, tuple[tuple[int, int], ...]]:
    """Which cells each check found, as (row, column) in the body of the table."""
    cells: dict[str, tuple[tuple[int, int], ...]] = {}
    for check, places in _mapping(found).items():
        pairs = [p for p in _list(places) if isinstance(p, list) and len(p) == 2]
        cells[str(check)] = tuple((p[0], p[1]) for p in pairs if all(isinstance(n, int) for n in p))
    return cells


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
