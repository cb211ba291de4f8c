"""A copy of a folder that SACRO-Viewer opens, with our findings beside the originals: comments, and one custom output.

The folder itself is read and never written to. The viewer looks for outputs.json first and shows CSV and Markdown.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divulge.errors import UsageError, WriteError
from divulge.readers.acro.folder import Folder
from divulge.record import make_folder, write_bytes, write_text
from divulge.reports.folders import comment, summary_csv, summary_text

NAME = "divulge-DONT_RELEASE"
"""What the custom output is called; ACRO ends the names of its own summaries for the checker in the same way."""

STATUS = {"release": "pass", "review": "review", "refuse": "fail"}
"""Our verdicts in ACRO's words."""


def check_target(folder: Folder, target: Path) -> None:
    """Raise where results would be written into the folder that is being checked."""
    if target.resolve().is_relative_to(folder.path.resolve()):
        raise UsageError(
            "the results would be written into the folder that is checked.",
            where=str(target),
            hint="Choose a folder outside it with --output; what is checked stays as it is.",
        )


def write_viewer(folder: Folder, record: Mapping[str, Any], page: str, target: Path) -> Path:
    """Write the copy for SACRO-Viewer into `target`, and say where its metadata are. page: the report as HTML."""
    check_target(folder, target)
    make_folder(target / "checksums")
    _copy(folder, target)
    files = {
        "divulge-summary.csv": summary_csv(record),
        "divulge-summary.md": summary_text(record),
        "divulge-report.html": page,
    }
    for name, text in files.items():
        content = text.encode("utf-8")
        write_bytes(target / name, content)
        write_text(target / "checksums" / f"{name}.txt", hashlib.sha256(content).hexdigest())
    document = json.loads((folder.path / folder.metadata).read_text(encoding="utf-8-sig"))
    for entry in record["acro"]["outputs"]:
        result = document["results"][entry["name"]]
        result["comments"] = [*(result.get("comments") or []), comment(entry)]
    document["results"][NAME] = {
        "uid": NAME,
        "status": STATUS[str(record["verdict"])],
        "type": "custom",
        "properties": {},
        "files": [{"name": name, "sdc": {}} for name in files],
        "outcome": {},
        "command": "divulge acro",
        "summary": f"{record['verdict']}; {' '.join(record['reasons'])}",
        "timestamp": datetime.now(UTC).replace(tzinfo=None).isoformat(),
        "comments": ["Made by Divulge for the output checker. Do not release."],
        "exception": "",
    }
    metadata = target / "outputs.json"
    write_text(metadata, json.dumps(document, indent=4, ensure_ascii=False) + "\n")
    return metadata


def _copy(folder: Folder, target: Path) -> None:
    """The files that the folder's metadata name, and their checksums."""
    wanted = [f for entry in folder.entries for f in entry.files]
    wanted += [folder.path / name for name in ("config.json",)]
    try:
        for path in wanted:
            if not path.is_file():
                continue
            name = path.relative_to(folder.path)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
            checksum = folder.path / "checksums" / f"{name}.txt"
            if checksum.is_file():
                (target / "checksums" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(checksum, target / "checksums" / f"{name}.txt")
    except OSError as error:
        raise WriteError(f"cannot copy the outputs: {error.strerror}.", where=str(target)) from None
