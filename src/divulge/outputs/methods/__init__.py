"""ROOM. Ways in which counts are changed before they are printed, one a file, with what a reader then knows of them."""

from divulge.outputs.methods.cell_key import CellKey
from divulge.outputs.methods.controlled_rounding import ControlledRounding
from divulge.outputs.methods.method import Method
from divulge.outputs.methods.midpoint import Midpoint
from divulge.outputs.methods.noise import Noise
from divulge.outputs.methods.random_rounding import RandomRounding
from divulge.outputs.methods.small_counts import SmallCounts

METHODS: tuple[type[Method], ...] = (
    RandomRounding,
    ControlledRounding,
    SmallCounts,
    Midpoint,
    CellKey,
    Noise,
)
"""Every method, in the order in which the catalogue lists them. Rounding to the nearest is the field `base`."""

__all__ = ["METHODS"]
