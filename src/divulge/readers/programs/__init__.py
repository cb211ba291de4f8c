"""What people hand in, as outputs: one program or way to write tables a file, and a line here.

`sheets` turns files into lines and grids, readers turn these into candidates (`candidates` is what they share),
`matching` finds what a candidate is in the data, `finds` lists what else a checker looks for.
"""

from typing import Protocol

from divulge.readers.candidates.candidate import Candidate
from divulge.readers.candidates.session import Session
from divulge.readers.programs.console import Console
from divulge.readers.programs.gretl import Gretl
from divulge.readers.programs.lifelines import Lifelines
from divulge.readers.programs.r_console import RConsole
from divulge.readers.sheets import Block
from divulge.readers.programs.spss import Spss
from divulge.readers.programs.stata import Stata
from divulge.readers.programs.statsmodels import Statsmodels
from divulge.readers.programs.tables import Tables


class Reader(Protocol):
    """A reader looks at a block after the other, in the order of the file, and says what it recognises."""

    name: str

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The candidates of a block. Must not raise, whatever the block holds."""
        ...


PROGRAMS: tuple[type[Reader], ...] = (Lifelines, Statsmodels, Gretl, Stata, Spss, RConsole, Tables, Console)
"""Every reader; of two that recognise the same lines, the first one counts."""
