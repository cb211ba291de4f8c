"""Names of files that somebody drops in: the last part alone, in the one folder, and never one of ours."""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath

from divulge.errors import UploadError

OURS = "divulge"
"""The folder inside the folder: the spec, the record, the report, notes and decisions."""


def plain_name(given: str) -> str:
    """The name under which a file is kept; refused where it would lead elsewhere or be hidden."""
    name = unicodedata.normalize("NFC", PurePosixPath(given.replace("\\", "/")).name)
    odd = any(unicodedata.category(c)[0] == "C" or c in ':*?"<>|' for c in name)
    if not name or name.startswith(".") or odd or len(name.encode()) > 200 or name.casefold() == OURS:
        raise UploadError("this is no name that a file can be kept under.", hint="Give it another name.")
    return name


def files_in(folder: Path) -> list[str]:
    """The files that would be handed in, by their names from the folder; nothing hidden, no links, none of ours."""
    found = sorted(folder.rglob("*")) if folder.is_dir() else []
    return [_name(p, folder) for p in found if p.is_file() and _is_plain(p, folder)]


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _is_plain(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    if parts[0] == OURS or any(part.startswith(".") for part in parts):
        return False
    # A link may lead to what nobody meant to hand in.
    return not any((folder / Path(*parts[: i + 1])).is_symlink() for i in range(len(parts)))
