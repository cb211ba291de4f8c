"""What the shell offers after the tabulator key, where typer does not know: the names of assessment files."""

from __future__ import annotations

from pathlib import Path

_ENDINGS = (".yaml", ".yml", ".json")  # of an assessment file


def spec_files(incomplete: str) -> list[str]:
    """Assessment files and folders that begin so; none where there is no such file, so that the shell completes itself.

    A folder alone is left to the shell too: it does not put a blank behind it.
    """
    folder, _, start = incomplete.rpartition("/")
    base = Path(folder or ("/" if incomplete.startswith("/") else "."))
    try:
        entries = sorted(base.iterdir())
    except OSError:
        return []
    before = incomplete[: len(incomplete) - len(start)]
    named = [e for e in entries if e.name.startswith(start) and (start.startswith(".") or not e.name.startswith("."))]
    files = [before + e.name for e in named if e.suffix.lower() in _ENDINGS and not e.is_dir()]
    return files + [f"{before}{e.name}/" for e in named if e.is_dir()] if files else []
