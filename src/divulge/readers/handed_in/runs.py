"""Long runs of lines that differ in their numbers alone: steps of a simulation, rows of data. They are no outputs."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

from divulge.readers.handed_in.sheets import Lines

LONGEST = 3_000
"""Rows that a table of an output has at most."""

_NUMBERS = re.compile(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?|\s+")


def without_runs(block: Lines) -> Lines:
    """The same lines with those of long runs empty, so that no reader takes them for a table. They stay unread, and are
    listed as such."""
    if len(block.texts) <= LONGEST:
        return block
    out: list[str] = []
    for _, alike in groupby(block.texts, lambda t: _NUMBERS.sub(" ", t)):
        run = list(alike)
        out += [""] * len(run) if len(run) > LONGEST else run
    return replace(block, texts=tuple(out))
