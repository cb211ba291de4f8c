"""Folders that ACRO wrote, read again and checked under `profile: acro`: its status beside ours, output by output.

ACRO_FOLDERS names the folders, ACRO_DATA the file that they were made from (its own sample folders and nursery.csv are
not ours to keep); without them the check says so.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.validation.results import keep
from divulge.checking import check_outputs, make_cases, read_profile
from divulge.readers.acro.folder import read_folder
from divulge.readers.acro.reading import read_outputs
from divulge.table import read_table

STATUS = {"refuse": "fail", "review": "review", "note": "pass", "none": "pass"}
"""What ACRO calls what a rule of its profile does."""


def check() -> list[str]:
    folders, data = os.environ.get("ACRO_FOLDERS"), os.environ.get("ACRO_DATA")
    if folders is None or data is None:
        return ["ACRO_FOLDERS and ACRO_DATA name no folders: nothing was compared."]
    table = read_table(Path(data))
    profile, lines = read_profile("acro"), []
    for path in folders.split():
        folder = read_folder(path)
        for reading in read_outputs(folder, table):
            line: dict[str, Any] = {
                "folder": f"{folder.version} {Path(path).name}",
                "output": reading.entry.name,
                "command": reading.entry.command,
                "acro": reading.entry.status,
                "acro_says": reading.entry.summary,
                "flagged": {check: len(cells) for check, cells in reading.entry.flagged.items() if cells},
            }
            if reading.outputs:
                found = check_outputs(make_cases(reading.outputs, reading.released, table), profile)
                line["ours"] = STATUS[found.worst.value if found.worst else "none"]
                line["ours_say"] = {f.rule: len(f.figures) for f in found.findings}
            else:
                line["ours"], line["ours_say"] = "not read", reading.reason
            lines.append(line)
    keep("acro_folders", lines)
    return [f"{x['folder']} {x['output']}: ACRO {x['acro']}, ours {x['ours']} {x['ours_say']}" for x in lines]
