"""How long an assessment will take: one or two of its splits are run and timed, the rest is counted.

An estimate, not a promise: searches differ from split to split, outputs alone are quicker than together by an unknown
factor, and other work on the machine slows it down. So a range is given, and how it was come by.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from divulge.assess.attacks import attacks_of
from divulge.assess.passes import FIGURE_3_AT_MOST, make_task
from divulge.assess.splits import run_split
from divulge.assess.workers import WORTH_STARTING
from divulge.designs import BLOCK, RepeatedHalves

if TYPE_CHECKING:
    from divulge.assess.conduct import Plan

LONGEST_TRIAL = 20.0
"""Seconds that a split may take here; a longer one is cut off, and the estimate says "at least"."""

WHOLE = 4.0
"""Splits that the search on all rows is worth: twice the rows, every last digit, and once more with snapshots."""

ALONE = 0.5
"""An output alone beside all together, where there are several: in between nothing and as much."""

SPREAD = 2.5
"""How far times of searches were found to be from such an estimate, either way, in nine cases of ten."""


@dataclass(frozen=True)
class Forecast:
    """Seconds, with the range in which they most likely lie. split: of one split. at_least: the trial was cut off."""

    seconds: float
    low: float
    high: float
    split: float
    splits: int
    passes: int
    workers: int
    at_least: bool = False


def forecast(ready: Plan) -> Forecast:
    """Time a split of all outputs together, and count how many there will be."""
    table, seed = ready.table, ready.assessment.seed
    attacks = attacks_of(ready.assessment.scenarios, ready.outputs, table.schema)
    hurried = replace(ready.synthesiser, seconds=min(ready.synthesiser.seconds, LONGEST_TRIAL))
    task = make_task(ready.outputs, attacks, table, ready.families, hurried, seed)
    splits = ready.design.splits(table.n_rows, seed)
    seconds = float("inf")
    started = time.perf_counter()
    with threadpool_limits(1):  # as the splits of an assessment
        # The first of them loads compiled code as well, which happens once; so the second, where there is time for it.
        for split in splits[:2]:
            result = run_split(task, split, True, False)
            seconds = min(seconds, result.seconds)
            if time.perf_counter() - started > LONGEST_TRIAL / 2:
                break
    passes = 1 + (len(ready.outputs) if len(ready.outputs) > 1 else 0)
    most = fewest = float(len(splits))
    if isinstance(ready.design, RepeatedHalves):
        # Splits of the learning curve have a quarter of the rows and less.
        curve = 0.4 * len(ready.design.curve_at(table.n_rows, seed))
        most += curve
        fewest = (BLOCK if ready.design.stop_early else len(splits)) + curve
    whole = WHOLE if sum(len(o.labels(table.schema)) for o in ready.outputs) <= FIGURE_3_AT_MOST else WHOLE / 2
    factor = 1.0 + (passes - 1) * ALONE

    def in_all(n_splits: float, workers: int) -> float:
        return factor * seconds * (whole + n_splits / workers)

    cores = os.cpu_count() or 1
    workers = cores if seconds * most > WORTH_STARTING else 1
    # Where nobody may be exposed the splits stop early; where somebody may, all are run.
    expected = (in_all(fewest, workers) + in_all(most, workers)) / 2
    low, high = in_all(fewest, workers) / SPREAD, in_all(most, workers) * SPREAD
    return Forecast(expected, low, high, seconds, len(splits), passes, workers, at_least=seconds >= 0.9 * LONGEST_TRIAL)
