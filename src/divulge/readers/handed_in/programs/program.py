"""The shape of a reader of what a program writes."""

from __future__ import annotations

from typing import Protocol

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.sheets import Block


class Program(Protocol):
    """Looks at one block after the other, in the order of the file, and says what it recognises."""

    name: str

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The candidates of a block. Must not raise, whatever the block holds."""
        ...
