"""How long an assessment will take: a few of its splits are run and timed, the rest is counted.

An estimate, not a promise: most searches take about as long as those that were tried, one that stalls takes many times
as long, outputs alone are quicker than together by an unknown factor, and other work on the machine slows all down. So
a range is given, and how it was come by.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from divulge.assess.scenarios import scenarios_for
from divulge.assess.splits.runner import WORTH_STARTING
from divulge.assess.splits.split import run_split
from divulge.assess.splits.task import make_task
from divulge.assess.splits.time_left import ALONE, SMALLER, WHOLE
from divulge.assess.splits.whole import FIGURE_3_AT_MOST
from divulge.designs import BLOCK, CONFIRMING, RepeatedHalves

if TYPE_CHECKING:
    from divulge.assess.plan import Plan

_TRIALS = 6
"""Splits that are tried, unless they take long: with six, a kind of split that is one in four is seen more often than
not."""

_LONGEST_TRIAL = 12.0
"""Seconds for all trials; a split that takes so long alone is cut off, and the estimate says "at least"."""

_SOON = 1.0
"""Seconds of trials after which two that took as long are enough: those of many rows hardly differ."""

_STARTING = 3.0
"""Seconds for starting and reading, at most: what this process took for them, where it did nothing else before."""

_REPORTING = 0.5
"""Seconds for the rules and the report."""

_SPREAD = 3.0
"""How far assessments were found to be from such an estimate, either way."""


@dataclass(frozen=True)
class Forecast:
    """Seconds, with the range in which they most likely lie.

    split: the mean time of one split; tried: how many were timed; at_least: they were cut off.
    budget: the most that all searches together may take on two processors; None where the spec says how long one may.
    """

    seconds: float
    low: float
    high: float
    split: float
    tried: int
    splits: int
    passes: int
    workers: int
    budget: float | None
    at_least: bool = False


def _are_alike(times: list[float]) -> bool:
    """Whether several splits took nearly as long as each other."""
    return len(times) > 1 and max(times) <= 1.25 * min(times)


def forecast(ready: Plan) -> Forecast:
    """Time a split of all outputs together, and count how many there will be."""
    starting = min(time.process_time(), _STARTING) + _REPORTING
    table, seed = ready.table, ready.assessment.seed
    scenarios = scenarios_for(ready.assessment.scenarios, ready.outputs, table.schema)
    limit = ready.limits(0, len(ready.groups())).split
    hurried = replace(ready.synthesiser, seconds=min(limit, _LONGEST_TRIAL))
    outputs = [ready.searched(i)[0] for i in range(len(ready.outputs))]
    task = make_task(outputs, scenarios, table, ready.families, hurried, seed)
    splits = ready.design.splits(table.n_rows, seed)
    times: list[float] = []
    started = time.perf_counter()
    with threadpool_limits(1):  # as the splits of an assessment
        # The first loads compiled code too, which an assessment does once: it counts as starting, where there are more.
        for split in splits[: _TRIALS + 1]:
            times.append(run_split(task, split, True, False).seconds)
            spent = time.perf_counter() - started
            if len(times) > 1 and (spent > _LONGEST_TRIAL or (spent > _SOON and _are_alike(times[1:]))):
                break
    if len(times) > 1:
        starting += max(0.0, times[0] - max(times[1:]))
        times = times[1:]
    mean = sum(times) / len(times)
    passes = 1 + (len(ready.outputs) if len(ready.outputs) > 1 else 0)
    most = fewest = float(len(splits))
    if isinstance(ready.design, RepeatedHalves):
        # Splits of the learning curve have a quarter of the rows and less.
        curve = SMALLER * len(ready.design.curve_at(table.n_rows, seed))
        # Where somebody may be exposed, there is a second look at them.
        most += curve + CONFIRMING
        fewest = (BLOCK if ready.design.stop_early else len(splits)) + curve
    whole = WHOLE if sum(len(o.labels(table.schema)) for o in ready.outputs) <= FIGURE_3_AT_MOST else WHOLE / 2
    factor = 1.0 + (passes - 1) * ALONE

    budget = None if ready.is_timed else ready.budget

    def in_all(n_splits: float, split: float) -> float:
        searching = factor * split * (whole + n_splits / workers)
        return starting + (searching if budget is None else min(searching, budget))

    workers = (os.cpu_count() or 1) if mean * most > WORTH_STARTING else 1
    # Where nobody may be exposed the splits stop early; where somebody may, all are run.
    expected = (in_all(fewest, mean) + in_all(most, mean)) / 2
    low, high = in_all(fewest, min(times)) / _SPREAD, in_all(most, max(times)) * _SPREAD
    cut = max(times) >= 0.9 * _LONGEST_TRIAL
    return Forecast(expected, low, high, mean, len(times), len(splits), passes, workers, budget, at_least=cut)
