"""Tables that any program prints by aligning columns: pandas, data frames of R without their prompts, scripts."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.console import framed, runs, table_at, trimmed
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
        for i, j in runs(block, 0, len(block.texts)):
            if any(a < j and i < b for a, b in taken) or session.explained(block.line(i), block.line(j - 1)):
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
                out += [session.signed(c, self.name) for c in read_grid(grid, session.vocabulary)]
        return out
