"""Viewer files of SPSS and PSPP. Their tables are binary: PSPP's own tool reads them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from divulge.readers.handed_in.sheets import delimited
from divulge.readers.handed_in.sheets.sheet import Document

SUFFIXES = (".spv",)

_TOOL = "pspp-output"
_SECONDS = 60
"""How long the tool may take: a viewer file that takes longer was made to."""


def read(path: Path, name: str) -> Document:
    """The tables of a viewer file; lines are those of the tables one below the other."""
    tool = shutil.which(_TOOL)
    if tool is None:
        return Document(
            name,
            reason="a viewer file of SPSS; export its tables as HTML, text or CSV, or install PSPP, which reads it",
        )
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder) / "tables.csv"
        try:
            done = subprocess.run(
                [tool, "convert", str(path.resolve()), str(tables)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Document(name, reason=f"a viewer file of SPSS that takes longer than {_SECONDS} s to read")
        if done.returncode or not tables.exists():
            return Document(name, reason="a viewer file of SPSS that cannot be read: it may be damaged")
        return replace(delimited.read(tables, name), file=name)
