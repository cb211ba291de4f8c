"""An assessment from its file to its record: passes over the outputs together and alone, the verdicts, plain data."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from divulge import __version__
from divulge.assess.attacks import Attack, attacks_of
from divulge.assess.cumulative import (
    cumulative_section,
    joint_attacks,
    judged,
)
from divulge.assess.cumulative import reasons as reasons_of
from divulge.assess.passes import PassResult, make_task, run_pass
from divulge.assess.plan import Plan
from divulge.assess.splits.checkpoint import Checkpoint, digest_of
from divulge.assess.splits.cluster import Cluster, versions
from divulge.assess.splits.earlier import with_granted
from divulge.assess.splits.holdout import against_holdout
from divulge.assess.splits.split import publish
from divulge.assess.splits.workers import Crew, Listener
from divulge.assess.summary import (
    attack_section,
    embedding_section,
    exposure_section,
    meanings_section,
    output_section,
)
from divulge.contributions import Case
from divulge.kernels.arrays import Mask
from divulge.outputs import Output, Released
from divulge.policy import Decision, Evidence, Policy, Verdict, decide
from divulge.record import FORMAT_VERSION, dumps, to_plain
from divulge.rules import Finding, HeldByFew
from divulge.spec import format_output
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Assessed:
    """A finished assessment. record: plain data without any row of the data; the rest stays in memory."""

    record: dict[str, Any]
    verdict: Verdict
    exposed: Mask
    results: tuple[PassResult, ...]
    checkpoint: Checkpoint


def assess(
    ready: Plan,
    *,
    spec_text: bytes = b"",
    folder: Path | None = None,
    workers: int = 0,
    scheduler: str | None = None,
    resume: bool = False,
    listener: Listener | None = None,
    alone: bool = True,
) -> Assessed:
    """Run every pass and decide. folder: where finished splits are kept until the record is written.

    scheduler: the address of a dask scheduler, whose workers compute the splits instead of processes here.
    alone: whether each of several outputs is assessed alone too, beside all of them together.
    """
    started = time.perf_counter()
    data_digest = digest_of(*(np.ascontiguousarray(c).tobytes() for c in ready.table.columns))
    spec_digest = digest_of(spec_text)
    settings = [ready.design, ready.policy, [format_output(o) for o in ready.outputs], ready.assessment.seed]
    everything = (spec_digest, data_digest, dumps(settings), __version__)
    # Whether there is a cluster is seen before anything is written. Sums of several threads round as the number of
    # threads has it, so there is one.
    with Cluster(scheduler) if scheduler is not None else nullcontext() as cluster, threadpool_limits(1):
        checkpoint = Checkpoint(folder, digest_of(*(part.encode() for part in everything)), resume)
        with checkpoint.kept_if_of_use():
            results = _passes(ready, Crew(workers, listener, cluster), checkpoint, alone)
    spec = {"digest": spec_digest, "text": spec_text.decode("utf-8", errors="replace")}
    record, verdict = _record(ready, results, spec, data_digest, time.perf_counter() - started)
    return Assessed(record, verdict, results[0].at_risk, tuple(results), checkpoint)


def _passes(ready: Plan, crew: Crew, checkpoint: Checkpoint, alone: bool) -> list[PassResult]:
    """All outputs together, then each alone, then those that were released before."""
    findings = [_findings(o, r, ready.table, ready.policy) for o, r in zip(ready.outputs, ready.released, strict=True)]
    results = []
    for g, (stage, indices) in enumerate(_groups(ready, alone)):
        chosen = [ready.outputs[i] for i in indices]
        attacks = _attacks(ready, indices)
        task = make_task(chosen, attacks, ready.table, ready.families, ready.synthesiser, ready.assessment.seed)
        if indices[-1] < ready.n_new and any(a.knows == "earlier outputs" for a in attacks):
            task = with_granted(task, ready.earlier, ready.table, ready.design)
        released = [ready.released[i] for i in indices]
        result = run_pass(f"pass{g}", indices, task, released, ready.design, ready.policy, crew, checkpoint, stage)
        # A rule's finding on an earlier output is no reason against the new ones.
        told = [i for i in indices if i < ready.n_new or indices[0] >= ready.n_new]
        results.append(
            replace(
                result,
                findings=tuple(f for i in told for f in findings[i]),
                holdout=against_holdout(task, result.whole.table, ready.holdout),
            )
        )
    return results


def _groups(ready: Plan, alone: bool) -> list[tuple[str, tuple[int, ...]]]:
    """What is assessed, by the numbers of the outputs: all together, each new one alone, the earlier ones alone."""
    every = tuple(range(len(ready.outputs)))
    if len(every) == 1:
        return [("Output 1", every)]
    if not alone and not ready.earlier:
        return [("All outputs", every)]
    groups = [("All outputs", every), *((f"Output {i + 1}", (i,)) for i in every[: ready.n_new])]
    return [*groups, ("Earlier outputs", every[ready.n_new :])] if ready.earlier else groups


def _attacks(ready: Plan, indices: Sequence[int]) -> tuple[Attack, ...]:
    scenarios, schema = ready.assessment.scenarios, ready.table.schema
    if ready.earlier and indices[-1] >= ready.n_new:
        # The earlier outputs alone face the same attacks as all together, so that the difference is what is added.
        return joint_attacks(scenarios, ready.outputs[: ready.n_new], ready.earlier, schema)
    return attacks_of(scenarios, [ready.outputs[i] for i in indices], schema)


def _findings(output: Output, released: Released | None, table: Table, policy: Policy) -> list[Finding]:
    """What the rules have against an output."""
    given = released if released is not None else publish(output, output.evaluate(table), table.schema)
    return HeldByFew(fewest=policy.fewest_at_extreme).find(Case(0, output, given, table))


def evidence_of(ready: Plan, result: PassResult) -> Evidence:
    """What the verdict on a pass rests on."""
    risks = tuple(
        (a.attack.describe(), a.marginal_risk.value, a.marginal_risk.low, a.marginal_risk.high)
        for a in result.attacks
        if a.marginal_risk is not None
    )
    return Evidence(
        n_rows=ready.table.n_rows,
        risks=risks,
        n_exposed=int(result.exposed.sum()),
        reproduced=min(float(r.agrees.mean()) if r.agrees.size else 1.0 for r in result.whole.outputs),
        near=min(result.near),
        in_splits=min(result.in_splits),
        worst_in_splits=min(result.worst_in_splits),
        n_splits=result.n_splits,
        n_failed=len(result.failed),
        can_find_one=result.can_find_one,
        has_contrast=result.has_contrast,
        disagrees=sum(ready.disagrees[i] for i in result.outputs),
        findings=tuple((f.sentence, f.n_people) for f in result.findings),
    )


def _record(
    ready: Plan, results: Sequence[PassResult], spec: Mapping[str, str], data_digest: str, seconds: float
) -> tuple[dict[str, Any], Verdict]:
    together, alone = results[0], results[1:]
    before = results[-1] if ready.earlier else None
    evidence = [evidence_of(ready, r) for r in results[: 1 + ready.n_new]]
    if before is not None:
        evidence[0] = judged(evidence[0], together, before, ready.policy)
    decisions = [decide(ready.policy, e) for e in evidence]
    outputs = []
    for i, output in enumerate(ready.outputs[: ready.n_new]):
        own, decision = (alone[i], decisions[1 + i]) if alone else (together, decisions[0])
        outputs.append(output_section(i, output, own, together, decision, ready.table.schema, ready.wanted))
    cumulative = cumulative_section(ready.earlier, together, before)
    decision = _with_emergent(decisions, results)
    decision = replace(decision, reasons=(*decision.reasons, *reasons_of(cumulative)))
    record = {
        "format_version": FORMAT_VERSION,
        "divulge": __version__,
        "verdict": decision.verdict,
        "reasons": decision.reasons,
        "settle": decision.settle,
        "outputs": outputs,
        "risk": [attack_section(a, together, ready.wanted) for a in together.attacks],
        "meanings": meanings_section(together),
        "exposure": exposure_section(together, ready.table, ready.policy),
        "emergent": _emergent(results) if alone else None,
        "cumulative": cumulative if ready.earlier.is_known else None,
        "embedding": embedding_section(together.whole),
        "trajectory": together.trajectory,
        "rows": ready.table.n_rows,
        "design": {"kind": ready.design.kind, **dataclasses.asdict(ready.design)},
        "splits": {"used": together.n_splits, "failed": list(together.failed)},
        "synthesiser": {"kind": ready.synthesiser.kind, **dataclasses.asdict(ready.synthesiser)},
        "policy": ready.policy,
        "seed": ready.assessment.seed,
        "spec": spec,
        "data": {"name": "" if ready.assessment.data is None else ready.assessment.data.name, "digest": data_digest},
        "versions": versions(),
        "timings": {
            "seconds": seconds,
            "passes": [dict(r.seconds) for r in results],
        },
    }
    return to_plain(record), decision.verdict


def _with_emergent(decisions: Sequence[Decision], results: Sequence[PassResult]) -> Decision:
    """The verdict on the set: never milder than that on any of its parts."""
    decision = decisions[0]
    if len(results) == 1:
        return decision
    worst = max(decisions[1:], key=lambda d: d.verdict.rank)
    reasons = list(decision.reasons)
    emergent = _emergent(results)
    if emergent["exposed"]:
        reasons.append(
            f"{emergent['exposed']:,} of the exposed are so by the outputs together, and by none of them alone."
        )
    if worst.verdict.rank > decision.verdict.rank:
        said = [f"One of the outputs alone: {reason}" for reason in worst.reasons]
        return replace(worst, reasons=tuple(said))
    return replace(decision, reasons=tuple(reasons))


def _emergent(results: Sequence[PassResult]) -> dict[str, Any]:
    """What the set gives away beyond its parts: people exposed by it and by none of them, and the risk on top."""
    together, alone = results[0], results[1:]
    by_parts = np.any([r.at_risk for r in alone], axis=0)
    risk = [_largest(r) for r in results]
    return {
        "exposed": int((together.at_risk & ~by_parts).sum()),
        "exposed_by_parts": int(by_parts.sum()),
        "marginal_risk": risk[0] - max(risk[1:]) if np.isfinite(risk).all() else None,
    }


def _largest(result: PassResult) -> float:
    found = [a.marginal_risk.value for a in result.attacks if a.marginal_risk is not None]
    return max(found, default=float("nan"))
