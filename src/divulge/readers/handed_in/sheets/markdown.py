"""Markdown: pipe tables as grids, everything else as lines; fences are left out, what stands in them is kept."""

from __future__ import annotations

import re
from pathlib import Path

from divulge.readers.handed_in.sheets.decoding import decode
from divulge.readers.handed_in.sheets.embedded import with_grids
from divulge.readers.handed_in.sheets.sheet import Document, Lines, Remark

SUFFIXES = (".md", ".rmd", ".qmd", ".markdown")


def read(path: Path, name: str) -> Document:
    """A Markdown file."""
    text, odd = decode(path.read_bytes())
    kept = tuple("" if re.match(r"^\s*(```|~~~)", t) else t.expandtabs(8) for t in text.splitlines())
    return Document(name, tuple(with_grids(Lines(kept))), (Remark(odd),) if odd else ())
