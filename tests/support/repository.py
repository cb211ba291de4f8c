"""The files of the repository, for the tests that look at all of them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

_NOT_OURS = {".git", ".venv", "site", "build", "dist", "demo-output", "__pycache__", "node_modules"}
_BINARY = {".parquet", ".png", ".jpg", ".woff2", ".ico", ".pyc", ".nbi", ".nbc", ".sav", ".dta", ".sas7bdat", ".gz"}

N_LINES = 400
"""Above this a file should be split by subject."""


@cache
def text_files() -> tuple[Path, ...]:
    """Every text file of ours, the locks included. Walks the folder, so that it works without git as well."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            d for d in folders if d not in _NOT_OURS and not d.endswith((".egg-info", "_cache")) and d != ".hypothesis"
        ]
        found += [Path(folder) / name for name in names if Path(name).suffix not in _BINARY]
    return tuple(sorted(p for p in found if p.is_file() and p.name != ".git"))


def python_files() -> list[Path]:
    return [p for p in text_files() if p.suffix == ".py"]


def name(path: Path) -> str:
    """A file's name as people write it: its path in the repository."""
    return path.relative_to(ROOT).as_posix()


def long_files(paths: list[Path], n_lines: int = N_LINES) -> list[str]:
    """Files over the budget, with their length."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    return [f"{path.name}: {length} lines" for path, length in lengths.items() if length > n_lines]
