"""Which figures, levels and variables of an output give the exposed away: leave each out, and see what remains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.assess.arithmetic import Arithmetic
from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.plan import Plan
from divulge.assess.statistics.counted import exposed_by_counts
from divulge.checking import make_cases
from divulge.contributions.blame import find_blame
from divulge.rules import Severity

_MOST_LEVELS = 10


def blame_section(number: int, ready: Plan, arithmetic: Arithmetic, own: PassResult) -> dict[str, Any] | None:
    """What the record says of blame. figures: of each, in order, 2 where it mostly is, 1 where it has a part, else 0.

    without: how many of the exposed would still be, were a variable left out; where that can be counted.
    None where nobody is exposed and no rule or proof names a figure.
    """
    named = [f for f in own.findings if f.severity is not Severity.NOTE and f.outputs == (number,)]
    labels = [label for f in named for label in f.figures]
    labels += [label for f in arithmetic.proved((number,)) for label in f.figures]
    if not own.at_risk.any() and not labels:
        return None
    given = ready.assessment
    case = make_cases(
        [ready.outputs[number]], [ready.printed[number]], ready.table, given.entity, given.holding, given.waiver
    )[0]
    blame = find_blame(case, own.at_risk, labels)
    without = _without(number, ready, own.scenarios)
    return {
        "figures": blame.grades,
        "sentence": " ".join(
            filter(None, (blame.sentence(case.labels), _settled(without, ready.table.count(own.exposed))))
        ),
        "without": [{"variable": name, "exposed": n} for name, n in without.items()],
        "levels": blame.told_levels(ready.policy.smallest_group)[:_MOST_LEVELS],
    }


def _without(number: int, ready: Plan, scenarios: Sequence[ScenarioRisk]) -> Mapping[str, int]:
    """How many of those whom a crosstab of counts exposes would still be exposed without each of its variables."""
    crosstab = ready.outputs[number].counted_together(ready.table, ready.printed[number])
    told = [s for s in scenarios if s.exposed.any() and set(crosstab).issuperset(s.scenario.variables)]
    if not told:
        return {}
    found = {}
    for name in crosstab:
        remaining = np.zeros(ready.table.n_rows, dtype=bool)
        for risk in told:
            keys = tuple(key for key in risk.scenario.keys if key != name)
            if risk.scenario.target == name or not keys:
                continue
            coarser = replace(risk.scenario, keys=keys, key_sizes=None)
            remaining |= risk.exposed & exposed_by_counts(coarser, ready.table, ready.policy)
        found[name] = ready.table.count(remaining)
    return found


def _settled(without: Mapping[str, int], exposed: int) -> str:
    """Which variable, left out, would help most."""
    if not without or not exposed:
        return ""
    name = min(without, key=lambda n: without[n])
    left = without[name]
    if left >= exposed:
        return ""
    still = "none of them would be exposed" if left == 0 else f"{left:,} of the {exposed:,} would still be exposed"
    return f"Without {name} {still}."
