"""From what the passes came to, to the verdicts: on each output alone, on all together, and what these add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.assess.arithmetic import Arithmetic
from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.plan import Plan
from divulge.assess.sensitivity import Turn, turning
from divulge.assess.statistics.exposure import difference_error
from divulge.designs import FEWEST_ROWS
from divulge.kernels.arrays import Integers, Mask
from divulge.policy import Decision, Evidence, Policy
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Added:
    """What a scenario's marginal risk is with the new outputs, what it was before, and the difference (95 %)."""

    now: ScenarioRisk
    before: ScenarioRisk
    risk_now: float
    risk_before: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Decisions:
    """The verdicts. alone: one for each new output; added: one entry a scenario, where there were earlier outputs.

    turn: where the verdict on all would change, where that is known.
    """

    overall: Decision
    alone: tuple[Decision, ...]
    added: tuple[Added, ...] = ()
    turn: Turn | None = None


def decide_all(ready: Plan, arithmetic: Arithmetic, results: Sequence[PassResult]) -> Decisions:
    """The verdicts. results: of all outputs together, of each new one alone, of the earlier ones."""
    together = results[0]
    evidence = [_evidence(ready, arithmetic, r) for r in results[: 1 + ready.n_new]]
    added: tuple[Added, ...] = ()
    if ready.earlier.kept:
        added = _added_risks(together, results[-1])
        n_new = ready.table.count(together.exposed & ~results[-1].at_risk)
        evidence[0] = _evidence_beyond(evidence[0], n_new, added, ready.policy)
    decisions = [ready.policy.decide(e) for e in evidence]
    overall = decisions[0]
    if len(results) > 1:
        overall = _never_milder(overall, decisions[1:], emergent_section(results, ready.table)["exposed"])
    is_own = overall.verdict is decisions[0].verdict and not ready.earlier.kept
    turn = turning(ready.policy, evidence[0], overall, together) if is_own else None
    said = () if turn is None else (turn.sentence,)
    late = [f"There was no time for {' and '.join(together.left_out)}."] if together.left_out else []
    overall = replace(overall, reasons=(*overall.reasons, *said, *_earlier_reasons(ready, results), *late))
    return Decisions(overall, tuple(decisions[1:]) or (decisions[0],) * ready.n_new, added, turn)


def _never_milder(together: Decision, alone: Sequence[Decision], n_emergent: int) -> Decision:
    """The verdict on a set of outputs: never milder than that on any of them alone."""
    worst = max(alone, key=lambda d: d.verdict.rank)
    if worst.verdict.rank > together.verdict.rank:
        return replace(worst, reasons=tuple(f"One of the outputs alone: {reason}" for reason in worst.reasons))
    return replace(together, reasons=(*together.reasons, *emergent_reasons(n_emergent)))


def emergent_reasons(n_emergent: int) -> tuple[str, ...]:
    """What a verdict says of people whom only the outputs together expose."""
    if not n_emergent:
        return ()
    return (f"{n_emergent:,} of the exposed are so by the outputs together, and by none of them alone.",)


def emergent_exposure(together: Mask, alone: Sequence[Mask], times: Integers | None = None) -> dict[str, Any]:
    """How many people a set of outputs exposes that none of them alone does, and how many some alone does.

    times: how many people each row stands for; None: one.
    """
    by_parts = np.any(alone, axis=0)
    each = np.ones(len(by_parts), dtype=np.int64) if times is None else times
    return {"exposed": int(each[together & ~by_parts].sum()), "exposed_by_parts": int(each[by_parts].sum())}


def emergent_section(results: Sequence[PassResult], table: Table) -> dict[str, Any]:
    """What the set gives away beyond its parts: people exposed by it and by none of them, and the risk on top."""
    risk = [r.largest_risk for r in results]
    return {
        **emergent_exposure(results[0].at_risk, [r.at_risk for r in results[1:]], table.people),
        "marginal_risk": risk[0] - max(risk[1:]) if np.isfinite(risk).all() else None,
    }


def _added_risks(together: PassResult, before: PassResult) -> tuple[Added, ...]:
    """What the new outputs add to the risk of the earlier ones, in every scenario that has a risk in both."""
    found = []
    for now, then in zip(together.scenarios, before.scenarios, strict=True):
        if now.marginal_risk is None or then.marginal_risk is None:
            continue
        below, above = difference_error(now.marginal_risk, now.contrasts, then.marginal_risk, then.contrasts)
        risk, risk_before = now.marginal_risk.value, then.marginal_risk.value
        added = risk - risk_before
        found.append(Added(now, then, risk, risk_before, added, added - below, added + above))
    return tuple(found)


def _evidence(ready: Plan, arithmetic: Arithmetic, result: PassResult) -> Evidence:
    """What the verdict on a pass rests on."""
    risks = tuple(
        (s.scenario.describe(), s.marginal_risk.value, s.marginal_risk.low, s.marginal_risk.high)
        for s in result.scenarios
        if s.marginal_risk is not None
    )
    return Evidence(
        n_rows=ready.table.n_people,
        risks=risks,
        n_exposed=ready.table.count(result.exposed),
        n_certain=ready.table.count(np.any([result.exposed & s.certain for s in result.scenarios], axis=0)),
        reproduced=min(float(r.agrees.mean()) if r.agrees.size else 1.0 for r in result.whole.outputs),
        near=min(result.near),
        in_splits=min(result.in_splits),
        worst_in_splits=min(result.worst_in_splits),
        n_splits=result.n_splits,
        n_failed=len(result.failed),
        n_silent=result.n_silent,
        power=result.power,
        has_contrast=result.has_contrast,
        fewest_rows=FEWEST_ROWS,
        needs_all=result.needs_all,
        is_made=all(o.makes_rows or not o.releases_rows for o in (ready.outputs[i] for i in result.outputs)),
        disagrees=sum(ready.disagrees[i] for i in result.outputs),
        wrong=ready.wrong(result.outputs),
        breaches=arithmetic.breaches(result.outputs),
    )


def _evidence_beyond(evidence: Evidence, n_new: int, added: Sequence[Added], policy: Policy) -> Evidence:
    """What can still be prevented: the n_new who are exposed by all outputs but were not by the earlier ones alone.

    The marginal risk is that of everything released, since it is everything that an intruder has; only where the
    earlier outputs alone are past refusing it is what the new ones add.
    """
    risks = []
    for entry, one in zip(evidence.risks, added, strict=True):
        assert one.before.marginal_risk is not None, "kept only where there is one"
        if one.before.marginal_risk.low > policy.refuse_risk:
            risks.append((f"{entry[0]}, beyond what was released before", one.value, one.low, one.high))
        else:
            risks.append(entry)
    return replace(evidence, n_exposed=n_new, risks=tuple(risks))


def _earlier_reasons(ready: Plan, results: Sequence[PassResult]) -> list[str]:
    """What the verdict says of earlier releases, in words."""
    n = len(ready.earlier)
    if not n:
        return []
    count = "1 output that was" if n == 1 else f"{n:,} outputs that were"
    said = [f"Assessed together with {count} released before about the same data."]
    new = ready.table.count(results[0].at_risk & ~results[-1].at_risk)
    if new:
        old = ready.table.count(results[-1].at_risk)
        said.append(f"What was released before exposes {old:,}; with this release {new:,} more are exposed.")
    return said
