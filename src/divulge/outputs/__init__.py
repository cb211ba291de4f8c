"""Released outputs: their kinds, and what the kinds share to compute, to lower and to publish themselves."""

from divulge.outputs.kinds import OUTPUTS
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.output import Example, Figures, Output, Statbarn, Status
from divulge.outputs.released.precision import Precision, Released
from divulge.outputs.released.reading import read_released

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
    "read_released",
]
