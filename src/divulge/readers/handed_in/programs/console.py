"""Tables that any program prints by aligning columns: pandas, data frames of R without their prompts, scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.console import framed, frames, runs, table_at, trimmed
from divulge.readers.handed_in.candidates.r_calls import model_told
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.sheets import Block, Lines


class Console:
    """Aligned text: pandas' crosstab and describe, R data frames, tables of scripts."""

    name = "console"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The tables of a stretch of text."""
        if not isinstance(block, Lines):
            return []
        out = []
        taken: list[tuple[int, int]] = []
        for i, j, frame in framed(block):
            found = [c for c in read_grid(frame, session.vocabulary) if c.shape == "model"]
            if found:
                taken.append((i, j))
                out += [session.signed(c, self.name) for c in found]
        stretches = (s for run in runs(block, 0, len(block.texts)) for s in _unexplained(block, *run, session))
        for i, j in (frame for stretch in stretches for frame in frames(block, *stretch)):
            if any(a < j and i < b for a, b in taken):
                continue
            if any(re.match(r"^\s*(?:[.>?]|>>>)\s", t) for t in block.texts[i:j]):
                continue
            i, j = trimmed(block, i, j)
            grid = table_at(block, i, j)
            while grid is None and j - i > 2:
                # A line of prose after the table, or before it.
                j -= 1
                grid = table_at(block, i, j)
            if grid is not None:
                above = "\n".join(block.texts[max(i - 6, 0) : i])
                found = [_told(c, above, session) for c in read_grid(grid, session.vocabulary)]
                out += [session.signed(c, self.name) for c in found if len(c.figures) > 1 or c.shape != "cells"]
        return out


def _told(candidate: Candidate, above: str, session: Session) -> Candidate:
    """A model with the formula and the kind of the call that stands above its table."""
    model = model_told(above, session) if candidate.shape == "model" and candidate.formula is None else None
    if model is None:
        return candidate
    facts = {k: v for k, v in candidate.facts.items() if k != "kind"}
    return replace(candidate, formula=model.formula, kind=model.kind, where=model.where, facts=facts)


def _unexplained(block: Lines, start: int, end: int, session: Session) -> Iterator[tuple[int, int]]:
    """The parts of a stretch that no other program has read; a line alone is no table."""
    i = start
    while i < end:
        j = i
        while j < end and not session.explained(block.line(j), block.line(j)):
            j += 1
        if j - i >= 2:
            yield i, j
        i = j + 1
