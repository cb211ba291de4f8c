"""Released outputs: their kinds, and what the kinds share to compute, to lower and to publish themselves."""

from divulge.outputs.coarser import as_read
from divulge.outputs.figures import Figures, Status
from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.output import Example, Output
from divulge.outputs.released.precision import Precision, Released
from divulge.outputs.released.reading import read_released
from divulge.outputs.statbarn import Statbarn

__all__ = [
    "OUTPUTS",
    "Example",
    "Figures",
    "Lowered",
    "Output",
    "Precision",
    "Released",
    "Statbarn",
    "Status",
    "as_read",
    "read_released",
]
