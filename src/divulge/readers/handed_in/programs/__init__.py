"""ROOM. What programs write, as candidates: one program, or way to lay out tables, a file."""

from divulge.readers.handed_in.programs.console import Console
from divulge.readers.handed_in.programs.gretl import Gretl
from divulge.readers.handed_in.programs.lifelines import Lifelines
from divulge.readers.handed_in.programs.pandas import Pandas
from divulge.readers.handed_in.programs.program import Program
from divulge.readers.handed_in.programs.prose import Prose
from divulge.readers.handed_in.programs.r_console import RConsole
from divulge.readers.handed_in.programs.scipy import Scipy
from divulge.readers.handed_in.programs.spss import Spss
from divulge.readers.handed_in.programs.stata import Stata
from divulge.readers.handed_in.programs.statsmodels import Statsmodels
from divulge.readers.handed_in.programs.tables import Tables

PROGRAMS: tuple[type[Program], ...] = (
    Lifelines,
    Statsmodels,
    Gretl,
    Stata,
    Spss,
    RConsole,
    Scipy,
    Pandas,
    Tables,
    Console,
    Prose,
)
"""Every reader; of two that recognise the same lines, the first one counts."""

__all__ = ["PROGRAMS", "Program"]
