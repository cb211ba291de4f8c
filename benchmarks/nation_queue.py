"""A queue of submissions about a nation, simulated from what each of them was measured to take."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.nation_people import CARDS

STARTING = 6.0
"""Seconds of a processor that starting the command takes, with compiled code loaded."""

SHARES = {"table": 0.8, "model": 0.1, "tables": 0.1}
"""What the queue is made of."""


def queue(
    costs: dict[str, Any], n: int = 200, cores: int = 2, target: float = 12.0, is_kept: bool = True
) -> dict[str, Any]:
    """A queue simulated: most are one table of three variables drawn at random, some are models and sets of twenty.

    Whoever is free takes the next. What one takes is the time of the processor that was measured. People are condensed
    once for each set of variables, and read again by whoever asks for the same.
    """
    rng = np.random.default_rng(1)
    drawn = rng.choice(list(SHARES), n, p=list(SHARES.values()))
    sets = [tuple(names) for names in combinations(CARDS, 3)]
    free, seen = np.zeros(cores), set()
    for name in drawn.tolist():
        asked = sets[int(rng.integers(len(sets)))] if name == "table" else name
        table = costs["table"]
        read = table["kept counts read, seconds"] if is_kept and asked in seen else table["condensing, clock"]
        seen.add(asked)
        free[int(free.argmin())] += STARTING + read + costs[name]["seconds"]
    hours = float(free.max()) / 3600
    return {"submissions": n, "cores": cores, "hours": hours, "target": target, "met": hours <= target}
