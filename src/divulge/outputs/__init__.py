"""Released outputs: one kind per file. A new kind is a file here and a line in OUTPUTS; nothing else knows them."""

from divulge.outputs.crosstab import Crosstab
from divulge.outputs.lowered import Lowered
from divulge.outputs.output import Example, Figures, Output, Statbarn, Status
from divulge.outputs.precision import Precision, Released

OUTPUTS: tuple[type[Output], ...] = (Crosstab,)
"""Every kind, in the order in which `divulge outputs` and the catalogue list them."""

__all__ = ["OUTPUTS", "Example", "Figures", "Lowered", "Output", "Precision", "Released", "Statbarn", "Status"]
