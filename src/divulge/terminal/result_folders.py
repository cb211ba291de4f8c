"""Where results go: a folder with a record belongs to that assessment; another goes beside it, with a number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path

from divulge.errors import DivulgeError
from divulge.record import read_record


def result_folder(wanted: Path, spec: str, data: str) -> Path:
    """The folder of an assessment: the one asked for, or the first beside it that is free or its own.

    spec, data: the digests of its spec and of its data.
    """
    return next(folder for folder in _numbered(wanted) if _owner(folder) in (None, (spec, data)))


def beside(folder: Path) -> list[Path]:
    """The folders of other assessments beside this one, with their numbers, as far as they have a record."""
    there = takewhile(Path.exists, _numbered(folder))
    return [other for other in there if other != folder and (other / "record.json").exists()]


def _numbered(folder: Path) -> Iterator[Path]:
    yield folder
    for number in count(2):
        yield folder.with_name(f"{folder.name}-{number}")


def _owner(folder: Path) -> tuple[str, str] | None:
    """The digests of the spec and the data that a folder's record is about; None where it has no record."""
    if not (folder / "record.json").is_file():
        return None
    try:
        record = read_record(folder / "record.json")
    except DivulgeError:
        return "", ""
    return str(record.get("spec", {}).get("digest")), str(record.get("data", {}).get("digest"))
