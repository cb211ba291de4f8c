"""Names for the types of arrays, so that a signature says what an array holds and not how numpy stores it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Integers32 = NDArray[np.int32]
Codes = NDArray[np.unsignedinteger]
"""Codes of a variable's values, as wide as the number of values demands."""
Mask = NDArray[np.bool_]
"""True for the rows, cells or figures that are meant."""
