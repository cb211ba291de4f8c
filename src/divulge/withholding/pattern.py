"""Secondary suppression: figures to withhold beside the primary ones, at the least cost.

The cheapest pattern is looked for by cuts; where the time is up before, one is made need by need, and what nobody needs
of it is published again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.withholding.cuts import Search
from divulge.withholding.figures import FURTHEST, Figures, Need, changes_of


def find_pattern(
    given: Figures,
    primary: Mask,
    up: Floats,
    down: Floats | None = None,
    seconds: float = 30.0,
    clock: Callable[[], float] = time.monotonic,
) -> Mask:
    """Which figures to withhold. primary: those that must be; up, down: how far each of them must be able to move.

    Every primary figure can then be larger by `up` and smaller by `down`, as far as the published figures tell.
    clock: by which the seconds are counted.
    """
    needs = [Need(int(i), float(up[i])) for i in np.flatnonzero(primary & (up > 0))]
    if down is not None:
        needs += [Need(int(i), -float(down[i])) for i in np.flatnonzero(primary & (down > 0))]
    if not needs:
        return primary.copy()
    furthest = FURTHEST * max(abs(need.amount) for need in needs)
    return Search(given, changes_of(given, furthest), primary, needs, seconds, clock).run()
