"""What an assessment writes into the folder: the spec, the record and the report."""

from __future__ import annotations

from pathlib import Path

from divulge.record import dumps, make_folder, write_text
from divulge.web.desk.work import Finished


def write_ours(folder: Path, spec: str, found: Finished) -> None:
    """The record last: where there is one, the rest is there too."""
    make_folder(folder)
    write_text(folder / "assessment.yaml", spec)
    write_text(folder / "report.html", found.page)
    write_text(folder / "record.json", dumps(found.record))
