"""The measures of one synthetic table, for the people who were in and for those who were out."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.assess.splits.task import Task
from divulge.measures.estimate import Estimate
from divulge.measures.run import measure_tables
from divulge.scenario import Scenario
from divulge.table import Table


@dataclass(frozen=True)
class Figure:
    """A measure on one split, for the people who were in and for those who were out."""

    original: float
    holdout: float
    baseline: float


def measure_scenario(
    task: Task,
    scenario: Scenario,
    people: Table,
    synthetic: Table,
    holdout: Table | None,
    sizes: tuple[int, int] | None = None,
) -> dict[str, Figure]:
    """The measures of one scenario, or, with sizes, those over subsets of so many keys; none where there is no key."""
    if not scenario.keys:
        return {}
    names = scenario.variables
    found = measure_tables(
        people.select(names),
        [synthetic.select(names)],
        scenario.keys,
        [scenario.target],
        task.families,
        holdout=None if holdout is None else holdout.select(names),
        key_sizes=sizes,
        seed=task.seed,
    )[0]
    kept = [n for n in found.measures if (sizes is None) != n.endswith(("_sweep", "_sweep_zero"))]
    return {
        n: Figure(found.measures[n][0].value, _value(found.holdout.get(n)), _baseline(found.measures[n][0]))
        for n in kept
    }


def _value(estimates: list[Estimate] | None) -> float:
    return estimates[0].value if estimates else float("nan")


def _baseline(estimate: Estimate) -> float:
    return float("nan") if estimate.baseline is None else estimate.baseline
