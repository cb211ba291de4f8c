"""Annealing: single moves that may also go up a little, less and less, out of holes where greedy search stops."""

from __future__ import annotations

import numpy as np

from divulge.synthesisers.descent.candidate import Candidate

_HOTTEST, _HOTTEST_AT_FIRST, _COLDEST, _TEMPERATURES = 16.0, 4.0, 0.5, 40
"""A count off by one is worth 4. After a round that brought nothing, the next is twice as hot."""

_CHUNK = 50_000
"""Proposals at each temperature, at least; with many rows, their number."""


def anneal(candidate: Candidate, stalls: int) -> None:
    """Cool down once. stalls: rounds in a row that brought nothing."""
    view = candidate.refresh(candidate.half_units())
    chunk = max(_CHUNK, len(candidate.codes))
    for temperature in np.geomspace(min(_HOTTEST, _HOTTEST_AT_FIRST * 2.0**stalls), _COLDEST, _TEMPERATURES):
        candidate.descend(view.metric, view.residuals, chunk, float(temperature))
        candidate.note("annealing")
        if candidate.discrepancy == 0.0 or candidate.is_out_of_time:
            break
    candidate.descend(view.metric, view.residuals, chunk)
    candidate.recount()
