"""How the kernels of a search are compiled."""

from __future__ import annotations

from numba import njit

borrowing = njit(cache=True, nogil=True, _nrt=False)
"""For functions that allocate no array and return none: all their arrays belong to the caller.

numba counts references to every array that a function takes or looks up in a tuple. That was a third of the time of a
search, and more with every named structure. Whoever only borrows need not count.
"""
